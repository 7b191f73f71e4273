#include "bound/backends/cuda_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/file_text.h"
#include "bound/backends/python_folders.h"

namespace xsp::bound {
namespace {

constexpr const char* kToolkitVariables[] = {"CUDA_HOME", "CUDA_PATH"};
constexpr const char* kUsualToolkit = "/usr/local/cuda";
constexpr const char* kToolkitFolders[] = {"lib64", "lib"};
/// What changes which device a process sees first.
constexpr const char* kDeviceVariables[] = {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "NVIDIA_VISIBLE_DEVICES"};

std::string variable(const char* name) {
  const char* const value = getenv(name);
  return value == nullptr ? "" : value;
}

void add_linker_folders(std::vector<std::string>* folders) {
  const std::string list = variable("LD_LIBRARY_PATH");
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) folders->push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
}

void add_python_packages(std::vector<std::string>* folders) {
  for (const std::string& packages : python_folders()) {
    for (const std::string& package : files_like(packages + "/nvidia", "*")) folders->push_back(package + "/lib");
  }
}

void add_toolkit(std::vector<std::string>* folders) {
  std::string toolkit;
  for (const char* const name : kToolkitVariables) {
    if (toolkit.empty()) toolkit = variable(name);
  }
  if (toolkit.empty()) toolkit = kUsualToolkit;
  for (const char* const folder : kToolkitFolders) folders->push_back(toolkit + "/" + folder);
}

}  // namespace

std::vector<std::string> cuda_library_files(std::string_view name, std::initializer_list<int> versions) {
  std::vector<std::string> folders;
  add_linker_folders(&folders);
  add_python_packages(&folders);
  add_toolkit(&folders);
  std::vector<std::string> files;
  std::error_code error;
  for (const std::string& folder : folders) {
    for (const int version : versions) {
      std::string file = fmt::format("{}/{}.so.{}", folder, name, version);
      if (std::filesystem::exists(file, error)) files.push_back(std::move(file));
    }
  }
  for (const int version : versions) files.push_back(fmt::format("{}.so.{}", name, version));
  return files;
}

std::vector<std::string> linker_files(const std::string& name) {
  std::vector<std::string> folders;
  add_linker_folders(&folders);
  std::error_code error;
  for (const std::string& folder : folders) {
    if (std::filesystem::exists(folder + "/" + name, error)) return {folder + "/" + name, name};
  }
  return {name};
}

std::string cuda_environment() {
  std::string text = text_of_file("/proc/sys/kernel/random/boot_id");
  text += " " + text_of_file("/sys/module/nvidia/version");
  for (const char* const name : kDeviceVariables) text += fmt::format(" {}={}", name, variable(name));
  for (const std::string& node : files_like("/dev", "nvidia*")) text += " " + node;
  return text;
}

}  // namespace xsp::bound
