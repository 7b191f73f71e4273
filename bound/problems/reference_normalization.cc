#include <algorithm>
#include <cmath>
#include <limits>

#include "bound/problems/reference.h"

namespace xsp::bound {
namespace {

/// The elements that are normalized together with one: `count` of them, `stride` apart, from `begin` on.
struct Line {
  size_t begin, stride, count;
};

Line line_along(const Dimensions& dimensions, size_t axis, size_t position) {
  const size_t stride = row_major_strides(dimensions)[axis];
  const auto count = static_cast<size_t>(dimensions[axis]);
  return {position - position / stride % count * stride, stride, count};
}

double value_of(const PlainTensor& tensor, size_t position) { return static_cast<double>(tensor.values[position]); }

/// Of what `summed` gives at each position, the elements from the axis on together.
template <typename Summed>
ReferenceValue normalized(const ReferenceInput& input, Summed summed) {
  const double epsilon = input.problem.number("eps", kUsualEpsilon);
  const PlainTensor* scale = input.named("scale");
  const PlainTensor* bias = input.named("bias");
  const size_t inner = scale->elements();
  return [=](size_t position) {
    const size_t begin = position - position % inner;
    double sum = 0;
    for (size_t i = 0; i < inner; ++i) sum += summed(begin + i);
    const double mean = sum / static_cast<double>(inner);
    double squares = 0;
    for (size_t i = 0; i < inner; ++i) {
      const double difference = summed(begin + i) - mean;
      squares += difference * difference;
    }
    const double deviation = std::sqrt(squares / static_cast<double>(inner) + epsilon);
    return (summed(position) - mean) / deviation * value_of(*scale, position % inner) +
           (bias == nullptr ? 0 : value_of(*bias, position % inner));
  };
}

}  // namespace

ReferenceValue softmax_reference(const ReferenceInput& input) {
  const auto axis = static_cast<size_t>(input.problem.integer("axis"));
  const bool is_log = input.problem.integer("log") != 0;
  return [&source = input.operand(0), dimensions = input.result, axis, is_log](size_t position) {
    const Line line = line_along(dimensions, axis, position);
    double largest = -std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < line.count; ++i) largest = std::max(largest, value_of(source, line.begin + i * line.stride));
    double sum = 0;
    for (size_t i = 0; i < line.count; ++i) sum += std::exp(value_of(source, line.begin + i * line.stride) - largest);
    const double shifted = value_of(source, position) - largest;
    return is_log ? shifted - std::log(sum) : std::exp(shifted) / sum;
  };
}

ReferenceValue batch_norm_reference(const ReferenceInput& input) {
  const double epsilon = input.problem.number("eps", kUsualEpsilon);
  return [input, epsilon](size_t position) {
    const auto channel = static_cast<size_t>(indices_of(position, input.result)[1]);
    const auto of_channel = [&](size_t operand) { return value_of(input.operand(operand), channel); };
    const double normalized =
        (value_of(input.operand(0), position) - of_channel(3)) / std::sqrt(of_channel(4) + epsilon);
    return normalized * of_channel(1) + of_channel(2);
  };
}

ReferenceValue layer_norm_reference(const ReferenceInput& input) {
  return normalized(input, [&source = input.operand(0)](size_t position) { return value_of(source, position); });
}

ReferenceValue added_norm_reference(const ReferenceInput& input) {
  const PlainTensor* row = input.named("row");
  const size_t inner = input.named("scale")->elements();
  return normalized(input, [input, row, inner](size_t position) {
    const double sum = value_of(input.operand(0), position) + value_of(input.operand(1), position);
    return sum + (row == nullptr ? 0 : value_of(*row, position % inner));
  });
}

ReferenceValue response_norm_reference(const ReferenceInput& input) {
  const int64_t size = input.problem.integer("size");
  const double alpha = input.problem.number("alpha", kUsualLrnAlpha);
  const double beta = input.problem.number("beta", kUsualLrnBeta);
  const double bias = input.problem.number("bias", kUsualLrnBias);
  return [&source = input.operand(0), dimensions = input.result, size, alpha, beta, bias](size_t position) {
    const Line line = line_along(dimensions, 1, position);
    const auto channel = static_cast<int64_t>((position - line.begin) / line.stride);
    const auto last = static_cast<int64_t>(line.count) - 1;
    const int64_t before = (size - 1) / 2;
    const int64_t from = std::max<int64_t>(0, channel - before);
    const int64_t to = std::min(last, channel + (size - 1 - before));
    double squares = 0;
    for (int64_t c = from; c <= to; ++c) {
      const double value = value_of(source, line.begin + static_cast<size_t>(c) * line.stride);
      squares += value * value;
    }
    return value_of(source, position) / std::pow(bias + alpha / static_cast<double>(size) * squares, beta);
  };
}

}  // namespace xsp::bound
