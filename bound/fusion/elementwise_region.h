#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "bound/fusion/known_function.h"
#include "bound/fusion/model_graph.h"

namespace xsp::bound {

/// How many layers with work an elementwise group may have: longer chains are several groups.
inline constexpr size_t kMostElementwiseLayers = 16;

/// Elementwise layers behind a value that nothing outside reads, up to one result.
struct ElementwiseRegion {
  std::vector<size_t> layers;  // ascending, at least one with work; those without work (Identity, Dropout) included
  size_t with_work = 0;
  const GraphValue* result = nullptr;
  /// What the region computes from the value alone, at the probes; nothing where it reads other tensors.
  std::optional<ProbeValues> values;
};

/// Calls `visit` for each region behind `from`, the shortest first, until it returns false. `takes_tensors`: operands
/// from outside may be tensors; else only constants that are one number. Results have the shape of `from`. What many
/// layers read (more than eight) has none.
void visit_regions(const ModelGraph& graph, const GraphValue& from, bool takes_tensors,
                   const std::function<bool(const ElementwiseRegion&)>& visit);

/// Whether a layer is an operation on single elements of one or two tensors, other than a copy.
bool is_elementwise(const ModelGraph& graph, size_t layer);

/// Of a layer that is an activation of its first input and nothing else.
std::optional<PostStep> activation_of(const ModelGraph& graph, size_t layer);

/// What an activation of a value comes to, computed by one layer or several.
struct Activation {
  PostStep step;
  std::vector<size_t> layers;
  const GraphValue* result = nullptr;
};
/// Nothing where the value is read by anything else.
std::optional<Activation> activation_behind(const ModelGraph& graph, const GraphValue& value);

}  // namespace xsp::bound
