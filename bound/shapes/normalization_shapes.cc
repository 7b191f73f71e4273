#include "bound/shapes/operator_table.h"

namespace xsp::bound {
namespace {

/// Further outputs (statistics) have the shape of the mean.
Finding batch_normalization(OperatorCall& call) {
  if (call.rank(0) < 1) return wrong_rank("the input", call.shape(0));
  call.set_shape(0, call.shape(0));
  for (size_t i = 1; i < call.output_count(); ++i) call.set_shape(i, call.shape(3));
  return Finding::known();
}

/// The input's shape with everything from the axis on as 1.
Finding statistics_shape(const OperatorCall& call, Dimensions* shape) {
  *shape = call.shape(0);
  int64_t axis = call.node().integer("axis", -1);
  if (!normalize_axis(call.rank(0), &axis)) return no_such_axis(axis, *shape);
  for (auto i = static_cast<size_t>(axis); i < shape->size(); ++i) (*shape)[i] = 1;
  return Finding::known();
}

/// The result, then mean and deviation.
Finding layer_normalization(OperatorCall& call) {
  Dimensions statistics;
  Finding finding = statistics_shape(call, &statistics);
  if (!finding.is_known()) return finding;
  call.set_shape(0, call.shape(0));
  for (size_t i = 1; i < call.output_count(); ++i) call.set_shape(i, statistics);
  return finding;
}

/// com.microsoft.SkipLayerNormalization: the result, mean, deviation, and the sum that was normalized.
Finding skip_layer_normalization(OperatorCall& call) {
  Finding finding = layer_normalization(call);
  if (finding.is_known()) call.set_shape(3, call.shape(0));
  return finding;
}

/// com.microsoft.EmbedLayerNormalization: words, positions and segments looked up, added and normalized.
Finding embed_layer_normalization(OperatorCall& call) {
  if (call.rank(0) != 2) return wrong_rank("the words", call.shape(0));
  if (call.rank(2) != 2) return wrong_rank("the embedding", call.shape(2));
  const Dimensions shape = {call.shape(0)[0], call.shape(0)[1], call.shape(2)[1]};
  call.set_shape(0, shape);
  call.set_shape(1, {call.shape(0)[0]});
  call.set_shape(2, shape);
  return Finding::known();
}

constexpr OperatorRule kNormalizationRules[] = {
    {"", "BatchNormalization", 5, "0 3", batch_normalization},
    {"", "GroupNormalization", 3, "0", same_shape},
    {"", "InstanceNormalization", 3, "0", same_shape},
    {"", "LRN", 1, "0", same_shape},
    {"", "LayerNormalization", 2, "0 @stash_type:f32", layer_normalization},
    {"", "LpNormalization", 1, "0", same_shape},
    {"", "MeanVarianceNormalization", 1, "0", same_shape},
    {"", "RMSNormalization", 2, "1", same_shape},
    {"", "SimplifiedLayerNormalization", 2, "1 @stash_type:f32", layer_normalization},
    {"com.microsoft", "EmbedLayerNormalization", 3, "2 i32 2", embed_layer_normalization},
    {"com.microsoft", "GroupNorm", 3, "0", same_shape},
    {"com.microsoft", "SkipLayerNormalization", 3, "0 f32 f32 0", skip_layer_normalization},
    {"com.microsoft", "SkipSimplifiedLayerNormalization", 3, "0 f32 f32 0", skip_layer_normalization},
};

}  // namespace

std::span<const OperatorRule> normalization_rules() { return kNormalizationRules; }

}  // namespace xsp::bound
