#include "collector/server/status_report.h"

#include <algorithm>
#include <cerrno>
#include <numeric>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "collector/recording/part_sequence.h"
#include "proto/collector_status.h"

namespace xsp {
namespace {

namespace field = collector_status;

constexpr const char* kLevelNames[kLevels] = {"unspecified", "application", "model", "layer",
                                              "library",     "runtime",     "device"};
constexpr const char* kSeverityNames[] = {"info", "warning", "error"};

/// Reasons whose count is a number of spans.
constexpr LossReason kDropped[] = {LossReason::kRingFull, LossReason::kNoRing,   LossReason::kTooDeep,
                                   LossReason::kCorrupt,  LossReason::kActivity, LossReason::kZeroTime,
                                   LossReason::kInverted};

}  // namespace

std::string status_report(const Outcome& outcome, const Recording& recording) {
  using nlohmann::json;
  const Summary& summary = recording.summary;
  const SpanTally tally = recording.writer.all_spans();
  json levels = json::object();
  for (size_t level = 0; level < kLevels; ++level) {
    if (tally[level] != 0) levels[kLevelNames[level]] = tally[level];
  }
  uint64_t dropped = 0;
  for (const LossReason reason : kDropped) dropped += summary.losses[static_cast<size_t>(reason)];
  json losses = json::array();
  for (size_t reason = 0; reason < kLossReasons; ++reason) {
    if (summary.losses[reason] == 0) continue;
    losses.push_back({{field::kReason, kLossReasonNames[reason]},
                      {field::kCount, summary.losses[reason]},
                      {field::kDetail, summary.loss_details[reason]}});
  }
  json notices = json::array();
  for (const auto& notice : summary.notices) {
    notices.push_back({{field::kSeverity, kSeverityNames[static_cast<size_t>(notice.severity)]},
                       {field::kComponent, notice.component},
                       {field::kText, notice.text}});
  }
  json unrecorded = json::array();
  for (const auto& group : recording.unrecorded.groups()) {
    unrecorded.push_back(
        {{field::kReason, group.reason}, {field::kUser, group.user}, {field::kCount, group.processes}});
  }
  json report = {{field::kOutput, outcome.output},
                 {field::kSpans, std::accumulate(tally.begin(), tally.end(), uint64_t{0})},
                 {field::kByLevel, levels},
                 {field::kExecutions, summary.executions},
                 {field::kUnmatchedExecutions, summary.unmatched_executions},
                 {field::kDropped, dropped},
                 {field::kProcesses, summary.processes},
                 {field::kKilled, summary.killed},
                 {field::kBytes, recording.writer.bytes()},
                 {field::kComplete, outcome.complete},
                 {field::kNotices, notices},
                 {field::kLosses, losses},
                 {field::kUnrecorded, unrecorded},
                 {field::kError, outcome.error.empty() ? json() : json(outcome.error)}};
  if (recording.storage.counts()) report[field::kNotStored] = recording.not_stored;
  if (summary.measured_cpu_ns != 0) {
    report[field::kOverhead] = static_cast<double>(summary.overhead_ns) / static_cast<double>(summary.measured_cpu_ns);
  }
  if (recording.parts != nullptr) {
    const PartFolder& folder = recording.parts->folder();
    report[field::kBytes] = folder.bytes();
    report[field::kParts] = folder.parts();
    report[field::kRemovedParts] = folder.removed();
  }
  // Never throws on text that is not UTF-8, such as a path.
  return report.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool write_status_line(int fd, const std::string& line) {
  if (fd < 0) return true;
  const std::string text = line + "\n";
  for (size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(fd, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += static_cast<size_t>(written);
  }
  return true;
}

}  // namespace xsp
