#include "analysis/timeline/device_latencies.h"
#include "analysis/timeline/intervals.h"

#include <algorithm>

namespace xsp::analysis {
namespace {

void add_model_latencies(const Trace& trace, const Evaluations& evaluations, const Executions& executions,
                         DeviceLatencies* latencies) {
  const SpanTable& spans = trace.spans;
  latencies->model.reserve(evaluations.root.size());
  for (uint32_t e = 0; e < evaluations.root.size(); ++e) {
    int64_t work_end = INT64_MIN;
    int64_t events_end = INT64_MIN;
    for (size_t i = executions.first_of[e]; i < executions.first_of[e + 1]; ++i) {
      const Row row = trace.executions.row[executions.in_evaluation[i]];
      if (is_work(spans.kind[row])) work_end = std::max(work_end, spans.end[row]);
      if (spans.kind[row] == Kind::kStreamInterval) events_end = std::max(events_end, spans.end[row]);
    }
    const Row root = evaluations.root[e];
    const int64_t device_end = work_end == INT64_MIN ? events_end : work_end;
    latencies->model.push_back(std::max(spans.end[root], device_end) - spans.begin[root]);
  }
}

class LayerSums {
 public:
  LayerSums(const Trace& trace, const Evaluations& evaluations, const Executions& executions, bool whole_trace)
      : trace_(trace), evaluations_(evaluations), executions_(executions), whole_trace_(whole_trace) {}

  std::vector<LayerLatency> run() {
    const size_t layers =
        evaluations_.layers.size() + evaluations_.loose_layers.size() + evaluations_.failed_layers.size();
    sort_by_layer(layers);
    std::vector<LayerLatency> sums;
    sums.reserve(layers);
    size_t number = 0;
    for (const auto* rows : {&evaluations_.layers, &evaluations_.loose_layers, &evaluations_.failed_layers}) {
      for (const Row row : *rows) sums.push_back(sum(row, number++));
    }
    return sums;
  }

 private:
  size_t number_of(uint32_t execution) const {
    const PlacedExecution& placed = executions_.placed[execution];
    if (placed.layer == kNoRow || !is_work(kind(execution))) return SIZE_MAX;
    if (whole_trace_) return evaluations_.number[placed.layer];
    if (placed.layer_ordinal != UINT32_MAX) return layer_of(trace_, evaluations_, placed);
    return placed.evaluation == kNoEvaluation ? evaluations_.number[placed.layer] : SIZE_MAX;
  }

  void sort_by_layer(size_t layers) {
    const auto count = static_cast<uint32_t>(executions_.placed.size());
    std::vector<uint32_t> numbers(count, UINT32_MAX);
    first_.assign(layers + 1, 0);
    for (uint32_t i = 0; i < count; ++i) {
      const size_t number = number_of(i);
      if (number == SIZE_MAX) continue;
      numbers[i] = static_cast<uint32_t>(number);
      ++first_[number + 1];
    }
    for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    sorted_.resize(first_.back());
    std::vector<size_t> next(first_.begin(), first_.end() - 1);
    for (uint32_t i = 0; i < count; ++i) {
      if (numbers[i] != UINT32_MAX) sorted_[next[numbers[i]]++] = i;
    }
  }

  LayerLatency sum(Row layer, size_t number) {
    const SpanTable& spans = trace_.spans;
    LayerLatency latency{.latency_ns = spans.duration(layer)};
    if (first_[number] == first_[number + 1]) return latency;
    all_ = {{spans.begin[layer], spans.end[layer]}};
    kernels_.clear();
    for (size_t i = first_[number]; i < first_[number + 1]; ++i) {
      const Row row = trace_.executions.row[sorted_[i]];
      all_.emplace_back(spans.begin[row], spans.end[row]);
      if (spans.kind[row] != Kind::kKernel) continue;
      kernels_.emplace_back(spans.begin[row], spans.end[row]);
      latency.kernel_ns += spans.duration(row);
      ++latency.kernels;
    }
    latency.latency_ns = union_length(&all_);
    latency.gpu_ns = union_length(&kernels_);
    return latency;
  }

  Kind kind(uint32_t execution) const { return trace_.spans.kind[trace_.executions.row[execution]]; }

  const Trace& trace_;
  const Evaluations& evaluations_;
  const Executions& executions_;
  bool whole_trace_;
  std::vector<size_t> first_;     // by layer, in `sorted_`
  std::vector<uint32_t> sorted_;  // executions
  std::vector<std::pair<int64_t, int64_t>> all_;
  std::vector<std::pair<int64_t, int64_t>> kernels_;
};

}  // namespace

size_t layer_of(const Trace& trace, const Evaluations& evaluations, const PlacedExecution& placed) {
  if (placed.evaluation == kNoEvaluation || placed.layer_ordinal >= evaluations.layer_count(placed.evaluation)) {
    return SIZE_MAX;
  }
  const size_t number = evaluations.first_layer[placed.evaluation] + placed.layer_ordinal;
  const Row row = evaluations.layers[number];
  const SpanTable& spans = trace.spans;
  const bool same = row == placed.layer ||
                    (spans.name[row] == spans.name[placed.layer] && spans.type[row] == spans.type[placed.layer]);
  return same ? number : SIZE_MAX;
}

DeviceLatencies device_latencies(const Trace& trace, const Evaluations& evaluations, const Executions& executions,
                                 bool whole_trace) {
  DeviceLatencies latencies;
  bool has_work = false;
  for (const Row row : trace.executions.row) {
    const Kind kind = trace.spans.kind[row];
    has_work |= is_work(kind);
    latencies.has_kernels |= kind == Kind::kKernel && trace.spans.duration(row) > 0;
    latencies.by_events |= kind == Kind::kStreamInterval;
  }
  latencies.by_events &= !has_work;
  if (has_work || latencies.by_events) add_model_latencies(trace, evaluations, executions, &latencies);
  if (has_work) latencies.layers = LayerSums(trace, evaluations, executions, whole_trace).run();
  return latencies;
}

}  // namespace xsp::analysis
