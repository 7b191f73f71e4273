#include "inject/launch/experiment/set_outlook.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "inject/launch/experiment/set_folder.h"
#include "inject/launch/experiment/set_progress.h"

namespace xsp::launch {
namespace {

/// If what is left takes this long, the user is told how to end it early.
constexpr double kLongSeconds = 600;

uint64_t file_bytes(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

/// Shorter differences are those of starting a program.
constexpr double kLeastSeconds = 0.1;
/// Below the layers, calls may fall on more or fewer threads from run to run.
constexpr double kSpansMayDiffer = 0.01;

bool differ_in_time(double one, double other) {
  const auto [shorter, longer] = std::minmax(one, other);
  return longer > 2 * shorter && longer - shorter > kLeastSeconds;
}

bool differ_in_spans(const std::string& level, uint64_t one, uint64_t other) {
  if (level == "model" || level == "layer") return one != other;
  const auto [fewer, more] = std::minmax(one, other);
  return static_cast<double>(more - fewer) > kSpansMayDiffer * static_cast<double>(more);
}

}  // namespace

std::vector<std::string> TwinCheck::look_at(const PlannedRun& run, uint32_t index, double seconds, uint64_t spans) {
  const auto first =
      std::find_if(firsts_.begin(), firsts_.end(), [&](const Seen& seen) { return are_twins(seen.run, run); });
  if (first == firsts_.end()) {
    firsts_.push_back({run, index, seconds, spans});
    return {};
  }
  std::vector<std::string> lines;
  if (!told_time_ && differ_in_time(first->seconds, seconds)) {
    told_time_ = true;
    lines.push_back(fmt::format("run {} took {}, run {} of the same level {}: is something else running here?", index,
                                time_text(seconds), first->index, time_text(first->seconds)));
  }
  if (!told_spans_ && differ_in_spans(run.level, first->spans, spans)) {
    told_spans_ = true;
    lines.push_back(
        fmt::format("run {} recorded {} spans, run {} of the same level {}: does the command do the same "
                    "every time?",
                    index, spans, first->index, first->spans));
  }
  return lines;
}

SetOutlook::Seen SetOutlook::look_at(const Ended& ended, const Left& left) {
  Seen seen;
  const auto warn = [&](const std::string& line) { seen.lines.push_back("warning: " + line); };
  const bool first = !saw_one_;
  saw_one_ = true;
  for (const CollectorStatus::Loss& loss : ended.status.losses) {
    warn(fmt::format("run {} lost {} records ({})", ended.index, loss.count, loss.reason));
  }
  if (ended.run.purpose == RunPurpose::kLatencies) {
    for (const std::string& line : twins_.look_at(ended.run, ended.index, ended.seconds, ended.status.spans)) {
      warn(line);
    }
  }
  largest_trace_ = std::max(largest_trace_, file_bytes(ended.trace));
  look_at_room(left, &seen.lines);
  if (!first || left.runs == 0) return seen;
  if (left.seconds >= kLongSeconds) {
    seen.lines.push_back(
        fmt::format("the {} runs that are left take about {}; ^C or --time-limit TIME ends them earlier, and what was "
                    "measured stays",
                    left.runs, time_text(left.seconds)));
  }
  if (ended.status.spans == 0) {
    seen.problem = fmt::format(
        "it recorded no spans: no model call was seen, and {} further runs would show nothing (xsp-run --check tells "
        "what can be seen)",
        left.runs);
    return seen;
  }
  for (const std::string& path : ended.written) {
    warn(
        fmt::format("the command has written {}: every run writes over it (name it with {{run}}, or restore it with "
                    "--prepare CMD)",
                    path));
  }
  return seen;
}

void SetOutlook::look_at_room(const Left& left, std::vector<std::string>* lines) {
  const uint64_t needed = largest_trace_ * left.runs;
  const std::optional<uint64_t> room = room_in(left.folder);
  if (told_room_ || !room || *room >= needed) return;
  told_room_ = true;
  lines->push_back(
      fmt::format("warning: {} runs are left, whose traces may take {:.0f} MB, and {} has room for {:.0f} MB",
                  left.runs, static_cast<double>(needed) / 1e6, left.folder, static_cast<double>(*room) / 1e6));
}

}  // namespace xsp::launch
