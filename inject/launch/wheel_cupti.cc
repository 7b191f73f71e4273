#include "inject/launch/wheel_cupti.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <system_error>

#include "base/program_lookup.h"

namespace xsp::launch {
namespace {

namespace fs = std::filesystem;

/// Of the wheels nvidia-cuda-cupti (CUDA 13) and nvidia-cuda-cupti-cu12, -cu11.
constexpr std::array kInPackages = {"nvidia/cu13/lib", "nvidia/cuda_cupti/lib"};
constexpr std::array kPackages = {"site-packages", "dist-packages"};

bool has_cupti(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with("libcupti.so")) return true;
  }
  return false;
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
        if (has_cupti(folder)) folders->push_back(folder.string());
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
    // A virtual environment's is a link to the one it was made from: its own packages are found by where it lies.
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

}  // namespace xsp::launch
