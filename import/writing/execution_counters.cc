#include "import/writing/execution_counters.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "collector/writing/trace_fields.h"
#include "proto/counter_columns.h"

namespace xsp {
namespace {

constexpr size_t kKernelsPerBatch = 256;

/// A counter's value. Texts are those of the process for which it is written.
struct Entry {
  uint64_t execution;  // number, in order of writing
  uint32_t device;
  uint32_t metric;
  uint32_t name;
  double value;
};

void sort_once(std::vector<uint32_t>* values) {
  std::sort(values->begin(), values->end());
  values->erase(std::unique(values->begin(), values->end()), values->end());
}

/// In order of devices, and of executions on each: a batch is about one device.
std::vector<Entry> entries_of(const std::vector<ExecutionSource>& executions, std::vector<SegmentProcess>& processes,
                              uint32_t process) {
  std::vector<uint32_t> from;  // the processes that these executions came from
  for (const ExecutionSource& source : executions) {
    if (!processes[source.process].contents().counters.empty()) from.push_back(source.process);
  }
  sort_once(&from);
  std::vector<Entry> entries;
  ImportedProcess& to = processes[process].imported();
  for (const uint32_t other : from) {
    const ImportedProcess& imported = processes[other].imported();
    const ImportedProcess::Contents& contents = processes[other].contents();
    std::vector<uint64_t> places(contents.executions.size(), UINT64_MAX);
    for (size_t i = 0; i < executions.size(); ++i) {
      if (executions[i].process == other) places[executions[i].number] = i;
    }
    for (const ImportedProcess::Counter& counter : contents.counters) {
      if (counter.execution >= places.size() || places[counter.execution] == UINT64_MAX) continue;
      const ImportedExecution& execution = contents.executions[counter.execution];
      const uint32_t metric = to.text(imported.text(counter.metric));
      const uint32_t name = to.text(imported.text(execution.name));
      entries.push_back({places[counter.execution], execution.queue.device, metric, name, counter.value});
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.device != b.device ? a.device < b.device : a.execution < b.execution;
  });
  return entries;
}

/// Writes one batch from entries[first] on: a row per kernel, a column per metric. Returns the entry after its last
/// one.
size_t write_batch(const std::vector<Entry>& entries, size_t first, uint32_t process, Segment* segment) {
  std::vector<uint32_t> metrics;
  std::vector<size_t> kernels;  // their first entries
  size_t last = first;
  for (; last < entries.size() && entries[last].device == entries[first].device; ++last) {
    if (last == first || entries[last].execution != entries[last - 1].execution) {
      if (kernels.size() == kKernelsPerBatch) break;
      kernels.push_back(last);
    }
    metrics.push_back(entries[last].metric);
  }
  sort_once(&metrics);
  // Values that a kernel lacks stay unknown.
  std::vector<double> values(kernels.size() * metrics.size(), std::nan(""));
  for (size_t i = 0; i < kernels.size(); ++i) {
    const size_t end = i + 1 < kernels.size() ? kernels[i + 1] : last;
    for (size_t entry = kernels[i]; entry < end; ++entry) {
      const auto metric = std::lower_bound(metrics.begin(), metrics.end(), entries[entry].metric) - metrics.begin();
      values[i * metrics.size() + static_cast<size_t>(metric)] = entries[entry].value;
    }
  }
  const size_t capacity = 128 + metrics.size() * 5 + kernels.size() * 16 + values.size() * sizeof(double);
  segment->writer.write(process, Body::kCounters, capacity, [&](WireWriter& body) {
    const wire::CounterBatch head{
        .device = entries[first].device, .count = static_cast<uint32_t>(kernels.size()), .detail = segment->format};
    const auto write_places = [&] {
      write_executions(body, kernels.size(), [&](size_t i) { return entries[kernels[i]].execution + uint64_t{1}; });
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
  return last;
}

}  // namespace

void write_counters(const std::vector<ExecutionSource>& executions, std::vector<SegmentProcess>* processes,
                    uint32_t process, Segment* segment) {
  const std::vector<Entry> entries = entries_of(executions, *processes, process);
  if (entries.empty()) return;
  SegmentProcess& to = (*processes)[process];
  to.write_texts();
  for (size_t first = 0; first < entries.size();) first = write_batch(entries, first, to.number(), segment);
}

}  // namespace xsp
