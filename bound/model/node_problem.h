#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bound/model/node_view.h"
#include "bound/problems/problem.h"

namespace xsp::bound {

/// What a node computes, as a problem.
struct NodeProblem {
  Problem problem;
  /// The inputs of the node that are the problem's operands, in the order of make_operands(); all others are settings.
  /// Empty for the general form, of which no input has a place of its own.
  std::vector<size_t> operands;
  /// The node reads its operand twice: x·x is a square.
  bool is_operand_repeated = false;
};

/// How the problem of an operator is made. Nothing: this node is one of those that the kind does not describe.
struct ProblemRule {
  std::string_view domain;
  std::string_view type;
  std::optional<NodeProblem> (*make)(const NodeView& view, std::string_view alg);
  std::string_view alg = {};  // of families: which of them
};

// The rules by family, each beside its functions.
std::span<const ProblemRule> convolution_problems();
std::span<const ProblemRule> product_problems();
std::span<const ProblemRule> pooling_problems();
std::span<const ProblemRule> elementwise_problems();
std::span<const ProblemRule> binary_problems();
std::span<const ProblemRule> normalization_problems();
std::span<const ProblemRule> reduction_problems();
std::span<const ProblemRule> movement_problems();

/// The problem of a node whose inputs and outputs have shapes: by its rule, else in the general form.
NodeProblem problem_of(const NodeView& view);

/// `Gather in=f32[30522,768];i64[1,128] out=f32[1,128,768] axis=0`: for all other operators.
NodeProblem general_problem(const NodeView& view);

/// "f32", or "u8:i8:i32" where they differ.
std::string types_text(const ValueFacts& source, const ValueFacts& weights, const ValueFacts& destination);

}  // namespace xsp::bound
