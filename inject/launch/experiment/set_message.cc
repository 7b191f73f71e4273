#include "inject/launch/experiment/set_message.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <map>

#include "base/quantity_text.h"
#include "inject/launch/experiment/level_overheads.h"
#include "inject/launch/experiment/run_plan.h"
#include "inject/launch/experiment/set_progress.h"
#include "inject/launch/run/captured_output.h"
#include "inject/launch/run/end_message.h"
#include "inject/launch/run/log_lines.h"

namespace xsp::launch {
namespace {

constexpr size_t kLogLines = 5;
constexpr size_t kMaxLines = 15;
constexpr uint64_t kQuicklyRead = uint64_t{100} << 20;

std::string kind_of(const PlannedRun& run) {
  if (run.purpose == RunPurpose::kCounters) return "counters";
  if (run.purpose == RunPurpose::kSerialised) return "serialised";
  return level_set_name(run.level);
}

/// `6 runs (2 M, 2 M/L, 2 M/L/library)`
std::string count_text(const std::vector<PlannedRun>& measured) {
  std::vector<std::string> kinds;
  std::map<std::string, size_t> counts;
  for (const PlannedRun& run : measured) {
    if (counts[kind_of(run)]++ == 0) kinds.push_back(kind_of(run));
  }
  std::string text;
  for (const std::string& kind : kinds) {
    const std::string count = kinds.size() > 1 ? fmt::format("{} ", counts[kind]) : std::string();
    text += (text.empty() ? "" : ", ") + count + kind;
  }
  return fmt::format("{} ({})", plural(measured.size(), "run"), text);
}

/// L1 compares levels.
bool has_several_levels(const std::vector<PlannedRun>& measured) {
  const std::string* first = nullptr;
  for (const PlannedRun& run : measured) {
    if (run.purpose != RunPurpose::kLatencies) continue;
    if (first != nullptr && *first != run.level) return true;
    first = &run.level;
  }
  return false;
}

uint64_t bytes_in(const std::string& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) bytes += entry.file_size(error);
  return bytes;
}

}  // namespace

std::vector<std::string> stop_message(const RunResult& result, bool show_log) {
  if (result.interrupted) {
    return {fmt::format("xsp: stopped by signal {} ({})", result.interrupted_by, strsignal(result.interrupted_by))};
  }
  std::vector<std::string> lines = {"xsp: stopped: " + result.problem};
  if (!show_log || result.log.empty() || result.ending.succeeded()) return lines;
  const std::vector<std::string> last = last_lines(result.log, kLogLines);
  if (!last.empty()) lines.push_back(fmt::format("xsp: the end of {}:", result.log));
  for (const std::string& line : last) lines.push_back("     " + line);
  return lines;
}

std::vector<std::string> set_end_message(const MeasuredSet& set) {
  if (set.measured.empty()) {
    return {fmt::format("xsp: nothing was measured; what the command printed is in {}", set.folder)};
  }
  std::vector<std::string> tail = {
      fmt::format("xsp: wrote {}: {} in {}", set.folder, count_text(set.measured), time_text(set.seconds))};
  if (set.report.empty()) return tail;
  tail.emplace_back("Next:");
  tail.push_back(report_command(set.report, set.folder));
  const bool leveled = has_several_levels(set.measured);
  if (leveled) tail.push_back(report_command(set.report, set.folder) + " -a L1");

  std::vector<std::string> lines;
  // The user need not wait for a report of large traces that nobody has asked for.
  if (set.summary != Summary::kNone && bytes_in(set.folder) < kQuicklyRead) {
    const auto levels =
        leveled ? captured_output({set.report, "-a", "L1", "--format", "json", set.folder}, true) : std::nullopt;
    if (const std::string line = overhead_line(levels.value_or("")); !line.empty()) lines.push_back("xsp: " + line);
    add_summary(set.report, set.folder, kMaxLines - tail.size() - lines.size(), &lines);
  }
  lines.insert(lines.end(), tail.begin(), tail.end());
  return lines;
}

}  // namespace xsp::launch
