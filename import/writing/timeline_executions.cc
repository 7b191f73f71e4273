/// The part of TimelineWriter that writes what devices did: executions with their launches, and counters.

#include <algorithm>
#include <cmath>
#include <limits>

#include "collector/writing/execution_stream.h"
#include "collector/writing/trace_fields.h"
#include "import/writing/timeline_writer.h"
#include "proto/counter_columns.h"

namespace xsp {
namespace {

constexpr int64_t kNowhere = std::numeric_limits<int64_t>::min();
constexpr size_t kKernelsPerBatch = 256;

/// Which process has a call with a correlation id, over all processes.
class CallingProcesses {
 public:
  template <typename Processes>
  explicit CallingProcesses(const Processes& processes) {
    for (uint32_t process = 0; process < processes.size(); ++process) {
      for (const auto& launch : processes[process].launches.all()) calls_.emplace_back(launch.correlation, process);
    }
    std::sort(calls_.begin(), calls_.end());
    calls_.erase(std::unique(calls_.begin(), calls_.end()), calls_.end());
  }

  /// The only process; `otherwise` where there is none, or several.
  uint32_t find(uint32_t correlation, uint32_t otherwise) const {
    const auto first = std::lower_bound(calls_.begin(), calls_.end(), std::pair(correlation, uint32_t{0}));
    if (first == calls_.end() || first->first != correlation) return otherwise;
    const auto next = first + 1;
    return next != calls_.end() && next->first == correlation ? otherwise : first->second;
  }

