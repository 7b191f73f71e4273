#include "analysis/timeline/backward_work.h"
#include "analysis/timeline/intervals.h"

#include <algorithm>
#include <utility>

namespace xsp::analysis {
namespace {

class BackwardSums {
 public:
  BackwardSums(const Trace& trace, const Parents& parents, const Evaluations& evaluations, const Executions& executions)
      : trace_(trace), spans_(trace.spans), parents_(parents), evaluations_(evaluations), executions_(executions) {}

  BackwardWork run() {
    BackwardWork work;
    std::vector<int64_t> on_host(evaluations_.layers.size() + evaluations_.loose_layers.size() +
                                 evaluations_.failed_layers.size());
    bool is_linked = false;
    for (Row row = 0; row < parents_.forward.size(); ++row) {
      if (parents_.forward[row] == kNoRow || !is_outermost(row)) continue;
      const Row layer = layer_of_forward(parents_.forward[row]);
      // Sums of gradients are of parameters and have no forward operator.
      if (layer == kNoRow && is_accumulation(row)) continue;
      ++work.spans;
      if (layer == kNoRow) {
        ++work.without_layer;
        continue;
      }
      is_linked = true;
      on_host[evaluations_.number[layer]] += spans_.duration(row);
    }
    if (!is_linked) return work;
    work.ns = has_kernels() ? sum_kernels(on_host.size()) : std::move(on_host);
    return work;
  }

 private:
  bool is_outermost(Row row) const {
    Row above = parents_.of[row];
    for (int depth = 0; above != kNoRow && depth < kMaxDepth; ++depth, above = parents_.of[above]) {
      if (parents_.forward_of(above) != kNoRow) return false;
    }
    return true;
  }

  /// The gradient of a gradient leads over the first backward pass to the forward span.
  Row layer_of_forward(Row forward) const {
    constexpr int kMaxPasses = 4;
    for (int pass = 0; pass < kMaxPasses && forward < kUnknownForward; ++pass) {
      Row next = kNoRow;
      Row row = forward;
      for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth, row = parents_.of[row]) {
        if (spans_.level[row] == Level::kLayer && evaluations_.number[row] != kNoNumber) return row;
        if (next == kNoRow) next = parents_.forward_of(row);
      }
      forward = next;
    }
    return kNoRow;
  }

  bool is_accumulation(Row row) const {
    // Of the node itself and of the engine's span around it.
    const std::string_view name = trace_.text(spans_.name[row]);
    return name == "AccumulateGrad" || name.ends_with("::AccumulateGrad");
  }

  bool has_kernels() const {
    return std::any_of(trace_.executions.row.begin(), trace_.executions.row.end(),
                       [&](Row row) { return spans_.kind[row] == Kind::kKernel; });
  }

  std::vector<int64_t> sum_kernels(size_t layers) const {
    std::vector<std::pair<uint32_t, uint32_t>> kernels;  // layer and execution
    for (uint32_t i = 0; i < executions_.placed.size(); ++i) {
      const PlacedExecution& placed = executions_.placed[i];
      if (!placed.backward || placed.layer == kNoRow) continue;
      if (spans_.kind[trace_.executions.row[i]] == Kind::kKernel) {
        kernels.emplace_back(evaluations_.number[placed.layer], i);
      }
    }
    std::sort(kernels.begin(), kernels.end());
    std::vector<int64_t> sums(layers);
    std::vector<std::pair<int64_t, int64_t>> of_layer;
    for (size_t i = 0; i < kernels.size(); ++i) {
      const Row row = trace_.executions.row[kernels[i].second];
      of_layer.emplace_back(spans_.begin[row], spans_.end[row]);
      if (i + 1 < kernels.size() && kernels[i + 1].first == kernels[i].first) continue;
      sums[kernels[i].first] = union_length(&of_layer);
      of_layer.clear();
    }
    return sums;
  }

  const Trace& trace_;
  const SpanTable& spans_;
  const Parents& parents_;
  const Evaluations& evaluations_;
  const Executions& executions_;
};

}  // namespace

BackwardWork find_backward_work(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                                const Executions& executions) {
  return BackwardSums(trace, parents, evaluations, executions).run();
}

}  // namespace xsp::analysis
