#include <numeric>

#include "bound/model/node_problem.h"
#include "bound/shapes/operator_call.h"

namespace xsp::bound {
namespace {

using Made = std::optional<NodeProblem>;

/// All where none are named.
Made reduction(const NodeView& view, std::string_view alg) {
  if (!view.have_one_type({0})) return {};
  const auto rank = static_cast<int64_t>(view.input(0)->dimensions.size());
  Dimensions axes = view.node().integers("axes");
  if (view.input(1) != nullptr) {
    const auto given = view.integers(1);
    if (!given) return {};
    axes = *given;
  }
  if (axes.empty()) {
    if (view.node().integer("noop_with_empty_axes", 0) != 0 || rank == 0) return {};
    axes.resize(static_cast<size_t>(rank));
    std::iota(axes.begin(), axes.end(), int64_t{0});
  }
  if (!normalize_axes(rank, &axes)) return {};
  NodeProblem made{Problem("reduce"), {0}};
  made.problem.set("alg", alg).set_dimensions("src", view.input(0)->dimensions).set_list("axes", axes);
  made.problem.set("dtype", name_of(view.input(0)->element));
  return made;
}

constexpr ProblemRule kReductionProblems[] = {
    {"", "ReduceL1", reduction, "l1"},     {"", "ReduceL2", reduction, "l2"},   {"", "ReduceMax", reduction, "max"},
    {"", "ReduceMean", reduction, "mean"}, {"", "ReduceMin", reduction, "min"}, {"", "ReduceProd", reduction, "prod"},
    {"", "ReduceSum", reduction, "sum"},
};

}  // namespace

std::span<const ProblemRule> reduction_problems() { return kReductionProblems; }

}  // namespace xsp::bound
