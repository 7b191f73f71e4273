#include <fmt/format.h>

#include "bound/advice/inefficiency_detectors.h"
#include "bound/fusion/fused_group.h"

namespace xsp::bound {

void find_other_order(const EvaluationWork& work, const LayeredModel* model, std::vector<Inefficiency>* found) {
  if (model == nullptr) return;
  const JoinedTrace& trace = *work.trace;
  for (size_t i = 0; i < trace.layers.size(); ++i) {
    // Layers that were found by their sequence are in the model's order by that.
    if (trace.layers[i].joined_by != JoinedBy::kName) continue;
    for (const size_t layer : trace.layers[i].layers) {
      for (const size_t producer : model->layers[layer].producers) {
        const size_t ran = producer < trace.trace_layer_of.size() ? trace.trace_layer_of[producer] : kNoLayer;
        if (ran == kNoLayer || ran <= i || trace.layers[ran].joined_by != JoinedBy::kName) continue;
        Inefficiency& one = found->emplace_back();
        one.kind = InefficiencyKind::kOrder;
        one.trace_layer = i;
        one.layer = trace.layers[i].name;
        one.expected = fmt::format("after {}, which it reads", trace.layers[ran].name);
        one.seen = "before it";
        one.evidence = fmt::format("layers {} and {} of A2", trace.layers[i].index, trace.layers[ran].index);
      }
    }
  }
}

}  // namespace xsp::bound
