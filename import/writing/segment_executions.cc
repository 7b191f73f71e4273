#include "import/writing/segment_executions.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "collector/writing/execution_stream.h"
#include "import/writing/execution_counters.h"

namespace xsp {
namespace {

/// Which process has a call with a given correlation id, across all processes.
class CallingProcesses {
 public:
  explicit CallingProcesses(const std::vector<SegmentProcess>& processes) {
    for (uint32_t process = 0; process < processes.size(); ++process) {
      for (const auto& launch : processes[process].launches().all()) calls_.emplace_back(launch.correlation, process);
    }
    std::sort(calls_.begin(), calls_.end());
    calls_.erase(std::unique(calls_.begin(), calls_.end()), calls_.end());
  }

  /// The only such process; `otherwise` if there is none, or several.
  uint32_t find(uint32_t correlation, uint32_t otherwise) const {
    const auto first = std::lower_bound(calls_.begin(), calls_.end(), std::pair(correlation, uint32_t{0}));
    if (first == calls_.end() || first->first != correlation) return otherwise;
    const auto next = first + 1;
    return next != calls_.end() && next->first == correlation ? otherwise : first->second;
  }

 private:
  std::vector<std::pair<uint32_t, uint32_t>> calls_;
};

using Sources = std::vector<ExecutionSource>;

/// For each process of the segment: the executions that are written there.
std::vector<Sources> place_executions(const std::vector<SegmentProcess>& processes, bool knows_launching_processes) {
  std::vector<Sources> placed(processes.size());
  std::optional<CallingProcesses> calling;
  for (uint32_t process = 0; process < processes.size(); ++process) {
    const auto& executions = processes[process].contents().executions;
    for (uint32_t number = 0; number < executions.size(); ++number) {
      const ImportedExecution& execution = executions[number];
      if (execution.begin_ns == SegmentTimes::kNowhere) continue;
      uint32_t to = process;
      const bool may_be_elsewhere = processes.size() > 1 && !knows_launching_processes;
      if (execution.correlation != 0 && may_be_elsewhere && !processes[process].launches().has(execution.correlation)) {
        // A large profile has many calls: most profiles have one process, or know, and need no list of them.
        if (!calling) calling.emplace(processes);
        to = calling->find(execution.correlation, process);
      }
      placed[to].push_back({process, number});
    }
  }
  return placed;
}

/// Writes the executions of one process.
class ExecutionWriter {
 public:
  ExecutionWriter(std::vector<SegmentProcess>& processes, uint32_t process, Segment& segment)
      : processes_(processes), process_(process), to_(processes[process]), segment_(segment) {}

  /// Writes them in order of begin.
  void write(Sources* sources) {
    std::stable_sort(sources->begin(), sources->end(), [&](const ExecutionSource& a, const ExecutionSource& b) {
      return execution(a).begin_ns < execution(b).begin_ns;
    });
    take_over(*sources);
    ExecutionStream stream(to_.number(), segment_.writer);
    for (const ExecutionSource& source : *sources) {
      const ActivityRow row = row_of(source);
      segment_.times.reach(row.end);
      stream.append(row, execution(source).queue, 0);
    }
    stream.flush();
    segment_.totals.executions += sources->size();
    segment_.totals.without_launch += stream.unmatched();
    to_.count(sources->size());
  }

 private:
  const ImportedExecution& execution(const ExecutionSource& source) const {
    return processes_[source.process].contents().executions[source.number];
  }

  /// The id of the execution's text in this process.
  uint32_t text(const ExecutionSource& source, uint32_t id) {
    if (source.process == process_) return id;
    return to_.imported().text(std::as_const(processes_[source.process].imported()).text(id));
  }

  /// Executions launched from here bring their texts and devices along.
  void take_over(const Sources& sources) {
    std::vector<uint32_t> others;
    for (const ExecutionSource& source : sources) {
      if (source.process == process_) continue;
      text(source, execution(source).name);
      text(source, execution(source).configuration);
      if (others.empty() || others.back() != source.process) others.push_back(source.process);
    }
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    to_.write_texts();
    std::vector<uint32_t> known;
    write_devices(to_, &known);
    for (const uint32_t other : others) write_devices(processes_[other], &known);
  }

  void write_devices(const SegmentProcess& of, std::vector<uint32_t>* known) {
    for (const ImportedDevice& device : of.contents().devices) {
      if (std::find(known->begin(), known->end(), device.index) != known->end()) continue;
      known->push_back(device.index);
      to_.write(device);
    }
  }

  ActivityRow row_of(const ExecutionSource& source) {
    const ImportedExecution& from = execution(source);
    ActivityRow row;
    row.begin = segment_.times.to_ns(from.begin_ns);
    row.end = segment_.times.to_ns(from.end_ns);
    row.bytes = from.bytes;
    row.graph_node = from.graph_node;
    row.name = text(source, from.name);
    row.configuration = text(source, from.configuration);
    row.correlation = from.correlation;
    row.graph = from.graph;
    row.level = kLevelDevice;
    row.kind = static_cast<uint8_t>(from.kind);
    // What the tool told takes precedence over the correlation id.
    const LaunchIndex& launches = std::as_const(to_).launches();
    if (source.process == process_) row.launch = launches.told(source.number);
    if (row.launch.ring == 0 && from.correlation != 0) {
      row.launch = launches.find(from.correlation);
      if (row.launch.ring == 0 && launches.has(from.correlation)) ++segment_.ambiguous;
    }
    return row;
  }

  std::vector<SegmentProcess>& processes_;
  uint32_t process_;
  SegmentProcess& to_;
  Segment& segment_;
};

}  // namespace

void write_executions(std::vector<SegmentProcess>* processes, bool knows_launching_processes, Segment* segment) {
  std::vector<Sources> placed = place_executions(*processes, knows_launching_processes);
  for (uint32_t process = 0; process < placed.size(); ++process) {
    SegmentProcess& to = (*processes)[process];
    const ImportedProcess::Contents& from = to.contents();
    // If all executions of a process went elsewhere, so did its devices.
    if (placed[process].empty() && (from.devices.empty() || !from.executions.empty())) continue;
    to.begin();
    ExecutionWriter(*processes, process, *segment).write(&placed[process]);
    write_counters(placed[process], processes, process, segment);
    placed[process] = {};
  }
}

}  // namespace xsp
