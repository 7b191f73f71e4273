#include "inject/launch/experiment/set_outlook.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "inject/launch/experiment/set_folder.h"
#include "inject/launch/experiment/set_progress.h"

namespace xsp::launch {
namespace {

/// What is left takes long enough to say how it can be ended early.
constexpr double kLongSeconds = 600;

uint64_t file_bytes(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

}  // namespace

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
