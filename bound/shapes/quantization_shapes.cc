#include <fmt/format.h>

#include <algorithm>

#include "bound/shapes/operator_table.h"

namespace xsp::bound {
namespace {

/// The quantized tensor, its scale and its zero point.
Finding dynamic_quantize(OperatorCall& call) {
  call.set_shape(0, call.shape(0));
  call.set_shape(1, {});
  call.set_shape(2, {});
  return Finding::known();
}

Finding broadcast_two(OperatorCall& call, size_t left, size_t right) {
  if (!call.has(left) || !call.has(right)) return Finding::impossible("an operand is left out");
  Dimensions shape;
  if (!broadcast(call.shape(left), call.shape(right), &shape))
    return Finding::impossible(
        fmt::format("{} and {} do not broadcast", text_of(call.shape(left)), text_of(call.shape(right))));
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

/// com.microsoft.QLinearAdd, QLinearMul: each operand is followed by its scale and zero point.
Finding quantized_binary(OperatorCall& call) { return broadcast_two(call, 0, 3); }

/// com.microsoft.QLinearWhere: the condition, then the same.
Finding quantized_where(OperatorCall& call) {
  Finding finding = broadcast_two(call, 1, 4);
  if (!finding.is_known()) return finding;
  Dimensions shape = call.output(0).dimensions;
  if (!broadcast(shape, call.shape(0), &shape)) return wrong_rank("the condition", call.shape(0));
  call.set_shape(0, std::move(shape));
  return finding;
}

Finding quantized_mean(OperatorCall& call) {
  std::vector<int64_t> axes = call.node().integers("axes");
  if (axes.empty())
    for (int64_t i = 0; i < call.rank(0); ++i) axes.push_back(i);
  if (!normalize_axes(call.rank(0), &axes)) return wrong_rank("the input", call.shape(0));
  const bool keeps = call.node().integer("keepdims", 1) != 0;
  Dimensions shape;
  for (int64_t i = 0; i < call.rank(0); ++i) {
    const bool is_reduced = std::binary_search(axes.begin(), axes.end(), i);
    if (!is_reduced || keeps) shape.push_back(is_reduced ? 1 : call.shape(0)[static_cast<size_t>(i)]);
  }
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

constexpr OperatorRule kQuantizationRules[] = {
    {"", "DequantizeLinear", 2, "@output_dtype:1", same_shape},
    {"", "DynamicQuantizeLinear", 1, "u8 f32 u8", dynamic_quantize},
    {"", "QuantizeLinear", 2, "2:@output_dtype:u8", same_shape},
    {"com.microsoft", "DequantizeLinear", 2, "1", same_shape},
    {"com.microsoft", "QLinearAdd", 2, "0", quantized_binary},
    {"com.microsoft", "QLinearLeakyRelu", 1, "0", same_shape},
    {"com.microsoft", "QLinearMul", 2, "0", quantized_binary},
    {"com.microsoft", "QLinearReduceMean", 1, "0", quantized_mean},
    {"com.microsoft", "QLinearSigmoid", 1, "0", same_shape},
    {"com.microsoft", "QLinearSoftmax", 1, "0", same_shape},
    {"com.microsoft", "QLinearWhere", 2, "1", quantized_where},
    {"com.microsoft", "QuantizeLinear", 2, "2:u8", same_shape},
};

}  // namespace

std::span<const OperatorRule> quantization_rules() { return kQuantizationRules; }

}  // namespace xsp::bound
