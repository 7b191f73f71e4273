#include <algorithm>
#include <limits>

#include "bound/problems/reference.h"

namespace xsp::bound {
namespace {

struct PoolingPlan {
  Window window;
  const PlainTensor* source;
  Dimensions result;
  std::vector<size_t> source_strides, kernel_strides;
};

PoolingPlan pooling_plan(const ReferenceInput& input) {
  PoolingPlan plan;
  plan.source = &input.operand(0);
  plan.result = input.result;
  plan.window = window_of(input.problem, input.problem.dimensions("kernel")).value_or(Window());
  plan.source_strides = row_major_strides(plan.source->dimensions);
  plan.kernel_strides = row_major_strides(plan.window.kernel);
  return plan;
}

/// Calls `take` with each value that the window sees, the padding left out.
template <typename Take>
void visit_window(const PoolingPlan& plan, size_t position, const Take& take) {
  const Indices indices = indices_of(position, plan.result);
  const size_t channel = static_cast<size_t>(indices[0]) * plan.source_strides[0] +
                         static_cast<size_t>(indices[1]) * plan.source_strides[1];
  const int64_t taps = plan.window.elements();
  for (int64_t tap = 0; tap < taps; ++tap) {
    size_t offset = channel;
    bool is_inside = true;
    for (size_t i = 0; i < plan.window.rank() && is_inside; ++i) {
      const int64_t in_kernel = tap / static_cast<int64_t>(plan.kernel_strides[i]) % plan.window.kernel[i];
      const int64_t at =
          indices[i + 2] * plan.window.strides[i] - plan.window.pads_begin[i] + in_kernel * plan.window.dilations[i];
      is_inside = at >= 0 && at < plan.source->dimensions[i + 2];
      if (is_inside) offset += static_cast<size_t>(at) * plan.source_strides[i + 2];
    }
    if (is_inside) take(static_cast<double>(plan.source->values[offset]));
  }
}

}  // namespace

ReferenceValue max_pooling_reference(const ReferenceInput& input) {
  return [plan = pooling_plan(input)](size_t position) {
    double largest = -std::numeric_limits<double>::infinity();
    visit_window(plan, position, [&largest](double value) { largest = std::max(largest, value); });
    return largest;
  };
}

ReferenceValue average_pooling_reference(const ReferenceInput& input) {
  const bool counts_padding = input.problem.integer("include_pad") != 0;
  return [plan = pooling_plan(input), counts_padding](size_t position) {
    double sum = 0;
    int64_t count = 0;
    visit_window(plan, position, [&](double value) {
      sum += value;
      ++count;
    });
    if (counts_padding) count = plan.window.elements();
    return sum / static_cast<double>(count);
  };
}

}  // namespace xsp::bound
