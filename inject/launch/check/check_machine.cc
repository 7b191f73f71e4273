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

#include "inject/launch/check/check_rows.h"
#include "inject/launch/run/captured_output.h"
#include "inject/launch/run/preload_link.h"
#include "inject/launch/run/preload_name.h"
#include "inject/launch/run/private_folder.h"

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
  const auto complaint =
      captured_output({"sh", "-c", "exec 2>&1; env LD_PRELOAD=\"$0\" true", preload_name(library)}, true);
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

/// NVTX and ITT have one tool each: where the user has named another one, that gets the ranges, and XSP gets none.
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

}  // namespace xsp::launch
