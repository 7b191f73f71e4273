#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bound/shapes/arithmetic_values.h"
#include "bound/shapes/operator_table.h"

namespace xsp::bound {
namespace {

/// The reduced dimensions in order: none given means all, unless the node says that it means none.
Finding reduced_axes(const OperatorCall& call, std::vector<int64_t>* axes) {
  GivenList given = call.list(1, "axes");
  if (!given.is_known) return depends_on_data("the list of its axes");
  if (given.values.empty() && call.node().integer("noop_with_empty_axes", 0) == 0) {
    given.values.resize(static_cast<size_t>(call.rank(0)));
    std::iota(given.values.begin(), given.values.end(), 0);
  }
  if (!normalize_axes(call.rank(0), &given.values))
    return Finding::impossible(fmt::format("axes {} of {}", text_of(given.values), text_of(call.shape(0))));
  *axes = std::move(given.values);
  return Finding::known();
}

Dimensions without(const Dimensions& from, const std::vector<int64_t>& axes, bool keeps) {
  Dimensions shape;
  for (size_t i = 0; i < from.size(); ++i) {
    const bool is_reduced = std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(i));
    if (!is_reduced) shape.push_back(from[i]);
    if (is_reduced && keeps) shape.push_back(1);
  }
  return shape;
}

Finding reduction(OperatorCall& call) {
  std::vector<int64_t> axes;
  Finding finding = reduced_axes(call, &axes);
  if (!finding.is_known()) return finding;
  call.set_shape(0, without(call.shape(0), axes, call.node().integer("keepdims", 1) != 0));
  return finding;
}

void reduced_values(OperatorCall& call) {
  std::vector<int64_t> axes;
  if (reduced_axes(call, &axes).is_known()) reduction_values(call, axes);
}

Finding extreme_index(OperatorCall& call) {
  int64_t axis = call.node().integer("axis", 0);
  if (!normalize_axis(call.rank(0), &axis)) return no_such_axis(axis, call.shape(0));
  call.set_shape(0, without(call.shape(0), {axis}, call.node().integer("keepdims", 1) != 0));
  return Finding::known();
}

Finding top_k(OperatorCall& call) {
  const GivenList count = call.list(1, "k");
  if (!count.is_known || count.values.size() != 1) return depends_on_data("the number of elements that it takes");
  Dimensions shape = call.shape(0);
  int64_t axis = call.node().integer("axis", -1);
  if (!normalize_axis(call.rank(0), &axis)) return no_such_axis(axis, shape);
  int64_t& size = shape[static_cast<size_t>(axis)];
  if (count.values[0] < 0 || count.values[0] > size)
    return Finding::impossible(fmt::format("the first {} of {}", count.values[0], size));
  size = count.values[0];
  call.set_shape(1, shape);
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

/// Loss of each element, or one for all.
Finding negative_log_likelihood(OperatorCall& call) {
  call.set_shape(0, call.node().text("reduction", "mean") == "none" ? call.shape(1) : Dimensions());
  call.set_shape(1, call.shape(0));  // of SoftmaxCrossEntropyLoss: the logarithms
  return Finding::known();
}

constexpr OperatorRule kReductionRules[] = {
    {"", "ArgMax", 1, "i64", extreme_index},
    {"", "ArgMin", 1, "i64", extreme_index},
    {"", "NegativeLogLikelihoodLoss", 2, "0", negative_log_likelihood},
    {"", "ReduceL1", 1, "0", reduction},
    {"", "ReduceL2", 1, "0", reduction},
    {"", "ReduceLogSum", 1, "0", reduction},
    {"", "ReduceLogSumExp", 1, "0", reduction},
    {"", "ReduceMax", 1, "0", reduction, reduced_values},
    {"", "ReduceMean", 1, "0", reduction},
    {"", "ReduceMin", 1, "0", reduction, reduced_values},
    {"", "ReduceProd", 1, "0", reduction, reduced_values},
    {"", "ReduceSum", 1, "0", reduction, reduced_values},
    {"", "ReduceSumSquare", 1, "0", reduction},
    {"", "SoftmaxCrossEntropyLoss", 2, "0", negative_log_likelihood},
    {"", "TopK", 1, "0 i64", top_k},
};

}  // namespace

std::span<const OperatorRule> reduction_rules() { return kReductionRules; }

}  // namespace xsp::bound
