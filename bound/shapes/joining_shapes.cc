#include <fmt/format.h>

#include <optional>

#include "bound/shapes/operator_table.h"
#include "bound/shapes/value_folding.h"

namespace xsp::bound {
namespace {

/// Joins every `step`-th input from `first` on.
Finding join(OperatorCall& call, size_t first, size_t step) {
  if (!call.has(first)) return Finding::impossible("nothing to join");
  Dimensions shape = call.shape(first);
  int64_t axis = call.node().integer("axis", 1);
  if (!normalize_axis(call.rank(first), &axis)) return no_such_axis(axis, shape);
  const auto along = static_cast<size_t>(axis);
  for (size_t i = first + step; i < call.input_count(); i += step) {
    if (!call.has(i)) return Finding::impossible(fmt::format("input {} is left out", i));
    Dimensions other = call.shape(i);
    if (other.size() == shape.size()) {
      const int64_t size = other[along];
      other[along] = shape[along];
      if (other == shape && add_checked(shape[along], size, &shape[along])) continue;
    }
    return Finding::impossible(
        fmt::format("{} and {} along axis {}", text_of(call.shape(first)), text_of(call.shape(i)), axis));
  }
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

Finding concat(OperatorCall& call) { return join(call, 0, 1); }
/// com.microsoft.QLinearConcat: scale and zero point of the result, then a value with its own for each input.
Finding quantized_concat(OperatorCall& call) { return join(call, 2, 3); }

template <typename T>
void join_values(const OperatorCall& call, std::optional<std::vector<T>> ValueFacts::*values, ValueFacts* output) {
  int64_t axis = call.node().integer("axis", 1);
  if (!normalize_axis(call.rank(0), &axis)) return;
  for (size_t i = 0; i < call.input_count(); ++i)
    if (!(call.input(i).*values)) return;
  const int64_t outer = product_of(output->dimensions, 0, static_cast<size_t>(axis));
  std::vector<T> result;
  for (int64_t k = 0; k < outer; ++k)
    for (size_t i = 0; i < call.input_count(); ++i) {
      const std::vector<T>& part = *(call.input(i).*values);
      const auto length = static_cast<int64_t>(part.size()) / outer;
      result.insert(result.end(), part.begin() + k * length, part.begin() + (k + 1) * length);
    }
  output->*values = std::move(result);
}

void concat_values(OperatorCall& call) {
  if (!keeps_values(call.output(0))) return;
  join_values(call, &ValueFacts::integers, &call.output(0));
  join_values(call, &ValueFacts::numbers, &call.output(0));
}

/// Sizes of the parts along the axis.
Finding parts_of(const OperatorCall& call, int64_t size, std::vector<int64_t>* parts) {
  GivenList given = call.list(1, "split");
  if (!given.is_known) return depends_on_data("the size of its parts");
  if (given.is_given) {
    *parts = std::move(given.values);
    int64_t sum = 0;
    for (const int64_t part : *parts)
      if (part < 0 || !add_checked(sum, part, &sum)) return Finding::impossible("a part of negative size");
    if (sum != size || parts->size() != call.output_count())
      return Finding::impossible(fmt::format("{} in parts of {}", size, text_of(*parts)));
    return Finding::known();
  }
  // Equal parts; from opset 18 on the last one may be smaller.
  const auto count = static_cast<int64_t>(call.output_count());
  if (count < 1) return Finding::impossible("no outputs");
  const int64_t part = size / count + (size % count != 0 ? 1 : 0);
  const int64_t last = size - part * (count - 1);
  if (last < 0 || (last != part && call.opset() < 18))
    return Finding::impossible(fmt::format("{} in {} equal parts", size, count));
  parts->assign(static_cast<size_t>(count), part);
  parts->back() = last;
  return Finding::known();
}

Finding split(OperatorCall& call) {
  const Dimensions& from = call.shape(0);
  int64_t axis = call.node().integer("axis", 0);
  if (!normalize_axis(call.rank(0), &axis)) return no_such_axis(axis, from);
  const auto along = static_cast<size_t>(axis);
  std::vector<int64_t> parts;
  Finding finding = parts_of(call, from[along], &parts);
  if (!finding.is_known()) return finding;
  for (size_t i = 0; i < parts.size(); ++i) {
    Dimensions shape = from;
    shape[along] = parts[i];
    call.set_shape(i, std::move(shape));
  }
  return finding;
}

void split_values(OperatorCall& call) {
  const ValueFacts& input = call.input(0);
  if (!input.integers && !input.numbers) return;
  int64_t axis = call.node().integer("axis", 0);
  if (!normalize_axis(call.rank(0), &axis)) return;
  const std::vector<int64_t> strides = strides_of(input.dimensions);
  const auto along = static_cast<size_t>(axis);
  int64_t base = 0;
  for (size_t i = 0; i < call.output_count(); ++i) {
    ValueFacts& output = call.output(i);
    if (keeps_values(output)) pick_values(input, strided_positions(output.dimensions, strides, base), &output);
    base += output.dimensions[along] * strides[along];
  }
}

Finding pad(OperatorCall& call) {
  const Dimensions& from = call.shape(0);
  GivenList pads = call.list(1, call.node().attribute("pads") != nullptr ? "pads" : "paddings");
  GivenList axes = call.list(3, "");
  if (!pads.is_known || !axes.is_known) return depends_on_data("how far it pads");
  if (!axes.is_given)
    for (int64_t i = 0; i < call.rank(0); ++i) axes.values.push_back(i);
  const size_t count = axes.values.size();
  if (pads.values.size() != 2 * count)
    return Finding::impossible(fmt::format("pads {} of {}", text_of(pads.values), text_of(from)));
  Dimensions shape = from;
  for (size_t i = 0; i < count; ++i) {
    int64_t axis = axes.values[i];
    if (!normalize_axis(call.rank(0), &axis)) return no_such_axis(axis, from);
    int64_t& size = shape[static_cast<size_t>(axis)];
    if (!add_checked(size, pads.values[i], &size) || !add_checked(size, pads.values[count + i], &size) || size < 0)
      return Finding::impossible(fmt::format("pads {} of {}", text_of(pads.values), text_of(from)));
  }
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

Finding center_crop_pad(OperatorCall& call) {
  const GivenList wanted = call.list(1, "");
  if (!wanted.is_known) return depends_on_data("its shape");
  Dimensions shape = call.shape(0);
  std::vector<int64_t> axes = call.node().integers("axes");
  if (axes.empty())
    for (int64_t i = 0; i < call.rank(0); ++i) axes.push_back(i);
  if (axes.size() != wanted.values.size()) return wrong_rank("the input", shape);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!normalize_axis(call.rank(0), &axes[i])) return no_such_axis(axes[i], shape);
    shape[static_cast<size_t>(axes[i])] = wanted.values[i];
  }
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

constexpr OperatorRule kJoiningRules[] = {
    {"", "CenterCropPad", 2, "0", center_crop_pad},
    {"", "Concat", 1, "0", concat, concat_values},
    {"", "Pad", 1, "0", pad},
    {"", "Split", 1, "0", split, split_values},
    {"com.microsoft", "Pad", 1, "0", pad},
    {"com.microsoft", "QLinearConcat", 3, "1", quantized_concat},
};

}  // namespace

std::span<const OperatorRule> joining_rules() { return kJoiningRules; }

}  // namespace xsp::bound
