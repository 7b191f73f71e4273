#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "bound/shapes/operator_table.h"
#include "bound/shapes/value_folding.h"

namespace xsp::bound {
namespace {

/// What a Slice takes of each dimension: from `begin` on, every `step`, `count` in all.
struct Cut {
  std::vector<int64_t> begins, steps;
  Dimensions counts;
};

/// One dimension: begin and end are clamped to it, and may count from its end.
void cut_dimension(int64_t size, int64_t begin, int64_t end, int64_t step, size_t axis, Cut* cut) {
  if (begin < 0) begin += size;
  if (end < 0) end += size;
  const bool forward = step > 0;
  begin = std::clamp<int64_t>(begin, 0, forward ? size : std::max<int64_t>(size - 1, 0));
  end = std::clamp<int64_t>(end, forward ? 0 : -1, size);
  const int64_t length = std::max<int64_t>(forward ? end - begin : begin - end, 0);
  const int64_t stride = forward                                       ? step
                         : step == std::numeric_limits<int64_t>::min() ? std::numeric_limits<int64_t>::max()
                                                                       : -step;
  cut->begins[axis] = begin;
  cut->steps[axis] = step;
  cut->counts[axis] = size == 0 ? 0 : length / stride + (length % stride != 0 ? 1 : 0);
}

Finding read_cut(const OperatorCall& call, Cut* cut) {
  const GivenList starts = call.list(1, "starts");
  const GivenList ends = call.list(2, "ends");
  GivenList axes = call.list(3, "axes");
  GivenList steps = call.list(4, "steps");
  if (!starts.is_known) return depends_on_data("where it starts");
  if (!ends.is_known) return depends_on_data("where it ends");
  if (!axes.is_known || !steps.is_known) return depends_on_data("which of its dimensions it cuts");
  const Dimensions& from = call.shape(0);
  const size_t count = starts.values.size();
  if (!axes.is_given)
    for (size_t i = 0; i < count; ++i) axes.values.push_back(static_cast<int64_t>(i));
  if (!steps.is_given) steps.values.assign(count, 1);
  if (ends.values.size() != count || axes.values.size() != count || steps.values.size() != count)
    return Finding::impossible("its lists of starts, ends, axes and steps differ in length");
  cut->counts = from;
  cut->begins.assign(from.size(), 0);
  cut->steps.assign(from.size(), 1);
  for (size_t i = 0; i < count; ++i) {
    int64_t axis = axes.values[i];
    if (!normalize_axis(call.rank(0), &axis)) return no_such_axis(axis, from);
    if (steps.values[i] == 0) return Finding::impossible("a step of 0");
    const auto index = static_cast<size_t>(axis);
    cut_dimension(from[index], starts.values[i], ends.values[i], steps.values[i], index, cut);
  }
  return Finding::known();
}

Finding slice(OperatorCall& call) {
  Cut cut;
  Finding finding = read_cut(call, &cut);
  if (finding.is_known()) call.set_shape(0, std::move(cut.counts));
  return finding;
}

void slice_values(OperatorCall& call) {
  Cut cut;
  if (!keeps_values(call.output(0)) || !read_cut(call, &cut).is_known()) return;
  if (!call.input(0).integers && !call.input(0).numbers) return;
  std::vector<int64_t> strides = strides_of(call.shape(0));
  int64_t base = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    base += cut.begins[i] * strides[i];
    // A step over more than the dimension is never taken.
    strides[i] = cut.counts[i] > 1 ? strides[i] * cut.steps[i] : 0;
  }
  pick_values(call.input(0), strided_positions(cut.counts, strides, base), &call.output(0));
}

Finding gather(OperatorCall& call) {
  const Dimensions& data = call.shape(0);
  int64_t axis = call.node().integer("axis", 0);
  if (!normalize_axis(call.rank(0), &axis)) return no_such_axis(axis, data);
  Dimensions shape(data.begin(), data.begin() + axis);
  shape.insert(shape.end(), call.shape(1).begin(), call.shape(1).end());
  shape.insert(shape.end(), data.begin() + axis + 1, data.end());
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

void gather_values(OperatorCall& call) {
  if (!keeps_values(call.output(0)) || !call.input(1).integers) return;
  if (!call.input(0).integers && !call.input(0).numbers) return;
  const Dimensions& data = call.shape(0);
  int64_t axis = call.node().integer("axis", 0);
  if (!normalize_axis(call.rank(0), &axis)) return;
  const auto split = static_cast<size_t>(axis);
  const int64_t size = data[split];
  const int64_t inner = product_of(data, split + 1, data.size());
  const int64_t outer = product_of(data, 0, split);
  std::vector<size_t> positions;
  for (int64_t before = 0; before < outer; ++before)
    for (int64_t index : *call.input(1).integers) {
      if (!normalize_axis(size, &index)) return;
      for (int64_t behind = 0; behind < inner; ++behind)
        positions.push_back(static_cast<size_t>((before * size + index) * inner + behind));
    }
  pick_values(call.input(0), positions, &call.output(0));
}

Finding gather_elements(OperatorCall& call) {
  if (call.rank(0) != call.rank(1)) return wrong_rank("the indices", call.shape(1));
  call.set_shape(0, call.shape(1));
  return Finding::known();
}

Finding gather_nd(OperatorCall& call) {
  const Dimensions& data = call.shape(0);
  const Dimensions& indices = call.shape(1);
  const int64_t batch = call.node().integer("batch_dims", 0);
  const Finding wrong = Finding::impossible(fmt::format("indices {} into {}", text_of(indices), text_of(data)));
  if (indices.empty() || batch < 0 || batch >= call.rank(1) || batch > call.rank(0)) return wrong;
  if (indices.back() > call.rank(0) - batch) return wrong;
  Dimensions shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), data.begin() + batch + indices.back(), data.end());
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

/// Values of a small ScatterND that replaces whole elements or rows.
void scatter_nd_values(OperatorCall& call) {
  ValueFacts& output = call.output(0);
  const auto& indices = call.input(1).integers;
  if (!keeps_values(output) || !indices || call.rank(1) < 1 || call.node().text("reduction", "none") != "none") return;
  const Dimensions& data = call.shape(0);
  const auto depth = static_cast<size_t>(call.shape(1).back());
  if (depth == 0 || depth > data.size()) return;
  const std::vector<int64_t> strides = strides_of(data);
  const auto row = static_cast<size_t>(product_of(data, depth, data.size()));
  std::vector<size_t> targets;
  for (size_t i = 0; i + depth <= indices->size(); i += depth) {
    int64_t base = 0;
    for (size_t k = 0; k < depth; ++k) {
      int64_t index = (*indices)[i + k];
      if (!normalize_axis(data[k], &index)) return;
      base += index * strides[k];
    }
    for (size_t k = 0; k < row; ++k) targets.push_back(static_cast<size_t>(base) + k);
  }
  const auto replace = [&](const auto& old, const auto& updates, auto* result) {
    if (!old || !updates || updates->size() != targets.size()) return;
    *result = old;
    for (size_t k = 0; k < targets.size(); ++k) (**result)[targets[k]] = (*updates)[k];
  };
  replace(call.input(0).integers, call.input(2).integers, &output.integers);
  replace(call.input(0).numbers, call.input(2).numbers, &output.numbers);
}

/// com.microsoft.GatherBlockQuantized is left out: its packing differs between versions.
constexpr OperatorRule kSelectionRules[] = {
    {"", "Gather", 2, "0", gather, gather_values},
    {"", "GatherElements", 2, "0", gather_elements},
    {"", "GatherND", 2, "0", gather_nd},
    {"", "ReverseSequence", 1, "0", same_shape},
    {"", "Scatter", 1, "0", same_shape},
    {"", "ScatterElements", 1, "0", same_shape},
    {"", "ScatterND", 3, "0", same_shape, scatter_nd_values},
    {"", "Slice", 1, "0", slice, slice_values},
    {"", "TensorScatter", 2, "0", same_shape},
    {"", "Trilu", 1, "0", same_shape},
    {"com.microsoft", "GatherND", 2, "0", gather_nd},
    {"com.microsoft", "Trilu", 1, "0", same_shape},
};

}  // namespace

std::span<const OperatorRule> selection_rules() { return kSelectionRules; }

}  // namespace xsp::bound