 private:
  std::vector<std::pair<uint32_t, uint32_t>> calls_;
};

/// The launch that the tool told; ring 0: none.
template <typename Written>
SpanReference told_launch(const Written& written, uint64_t execution) {
  const auto& launches = written.told_launches;
  const auto found = std::lower_bound(launches.begin(), launches.end(), execution,
                                      [](const auto& launch, uint64_t number) { return launch.first < number; });
  return found != launches.end() && found->first == execution ? found->second : SpanReference{};
}

}  // namespace

std::vector<std::vector<TimelineWriter::Source>> TimelineWriter::place_executions() {
  std::vector<std::vector<Source>> placed(written_.size());
  std::unique_ptr<CallingProcesses> calling;
  for (uint32_t process = 0; process < written_.size(); ++process) {
    const auto& executions = timeline_.processes_[process].executions_;
    for (uint32_t number = 0; number < executions.size(); ++number) {
      const ImportedExecution& execution = executions[number];
      if (execution.begin_ns == kNowhere) continue;
      uint32_t to = process;
      const bool may_be_elsewhere = written_.size() > 1 && !timeline_.knows_launching_processes_;
      if (execution.correlation != 0 && may_be_elsewhere && !written_[process].launches.has(execution.correlation)) {
        if (calling == nullptr) calling = std::make_unique<CallingProcesses>(written_);
        to = calling->find(execution.correlation, process);
      }
      placed[to].push_back({process, number});
    }
  }
  return placed;
}

void TimelineWriter::write_executions() {
  std::vector<std::vector<Source>> placed = place_executions();
  for (size_t process = 0; process < placed.size(); ++process) {
    const ImportedProcess& from = timeline_.processes_[process];
    if (placed[process].empty() && (from.devices_.empty() || !from.executions_.empty())) continue;
    write_hello(process);
    write_executions(process, placed[process]);
    write_counters(process, placed[process]);
    placed[process] = {};
  }
}

void TimelineWriter::write_executions(size_t process, std::vector<Source>& sources) {
  auto& processes = timeline_.processes_;
  const auto at = [&](const Source& source) -> const ImportedExecution& {
    return processes[source.process].executions_[source.number];
  };
  std::stable_sort(sources.begin(), sources.end(),
                   [&](const Source& a, const Source& b) { return at(a).begin_ns < at(b).begin_ns; });

  // What is launched from here takes its texts and devices along.
  std::vector<uint32_t> others;
  ImportedProcess& to = processes[process];
  const auto text = [&](const Source& source, uint32_t id) {
    return source.process == process ? id : to.text(processes[source.process].text(id));
  };
  for (const Source& source : sources) {
    if (source.process == process) continue;
    text(source, at(source).name);
    text(source, at(source).configuration);
    if (others.empty() || others.back() != source.process) others.push_back(source.process);
  }
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  write_strings(process);
  std::vector<uint32_t> known;
  const auto write_devices = [&](const ImportedProcess& of) {
    for (const ImportedDevice& device : of.devices_) {
      if (std::find(known.begin(), known.end(), device.index) != known.end()) continue;
      known.push_back(device.index);
      write_device(process, device);
    }
  };
  write_devices(to);
  for (const uint32_t other : others) write_devices(processes[other]);

  const Written& written = written_[process];
  ExecutionStream stream(written.number, writer_);
  for (const Source& source : sources) {
    const ImportedExecution& execution = at(source);
    ActivityRow row;
    row.begin = to_ns(execution.begin_ns);
    row.end = to_ns(execution.end_ns);
    row.bytes = execution.bytes;
    row.graph_node = execution.graph_node;
    row.name = text(source, execution.name);
    row.configuration = text(source, execution.configuration);
    row.correlation = execution.correlation;
    row.graph = execution.graph;
    row.level = kLevelDevice;
    row.kind = static_cast<uint8_t>(execution.kind);
    if (source.process == process) row.launch = told_launch(written, source.number);
    if (row.launch.ring == 0 && execution.correlation != 0) {
      row.launch = written.launches.find(execution.correlation);
      if (row.launch.ring == 0 && written.launches.has(execution.correlation)) ++ambiguous_;
    }
    end_ns_ = std::max(end_ns_, row.end);
    stream.append(row, execution.queue, 0);
  }
  stream.flush();
  totals_.executions += sources.size();
  totals_.without_launch += stream.unmatched();
  written_[process].spans += sources.size();
}

void TimelineWriter::write_counters(size_t process, const std::vector<Source>& sources) {
  struct Entry {
    uint64_t execution;  // in the order of writing
    uint32_t device;
    uint32_t metric;
    uint32_t name;
    double value;
  };
  auto& processes = timeline_.processes_;
  std::vector<Entry> entries;
  std::vector<uint32_t> from;  // the processes that these executions came from
  for (const Source& source : sources) {
    if (!processes[source.process].counters_.empty()) from.push_back(source.process);
  }
  std::sort(from.begin(), from.end());
  from.erase(std::unique(from.begin(), from.end()), from.end());
  ImportedProcess& to = processes[process];
  for (const uint32_t other : from) {
    std::vector<uint64_t> places(processes[other].executions_.size(), UINT64_MAX);
    for (size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].process == other) places[sources[i].number] = i;
    }
    for (const auto& counter : processes[other].counters_) {
      if (counter.execution >= places.size() || places[counter.execution] == UINT64_MAX) continue;
      const ImportedExecution& execution = processes[other].executions_[counter.execution];
      entries.push_back({places[counter.execution], execution.queue.device,
                         to.text(processes[other].text(counter.metric)), to.text(processes[other].text(execution.name)),
                         counter.value});
    }
  }
  if (entries.empty()) return;
  write_strings(process);
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.device != b.device ? a.device < b.device : a.execution < b.execution;
  });

  for (size_t first = 0; first < entries.size();) {
    std::vector<uint32_t> metrics;
    std::vector<size_t> kernels;  // their first entries, and the end
    size_t last = first;
    for (; last < entries.size() && entries[last].device == entries[first].device; ++last) {
      if (last == first || entries[last].execution != entries[last - 1].execution) {
        if (kernels.size() == kKernelsPerBatch) break;
        kernels.push_back(last);
      }
      metrics.push_back(entries[last].metric);
    }
    std::sort(metrics.begin(), metrics.end());
    metrics.erase(std::unique(metrics.begin(), metrics.end()), metrics.end());
    std::vector<double> values(kernels.size() * metrics.size(), std::nan(""));
    for (size_t i = 0; i < kernels.size(); ++i) {
      const size_t end = i + 1 < kernels.size() ? kernels[i + 1] : last;
      for (size_t entry = kernels[i]; entry < end; ++entry) {
        const auto metric = std::lower_bound(metrics.begin(), metrics.end(), entries[entry].metric) - metrics.begin();
        values[i * metrics.size() + static_cast<size_t>(metric)] = entries[entry].value;
      }
    }
    const size_t capacity = 128 + metrics.size() * 5 + kernels.size() * 16 + values.size() * sizeof(double);
    writer_.write(written_[process].number, Body::kCounters, capacity, [&](WireWriter& body) {
      const wire::CounterBatch head{
          .device = entries[first].device, .count = static_cast<uint32_t>(kernels.size()), .detail = format_};
      const auto write_places = [&] {
        xsp::write_executions(body, kernels.size(),
                              [&](size_t i) { return entries[kernels[i]].execution + uint64_t{1}; });
      };
      const auto write_values = [&] {
        const auto mark = body.begin(wire::CounterBatch::kValue);
        body.append(values.data(), values.size() * sizeof(double));
        body.end(mark);
      };
      write_counter_columns(
          body, head, metrics.size(), [&](size_t i) { return metrics[i]; },
          [&](size_t i) { return entries[kernels[i]].name; }, write_places, write_values);
    });
    first = last;
  }
}

}  // namespace xsp
