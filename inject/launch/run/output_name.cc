#include "inject/launch/run/output_name.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "base/output_target.h"
#include "inject/launch/run/command_lookup.h"

namespace xsp::launch {
namespace {

namespace fs = std::filesystem;

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof(name) - 1);
  return name;
}

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  localtime_r(&now, &parts);
  char text[32] = {};
  std::strftime(text, sizeof(text), "%Y%m%d-%H%M%S", &parts);
  return text;
}

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

}  // namespace

Status expand_placeholders(const std::string& pattern, pid_t pid, std::string* path) {
  path->clear();
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      *path += pattern[i];
      continue;
    }
    const char kind = i + 1 < pattern.size() ? pattern[++i] : '\0';
    const size_t close = pattern.find('}', i);
    if (kind == '%') {
      *path += '%';
    } else if (kind == 'p') {
      *path += std::to_string(pid);
    } else if (kind == 'h') {
      *path += host_name();
    } else if (kind == 't') {
      *path += local_time();
    } else if (kind == 'q' && i + 1 < pattern.size() && pattern[i + 1] == '{' && close != std::string::npos) {
      const std::string variable = pattern.substr(i + 2, close - i - 2);
      const char* value = std::getenv(variable.c_str());
      if (value == nullptr) return {fmt::format("--output {}: {} is not set", pattern, variable)};
      *path += value;
      i = close;
    } else {
      return {fmt::format("--output {}: unknown placeholder", pattern),
              "there are %p, %h, %t, %q{VAR}, and %% for a percent sign"};
    }
  }
  return {};
}

std::string default_output(const std::vector<std::string>& command, pid_t pid) {
  const std::string stem = fmt::format("xsp-{}-{}", command_name(command), pid);
  std::string path = stem + ".pb";
  for (int i = 1; exists(path) || exists(path + ".partial"); ++i) path = fmt::format("{}.{}.pb", stem, i);
  return path;
}

Status choose_folder(const std::string& output, const std::vector<std::string>& command, pid_t pid,
                     std::string* folder) {
  if (output.empty()) {
    const std::string stem = fmt::format("xsp-{}-{}", command_name(command), pid);
    *folder = stem;
    for (int i = 1; exists(*folder); ++i) *folder = fmt::format("{}.{}", stem, i);
    return {};
  }
  if (Status status = expand_placeholders(output, pid, folder); !status.ok()) return status;
  while (folder->size() > 1 && folder->back() == '/') folder->pop_back();
  return {};
}

bool is_stream(const std::string& path) {
  std::error_code error;
  const fs::file_status found = fs::status(path, error);
  return fs::is_fifo(found) || fs::is_character_file(found);
}

Status prepare_output(const std::string& path, bool force) {
  std::error_code error;
  if (path.empty() || path.ends_with('/') || fs::is_directory(path, error)) {
    return {fmt::format("the output '{}' is a folder", path), "give a file: --output run.pb"};
  }
  OutputTarget target;
  if (Status status = find_output_target(path, &target); !status.ok()) {
    status.hint = "--output names another place";
    return status;
  }
  if (target.is_descriptor) {
    return {fmt::format("the output {} is a descriptor of this process, which the collector has not", path),
            "--output takes a file, or a pipe made by mkfifo"};
  }
  if (target.kind == OutputTarget::Kind::kStream) return {};
  if (!force && exists(path)) {
    return {fmt::format("{} exists", path), "--force replaces it; --output takes another name (%p: the pid)"};
  }
  const fs::path file = target.path;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    return {fmt::format("cannot make the folder {} ({})", folder.string(), error.message()),
            "--output names another place"};
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return {fmt::format("cannot write in the folder {} ({})", folder.string(), std::strerror(errno)),
            "--output names another place"};
  }
  return {};
}

}  // namespace xsp::launch
