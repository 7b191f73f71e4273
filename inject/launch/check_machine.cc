#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "inject/launch/captured_output.h"
#include "inject/launch/check_rows.h"
#include "inject/launch/counter_announcement.h"
#include "inject/launch/preload_link.h"
#include "inject/launch/private_folder.h"
#include "inject/launch/wheel_cupti.h"
#include "proto/environment.h"

namespace xsp::launch {
namespace {

using State = CheckRow::State;
namespace fs = std::filesystem;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string first_line_of_file(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

CheckRow check_library(const InstallLayout& layout) {
  std::string library = layout.library;
  Status status = missing_part(layout, false);
  if (status.ok()) status = make_preloadable(&library);
  if (!status.ok()) return {"guest library", State::kMissing, status.error, status.hint};
  // The dynamic loader complains on stderr and goes on: what `sh` and `true` print is what it had to say.
  const auto complaint = captured_output({"sh", "-c", "exec 2>&1; env LD_PRELOAD=\"$0\" true", library}, true);
  if (complaint && complaint->empty()) return {"guest library", State::kOk, layout.library};
  return {"guest library", State::kMissing, complaint ? first_line(*complaint) : "cannot be loaded",
          "XSP needs glibc 2.35 or newer on x86-64"};
}

CheckRow check_program(const char* name, const std::string& path, State without) {
  const std::string fix = "build it completely (ninja -C build) or install XSP again";
  if (path.empty()) return {name, without, "not found beside xsp-run", fix};
  if (!captured_output({path, "--version"}, true)) return {name, without, path + " does not run", fix};
  return {name, State::kOk, path};
}

CheckRow check_memfd() {
  const OwnedFd memory(memfd_create("xsp-check", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const bool works = memory && ftruncate(memory.get(), 4096) == 0 &&
                     fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
  if (works) return {"shared memory", State::kOk, "memfd_create with seals"};
  return {"shared memory", State::kMissing, fmt::format("memfd_create with seals: {}", std::strerror(errno)),
          "a kernel from 3.17, and a sandbox that allows memfd_create"};
}

CheckRow check_socket() {
  PrivateFolder folder;
  OwnedFd listener;
  Status status = folder.create();
  if (status.ok()) status = folder.listen(&listener);
  if (!status.ok()) return {"unix sockets", State::kMissing, status.error, status.hint};
  return {"unix sockets", State::kOk, folder.socket_path()};
}

CheckRow check_clock() {
  const std::string source = first_line_of_file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (source == "tsc") return {"clock", State::kOk, "time-stamp counter"};
  return {"clock", State::kOk,
          fmt::format("CLOCK_MONOTONIC (the kernel uses {}): correct, a little dearer per span",
                      source.empty() ? "another source" : source)};
}

bool is_cupti(const fs::path& file) { return file.filename().string().starts_with("libcupti.so"); }

/// Of the first folder that has one, the libcupti of the newest name.
std::string cupti_in(const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    std::error_code error;
    fs::path newest;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (is_cupti(entry.path()) && entry.path().filename() > newest.filename()) newest = entry.path();
    }
    if (!newest.empty()) return newest;
  }
  return {};
}

void add_toolkit(const fs::path& root, std::vector<fs::path>* folders) {
  for (const char* folder : {"lib64", "lib", "extras/CUPTI/lib64"}) folders->push_back(root / folder);
}

std::string toolkit_cupti() {
  std::vector<fs::path> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(name);
    if (root != nullptr && root[0] != '\0') add_toolkit(root, &folders);
  }
  // Where the loader looks.
  if (const char* list = std::getenv("LD_LIBRARY_PATH")) {
    std::istringstream words(list);
    for (std::string folder; std::getline(words, folder, ':');) {
      if (!folder.empty()) folders.emplace_back(folder);
    }
  }
  folders.emplace_back("/usr/lib/x86_64-linux-gnu");
  add_toolkit("/usr/local/cuda", &folders);
  return cupti_in(folders);
}

/// In the order in which the guest looks: what the user names, what comes with the program's CUDA, that of the
/// environment's toolkit, the loader's, the usual one.
CheckRow check_cupti(const std::vector<std::string>& python_folders) {
  const char* named = std::getenv(variable::kCupti);
  if (named != nullptr && named[0] != '\0') {
    if (access(named, R_OK) == 0) return {"CUPTI", State::kOk, fmt::format("{} (XSP_CUPTI)", named)};
    return {"CUPTI", State::kDegraded, fmt::format("XSP_CUPTI names {} ({})", named, std::strerror(errno)),
            "unset XSP_CUPTI"};
  }
  const std::string of_python = cupti_in({python_folders.begin(), python_folders.end()});
  if (!of_python.empty()) return {"CUPTI", State::kOk, of_python + " (this Python's CUDA)"};
  const std::string of_toolkit = toolkit_cupti();
  if (!of_toolkit.empty()) return {"CUPTI", State::kOk, of_toolkit + " (the toolkit's or the loader's)"};
  const std::vector<std::string> wheels = wheel_cupti_folders();
  const std::string of_wheel = cupti_in({wheels.begin(), wheels.end()});
  if (!of_wheel.empty()) return {"CUPTI", State::kOk, of_wheel + " (of an installed wheel)"};
  return {"CUPTI", State::kDegraded, "no libcupti found: no kernels in the trace",
          "pip install nvidia-cuda-cupti, or XSP_CUPTI=/path/to/libcupti.so"};
}

CheckRow check_driver() {
  const std::string version = first_line_of_file("/proc/driver/nvidia/version");
  if (version.empty()) return {"NVIDIA driver", State::kUnused, "not loaded: no kernels on this machine"};
  return {"NVIDIA driver", State::kOk, version};
}

/// CUDA loads one tool; ours goes first and loads the user's.
CheckRow check_cuda_tool(const InstallLayout& layout) {
  const char* tool = std::getenv("CUDA_INJECTION64_PATH");
  std::error_code error;
  if (tool == nullptr || tool[0] == '\0' || fs::equivalent(tool, layout.library, error)) {
    return {"CUDA tools", State::kOk, "no other one is set (CUDA_INJECTION64_PATH)"};
  }
  return {"CUDA tools", State::kDegraded,
          fmt::format("CUDA_INJECTION64_PATH is set: {} is loaded behind XSP; where both want CUPTI, one waits", tool),
          "unset CUDA_INJECTION64_PATH"};
}

/// A tool that the user names gets what would come to us.
CheckRow check_ranges(const InstallLayout& layout) {
  for (const auto& [variable, what] : {std::pair("NVTX_INJECTION64_PATH", "NVTX"), {"INTEL_LIBITTNOTIFY64", "ITT"}}) {
    const char* tool = std::getenv(variable);
    std::error_code error;
    if (tool == nullptr || fs::equivalent(tool, layout.library, error)) continue;
    return {"NVTX, ITT", State::kDegraded, fmt::format("{} is set: {} ranges go to {}", variable, what, tool),
            fmt::format("unset {}", variable)};
  }
  return {"NVTX, ITT", State::kOk, "ranges become spans"};
}

CheckRow check_disk(const Options& options) {
  constexpr double kEnoughGb = 1.0;
  fs::path folder = fs::path(options.output).parent_path();
  std::error_code error;
  while (!folder.empty() && !fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  if (folder.empty()) folder = ".";
  struct statvfs space = {};
  if (statvfs(folder.c_str(), &space) != 0 || access(folder.c_str(), W_OK | X_OK) != 0) {
    return {"output folder", State::kMissing,
            fmt::format("cannot write in {} ({})", folder.string(), std::strerror(errno)),
            "--output names another place"};
  }
  const double gb = static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize) / 1e9;
  const std::string why = fmt::format("{:.1f} GB free in {}", gb, fs::absolute(folder).lexically_normal().string());
  if (gb >= kEnoughGb) return {"output folder", State::kOk, why};
  return {"output folder", State::kDegraded, why, "--output names another place"};
}

}  // namespace

std::vector<CheckRow> check_machine(const Options& options, const InstallLayout& layout) {
  return {check_library(layout),
          check_program("xsp-collector", layout.collector, State::kMissing),
          check_program("xsp-report", layout.report, State::kDegraded),
          check_memfd(),
          check_socket(),
          check_clock(),
          check_ranges(layout),
          check_disk(options)};
}

std::string cupti_to_use(const std::vector<std::string>& python_folders) {
  const char* named = std::getenv(variable::kCupti);
  if (named != nullptr && named[0] != '\0') return named;
  const std::string of_python = cupti_in({python_folders.begin(), python_folders.end()});
  if (!of_python.empty()) return of_python;
  const std::string of_toolkit = toolkit_cupti();
  if (!of_toolkit.empty()) return of_toolkit;
  const std::vector<std::string> wheels = wheel_cupti_folders();
  return cupti_in({wheels.begin(), wheels.end()});
}

std::vector<CheckRow> check_cuda(const Options& options, const InstallLayout& layout,
                                 const std::vector<std::string>& python_folders) {
  return {check_driver(), check_cupti(python_folders), check_cuda_tool(layout),
          check_counters(cupti_to_use(python_folders), options.metrics)};
}

}  // namespace xsp::launch
