#include <fmt/format.h>

#include <algorithm>

#include "bound/shapes/operator_table.h"
#include "bound/shapes/value_folding.h"

namespace xsp::bound {
namespace {

Finding of_data(OperatorCall&) { return depends_on_data("the size of its output"); }
Finding no_tensor_value(OperatorCall&) { return Finding::unknown("it makes no tensor but a sequence or an optional"); }
Finding from_sequence(OperatorCall&) { return Finding::unknown("it takes a tensor out of a sequence or an optional"); }

Finding one_value(OperatorCall& call) {
  call.set_shape(0, {});
  return Finding::known();
}

int64_t non_zeros(const ValueFacts& facts) {
  if (facts.integers)
    return std::count_if(facts.integers->begin(), facts.integers->end(), [](auto v) { return v != 0; });
  return std::count_if(facts.numbers->begin(), facts.numbers->end(), [](auto v) { return v != 0; });
}

/// The indices of what is not zero, a row a dimension.
Finding non_zero(OperatorCall& call) {
  const ValueFacts& input = call.input(0);
  if (!input.integers && !input.numbers) return of_data(call);
  call.set_shape(0, {std::max<int64_t>(call.rank(0), 1), non_zeros(input)});
  return Finding::known();
}

void non_zero_values(OperatorCall& call) {
  ValueFacts& output = call.output(0);
  const auto& integers = call.input(0).integers;
  if (!integers || call.rank(0) < 1 || !keeps_values(output)) return;
  const std::vector<int64_t> strides = strides_of(call.shape(0));
  std::vector<int64_t> values;
  for (size_t axis = 0; axis < strides.size(); ++axis)
    for (size_t i = 0; i < integers->size(); ++i)
      if ((*integers)[i] != 0) values.push_back(static_cast<int64_t>(i) / strides[axis] % call.shape(0)[axis]);
  set_integers(&output, std::move(values));
}

/// The slices along an axis whose condition holds; of the flattened input without one.
Finding compress(OperatorCall& call) {
  if (!call.input(1).integers) return of_data(call);
  Dimensions shape = call.shape(0);
  if (call.node().attribute("axis") == nullptr) {
    call.set_shape(0, {non_zeros(call.input(1))});
    return Finding::known();
  }
  int64_t axis = call.node().integer("axis", 0);
  if (!normalize_axis(call.rank(0), &axis)) return no_such_axis(axis, shape);
  shape[static_cast<size_t>(axis)] = non_zeros(call.input(1));
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

void compress_values(OperatorCall& call) {
  ValueFacts& output = call.output(0);
  const auto& condition = call.input(1).integers;
  if (!condition || !keeps_values(output) || (!call.input(0).integers && !call.input(0).numbers)) return;
  // Without an axis all elements are one dimension.
  const Dimensions& from = call.shape(0);
  const bool is_flat = call.node().attribute("axis") == nullptr;
  int64_t axis = call.node().integer("axis", 0);
  if (!is_flat && !normalize_axis(call.rank(0), &axis)) return;
  const auto along = static_cast<size_t>(axis);
  const auto size = static_cast<size_t>(is_flat ? product_of(from) : from[along]);
  const auto inner = static_cast<size_t>(is_flat ? 1 : product_of(from, along + 1, from.size()));
  std::vector<size_t> positions;
  for (size_t i = 0; i < static_cast<size_t>(product_of(from)); ++i) {
    const size_t index = i / inner % size;
    if (index < condition->size() && (*condition)[index] != 0) positions.push_back(i);
  }
  if (static_cast<double>(positions.size()) == output.elements()) pick_values(call.input(0), positions, &output);
}

/// A count for each n-gram of the vocabulary.
Finding count_ngrams(OperatorCall& call) {
  const std::vector<int64_t> indexes = call.node().integers("ngram_indexes");
  Dimensions shape = call.shape(0);
  if (shape.empty() || indexes.empty()) return wrong_rank("the input", shape);
  const int64_t last = *std::max_element(indexes.begin(), indexes.end());
  if (!add_checked(last, 1, &shape.back())) return wrong_rank("the vocabulary", indexes);
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

constexpr OperatorRule kDataDependentRules[] = {
    {"", "Compress", 2, "0", compress, compress_values},
    {"", "ConcatFromSequence", 1, "?", from_sequence, nullptr, OperatorRule::kAnyInput},
    {"", "ImageDecoder", 1, "u8", of_data},
    {"", "NonMaxSuppression", 2, "i64", of_data},
    {"", "NonZero", 1, "i64", non_zero, non_zero_values},
    {"", "Optional", 0, "?", no_tensor_value, nullptr, OperatorRule::kAnyInput},
    {"", "OptionalGetElement", 1, "?", from_sequence, nullptr, OperatorRule::kAnyInput},
    {"", "OptionalHasElement", 0, "bool", one_value, nullptr, OperatorRule::kAnyInput},
    {"", "SequenceAt", 1, "?", from_sequence, nullptr, OperatorRule::kAnyInput},
    {"", "SequenceConstruct", 0, "?", no_tensor_value, nullptr, OperatorRule::kAnyInput},
    {"", "SequenceEmpty", 0, "?", no_tensor_value, nullptr, OperatorRule::kAnyInput},
    {"", "SequenceErase", 0, "?", no_tensor_value, nullptr, OperatorRule::kAnyInput},
    {"", "SequenceInsert", 0, "?", no_tensor_value, nullptr, OperatorRule::kAnyInput},
    {"", "SequenceLength", 0, "i64", one_value, nullptr, OperatorRule::kAnyInput},
    {"", "SequenceMap", 0, "?", no_tensor_value, nullptr, OperatorRule::kAnyInput},
    {"", "SplitToSequence", 0, "?", no_tensor_value, nullptr, OperatorRule::kAnyInput},
    {"", "StringNormalizer", 1, "string", of_data},
    {"", "StringSplit", 1, "string i64", of_data},
    {"", "TfIdfVectorizer", 1, "f32", count_ngrams},
    {"", "Unique", 1, "0 i64", of_data},
    {"com.microsoft", "Unique", 1, "0 i64", of_data},
};

}  // namespace

std::span<const OperatorRule> data_dependent_rules() { return kDataDependentRules; }

}  // namespace xsp::bound
