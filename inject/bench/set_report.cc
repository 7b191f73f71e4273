#include "inject/bench/set_report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/child_process.h"
#include "base/text_encoding.h"
#include "inject/bench/measured_models.h"
#include "inject/launch/concurrency/report_table.h"
#include "inject/launch/run/captured_output.h"
#include "proto/report_columns.h"

namespace xsp::bench {
namespace {

namespace curves = report_columns::thread_curves;

constexpr const char* kShownAdvice = "10";  // rows; that for the whole run is the first

/// Runs it on the standard streams of this process, not profiled itself: true if it succeeded.
bool run_visibly(const std::vector<std::string>& command) {
  const pid_t pid = start_child({.command = command, .unset = {"LD_PRELOAD"}});
  return pid > 0 && wait_for_child(pid).succeeded();
}

/// The model's rows of E1 come first; --top 0 would be all rows.
size_t rows_of_model(const std::string& json) {
  const auto table = launch::ReportTable::read(json, curves::kTable);
  size_t rows = 0;
  while (table && rows < table->count() && table->at(rows, curves::kLayerIndex).is_null()) ++rows;
  return std::max<size_t>(rows, 1);
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

bool SetReport::is_here() const {
  if (!program_.empty()) return true;
  fmt::print(stderr, "xsp: no tables, for there is no xsp-report beside xsp-bench; xsp-report {} reads the set\n",
             terminal_text(folder_));
  return false;
}

bool SetReport::write_files(const std::string& analyses, const std::string& json_file,
                            const std::string& csv_file) const {
  bool written = true;
  if (!json_file.empty()) written &= run_visibly(command({"-a", analyses, "--format", "json", "-o", json_file}));
  if (!csv_file.empty()) written &= run_visibly(command({"-a", analyses, "--format", "csv", "-o", csv_file}));
  return written;
}

bool SetReport::print(const std::string& json_file, const std::string& csv_file) const {
  if (!is_here()) return false;
  const auto text = json("A1,A15");
  const std::string analyses = text && has_kernels(*text) ? "A1,A15" : "A1";
  std::fflush(stdout);
  const bool printed = run_visibly(command({"-a", analyses}));
  return write_files(analyses, json_file, csv_file) && printed;
}

bool SetReport::print_threads(const std::string& json_file, const std::string& csv_file) const {
  if (!is_here()) return false;
  const std::string rows = std::to_string(rows_of_model(json(curves::kTable).value_or("")));
  std::fflush(stdout);
  const bool curve = run_visibly(command({"-a", curves::kTable, "--top", rows}));
  const bool advice = run_visibly(command({"-a", report_columns::thread_advice::kTable, "--top", kShownAdvice}));
  return write_files("E1,E2", json_file, csv_file) && curve && advice;
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
