#include "inject/launch/experiment/set_message.h"

#include <fmt/format.h>

#include <map>

#include "inject/launch/end_message.h"
#include "inject/launch/experiment/run_plan.h"
#include "inject/launch/experiment/run_streams.h"
#include "inject/launch/experiment/set_progress.h"

namespace xsp::launch {
namespace {

constexpr size_t kLogLines = 5;

std::string kind_of(const PlannedRun& run) {
  if (run.purpose == RunPurpose::kCounters) return "counters";
  if (run.purpose == RunPurpose::kSerialised) return "serialised";
  return level_set_name(run.level);
}

}  // namespace

std::vector<std::string> stop_message(const RunResult& result, bool show_log) {
  std::vector<std::string> lines = {"xsp: stopped: " + result.problem};
  if (result.problem.empty()) lines = {"xsp: stopped by a signal"};
  if (!show_log || result.log.empty() || result.ending.succeeded()) return lines;
  const std::vector<std::string> last = last_lines(result.log, kLogLines);
  if (!last.empty()) lines.push_back(fmt::format("xsp: the end of {}:", result.log));
  for (const std::string& line : last) lines.push_back("     " + line);
  return lines;
}

std::vector<std::string> set_end_message(const std::string& folder, const std::string& report,
                                         const std::vector<PlannedRun>& measured, double seconds) {
  if (measured.empty()) return {fmt::format("xsp: nothing was measured; what the command printed is in {}", folder)};
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
  std::vector<std::string> lines = {fmt::format("xsp: wrote {}: {} run{} ({}) in {}", folder, measured.size(),
                                                measured.size() == 1 ? "" : "s", text, time_text(seconds))};
  if (report.empty()) return lines;
  lines.emplace_back("Next:");
  lines.push_back(report_command(report, folder));
  if (kinds.size() > 1) lines.push_back(report_command(report, folder) + " -a L1");
  return lines;
}

}  // namespace xsp::launch
