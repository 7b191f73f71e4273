#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bound/problems/reference.h"

namespace xsp::bound {
namespace {

double attention_at(const ReferenceInput& input, size_t position) {
  const PlainTensor& query = input.operand(0);
  const PlainTensor& key = input.operand(1);
  const PlainTensor& value = input.operand(2);
  const PlainTensor* mask = input.named("mask");
  const Indices at = indices_of(position, input.result);
  const auto length = static_cast<size_t>(key.dimensions[2]);
  const auto depth = static_cast<size_t>(key.dimensions[3]);
  const auto width = static_cast<size_t>(value.dimensions[3]);
  const auto head = static_cast<size_t>(at[0] * query.dimensions[1] + at[1]);
  const auto row = static_cast<size_t>(at[2]);
  const float* const q = query.values.data() + (head * static_cast<size_t>(query.dimensions[2]) + row) * depth;
  const double scale = input.problem.number("scale", 1);
  std::vector<double> scores(length);
  double largest = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < length; ++i) {
    const float* const k = key.values.data() + (head * length + i) * depth;
    double sum = 0;
    for (size_t d = 0; d < depth; ++d) sum += static_cast<double>(q[d]) * static_cast<double>(k[d]);
    scores[i] = sum * scale;
    if (mask != nullptr) {
      Indices of_score = at;
      of_score[3] = static_cast<int64_t>(i);
      scores[i] += static_cast<double>(mask->values[broadcast_position(of_score, 4, mask->dimensions)]);
    }
    largest = std::max(largest, scores[i]);
  }
  double weights = 0;
  double sum = 0;
  for (size_t i = 0; i < length; ++i) {
    const double weight = std::exp(scores[i] - largest);
    weights += weight;
    sum += weight * static_cast<double>(value.values[(head * length + i) * width + static_cast<size_t>(at[3])]);
  }
  return sum / weights;
}

}  // namespace

ReferenceValue attention_reference(const ReferenceInput& input) {
  return [input](size_t position) { return attention_at(input, position); };
}

}  // namespace xsp::bound
