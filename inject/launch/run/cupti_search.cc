#include "inject/launch/run/cupti_search.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <system_error>

#include "base/program_lookup.h"
#include "proto/environment.h"

namespace xsp::launch {
namespace {

namespace fs = std::filesystem;

/// Of the wheels nvidia-cuda-cupti (CUDA 13) and nvidia-cuda-cupti-cu12, -cu11.
constexpr std::array kInPackages = {"nvidia/cu13/lib", "nvidia/cuda_cupti/lib"};
constexpr std::array kPackages = {"site-packages", "dist-packages"};

bool is_cupti(const fs::path& file) { return file.filename().string().starts_with("libcupti.so"); }

/// The libcupti with the newest name in the first folder that has one.
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

void add_of_lib(const fs::path& lib, std::vector<std::string>* folders) {
  std::error_code error;
  std::vector<fs::path> pythons;
  for (const auto& entry : fs::directory_iterator(lib, error)) {
    if (entry.path().filename().string().starts_with("python3")) pythons.push_back(entry.path());
  }
  std::sort(pythons.begin(), pythons.end(), std::greater<>());
  for (const fs::path& python : pythons) {
    for (const char* packages : kPackages) {
      for (const char* inside : kInPackages) {
        const fs::path folder = python / packages / inside;
        if (!cupti_in({folder}).empty()) folders->push_back(folder.string());
      }
    }
  }
}

void add_prefix(const fs::path& prefix, std::vector<std::string>* folders) {
  for (std::string& folder : wheel_cupti_folders(prefix)) {
    if (std::find(folders->begin(), folders->end(), folder) == folders->end()) folders->push_back(std::move(folder));
  }
}

}  // namespace

std::vector<std::string> wheel_cupti_folders(const fs::path& prefix) {
  std::vector<std::string> folders;
  add_of_lib(prefix / "lib", &folders);
  // Debian's pip installs there for all users.
  add_of_lib(prefix / "local" / "lib", &folders);
  return folders;
}

std::vector<std::string> wheel_cupti_folders() {
  std::vector<std::string> folders;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const char* prefix = std::getenv(name);
    if (prefix != nullptr && prefix[0] != '\0') add_prefix(prefix, &folders);
  }
  for (const char* name : {"python3", "python"}) {
    const std::string found = find_program(name);
    if (found.empty()) continue;
    // The Python of a virtual environment is a link to the one it was made from: its own packages are found from the
    // link.
    std::error_code error;
    const fs::path program = fs::absolute(found, error);
    add_prefix(program.parent_path().parent_path(), &folders);
    const fs::path target = fs::canonical(program, error);
    if (!error) add_prefix(target.parent_path().parent_path(), &folders);
  }
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] != '\0') add_prefix(fs::path(home) / ".local", &folders);
  return folders;
}

CuptiFile find_cupti(const std::vector<std::string>& python_folders) {
  using Source = CuptiFile::Source;
  const char* named = std::getenv(variable::kCupti);
  if (named != nullptr && named[0] != '\0') return {named, Source::kNamed};
  if (std::string path = cupti_in({python_folders.begin(), python_folders.end()}); !path.empty()) {
    return {path, Source::kPython};
  }
  if (std::string path = toolkit_cupti(); !path.empty()) return {path, Source::kToolkit};
  const std::vector<std::string> wheels = wheel_cupti_folders();
  if (std::string path = cupti_in({wheels.begin(), wheels.end()}); !path.empty()) return {path, Source::kWheel};
  return {};
}

}  // namespace xsp::launch
