#include "analysis/cli/targets.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/cli/side_files.h"
#include "base/output_target.h"
#include "base/same_file.h"

namespace xsp::analysis {
namespace {

namespace fs = std::filesystem;

struct Target {
  std::string what;    // for messages
  std::string option;  // that names another file, up to the name: "-o ", "--export json="
  std::string path;    // "-": standard output
  bool may_be_folder = false;
};

std::vector<Target> targets_of(const Options& options) {
  std::vector<Target> targets;
  if (options.format == Format::kHtml) {
    targets.push_back({"the page", "-o ", options.output});
  } else if (wants_text(options)) {
    targets.push_back({"the report", "-o ", options.output.empty() ? "-" : options.output});
  }
  for (const ExportRequest& request : options.exports) {
    targets.push_back({"--export " + std::string(request.exporter->name), export_option(*request.exporter),
                       request.path, request.exporter->takes_folder});
  }
  if (!options.log_file.empty()) targets.push_back({"--log-file", "--log-file ", options.log_file});
  return targets;
}

bool is_same(const std::string& a, const std::string& b) {
  return a == b || (a != "-" && b != "-" && is_same_file(a, b));
}

}  // namespace

Status check_output_path(const std::string& path, const std::string& option, bool may_be_folder) {
  const auto failed = [&](int error) {
    return Status{"cannot write " + path + " (" + std::strerror(error) + ")", output_hint(path, false, option)};
  };
  if (path == "-") return {};
  std::error_code error;
  const fs::file_status found = fs::status(path, error);
  if (fs::is_directory(found)) {
    if (!may_be_folder) return failed(EISDIR);
    return access(path.c_str(), W_OK | X_OK) == 0 ? Status{} : failed(errno);
  }
  // A device or a pipe is written in place; a file is written beside its target and renamed.
  if (fs::exists(found) && !fs::is_regular_file(found)) {
    return access(path.c_str(), W_OK) == 0 ? Status{} : failed(errno);
  }
  fs::path folder = fs::path(path).parent_path();
  if (may_be_folder && path.ends_with('/')) folder = folder.parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, error)) {
    return failed(fs::exists(folder, error) ? ENOTDIR : ENOENT);
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) return failed(errno);
  return {};
}

std::string export_option(const Exporter& exporter) { return "--export " + std::string(exporter.name) + "="; }

Status with_file_hint(Status failure, const std::string& option) {
  if (!failure.ok() && failure.hint.empty()) {
    failure.hint = "name a file in a folder with free space that you can write to: " + option + "FILE";
  }
  return failure;
}

Status check_targets(const Options& options) {
  const std::vector<Target> targets = targets_of(options);
  for (size_t i = 0; i < targets.size(); ++i) {
    const std::string place = targets[i].path == "-" ? "standard output" : targets[i].path;
    for (size_t k = i + 1; k < targets.size(); ++k) {
      if (!is_same(targets[i].path, targets[k].path)) continue;
      return {targets[i].what + " and " + targets[k].what + " both go to " + place,
              "name a file for one of them: -o FILE, --export FMT=FILE"};
    }
    if (Status status = check_side_files(options, targets[i].what, targets[i].path); !status.ok()) return status;
    for (const std::string& trace : options.traces) {
      if (trace == "-" || !is_same(targets[i].path, trace)) continue;
      return {targets[i].what + " would replace the trace " + trace, "name another file: -o FILE, --export FMT=FILE"};
    }
  }
  return {};
}

Status check_writable(const Options& options) {
  for (const Target& target : targets_of(options)) {
    Status status = check_output_path(target.path, target.option, target.may_be_folder);
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace xsp::analysis
