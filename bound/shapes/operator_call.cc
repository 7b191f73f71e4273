#include "bound/shapes/operator_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace xsp::bound {

OperatorCall::OperatorCall(const Node& node, int64_t opset, std::vector<const ValueFacts*> inputs)
    : node_(&node), opset_(opset), inputs_(std::move(inputs)), outputs_(node.outputs.size()) {}

void OperatorCall::set_shape(size_t index, Dimensions dimensions) {
  if (index >= outputs_.size()) return;
  outputs_[index].has_shape = true;
  outputs_[index].dimensions = std::move(dimensions);
}

GivenList OperatorCall::list(size_t index, std::string_view attribute) const {
  GivenList list;
  if (has(index)) {
    const ValueFacts& values = input(index);
    list.is_given = true;
    list.is_known = values.integers.has_value();
    if (list.is_known) list.values = *values.integers;
    return list;
  }
  if (const Attribute* found = attribute.empty() ? nullptr : node_->attribute(attribute)) {
    list.is_given = true;
    list.values = found->kind == Attribute::Kind::kInteger ? std::vector<int64_t>{found->integer} : found->integers;
  }
  return list;
}

std::string text_of(const Dimensions& dimensions) {
  constexpr size_t kMost = 16;
  if (dimensions.size() <= kMost) return fmt::format("[{}]", fmt::join(dimensions, ","));
  return fmt::format("[{},…]", fmt::join(dimensions.begin(), dimensions.begin() + kMost, ","));
}

bool normalize_axis(int64_t rank, int64_t* axis) {
  if (*axis < -rank || *axis >= rank) return false;
  if (*axis < 0) *axis += rank;
  return true;
}

bool normalize_axes(int64_t rank, std::vector<int64_t>* axes) {
  for (int64_t& axis : *axes)
    if (!normalize_axis(rank, &axis)) return false;
  std::sort(axes->begin(), axes->end());
  return std::adjacent_find(axes->begin(), axes->end()) == axes->end();
}

bool broadcast(const Dimensions& left, const Dimensions& right, Dimensions* result) {
  const Dimensions& longer = left.size() >= right.size() ? left : right;
  const Dimensions& shorter = left.size() >= right.size() ? right : left;
  Dimensions made = longer;
  const size_t offset = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    int64_t& size = made[offset + i];
    if (size == shorter[i] || shorter[i] == 1) continue;
    if (size != 1) return false;
    size = shorter[i];
  }
  *result = std::move(made);
  return true;
}

int64_t product_of(const Dimensions& dimensions, size_t begin, size_t end) {
  int64_t product = 1;
  bool overflow = false;
  for (size_t i = begin; i < end; ++i) {
    if (dimensions[i] == 0) return 0;
    if (!overflow && !multiply_checked(product, dimensions[i], &product)) overflow = true;
  }
  return overflow ? std::numeric_limits<int64_t>::max() : product;
}

bool add_checked(int64_t left, int64_t right, int64_t* sum) { return !__builtin_add_overflow(left, right, sum); }

bool subtract_checked(int64_t left, int64_t right, int64_t* difference) {
  return !__builtin_sub_overflow(left, right, difference);
}

bool multiply_checked(int64_t left, int64_t right, int64_t* product) {
  return !__builtin_mul_overflow(left, right, product);
}

Finding depends_on_data(std::string_view what) { return Finding::unknown(fmt::format("{} depends on data", what)); }

Finding no_such_axis(int64_t axis, const Dimensions& shape) {
  return Finding::impossible(fmt::format("axis {} of {}", axis, text_of(shape)));
}

Finding wrong_rank(std::string_view what, const Dimensions& shape) {
  return Finding::impossible(fmt::format("{} is {}, of another rank than the operator takes", what, text_of(shape)));
}

}  // namespace xsp::bound
