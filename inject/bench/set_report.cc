#include "inject/bench/set_report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/child_process.h"
#include "base/text_encoding.h"
#include "inject/bench/measured_models.h"
#include "inject/launch/run/captured_output.h"

namespace xsp::bench {
namespace {

/// Runs it on the standard streams of this process, not profiled itself: true if it succeeded.
bool run_visibly(const std::vector<std::string>& command) {
  const pid_t pid = start_child({.command = command, .unset = {"LD_PRELOAD"}});
  return pid > 0 && wait_for_child(pid).succeeded();
}

}  // namespace

SetReport::SetReport(std::string program, std::string folder, std::vector<std::string> choices)
    : program_(std::move(program)), folder_(std::move(folder)), choices_(std::move(choices)) {}

std::vector<std::string> SetReport::command(const std::vector<std::string>& options) const {
  std::vector<std::string> words = {program_};
  words.insert(words.end(), choices_.begin(), choices_.end());
  words.insert(words.end(), options.begin(), options.end());
  // A folder may have a name like an option.
  words.push_back(std::filesystem::absolute(folder_).string());
  return words;
}

std::optional<std::string> SetReport::json(const std::string& analyses) const {
  if (program_.empty()) return std::nullopt;
  return launch::captured_output(command({"--format", "json", "-a", analyses}), true);
}

bool SetReport::print(const std::string& json_file, const std::string& csv_file) const {
  if (program_.empty()) {
    fmt::print(stderr, "xsp: no tables, for there is no xsp-report beside xsp-bench; xsp-report {} reads the set\n",
               terminal_text(folder_));
    return false;
  }
  const auto text = json("A1,A15");
  const std::string analyses = text && has_kernels(*text) ? "A1,A15" : "A1";
  std::fflush(stdout);
  bool printed = run_visibly(command({"-a", analyses}));
  if (!json_file.empty()) printed &= run_visibly(command({"-a", analyses, "--format", "json", "-o", json_file}));
  if (!csv_file.empty()) printed &= run_visibly(command({"-a", analyses, "--format", "csv", "-o", csv_file}));
  return printed;
}

Status check_export(const std::string& option, const std::string& path) {
  if (path.empty()) return {};
  const bool existed = access(path.c_str(), F_OK) == 0;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return {fmt::format("{}: cannot write {} ({})", option, path, std::strerror(errno))};
  close(file);
  if (!existed) unlink(path.c_str());
  return {};
}

}  // namespace xsp::bench
