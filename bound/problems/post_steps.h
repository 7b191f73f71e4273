#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xsp::bound {

/// What is computed on a result before it is written: an algorithm of eltwise with its bounds or slopes, or add, which
/// has an operand of its own.
struct PostStep {
  std::string alg;
  double alpha = 0;
  double beta = 0;
  size_t arguments = 0;  // how many of alpha and beta are written

  bool is_add() const { return alg == "add"; }
};

/// The steps of the field `post`, "add+clip(0,6)"; a step whose algorithm is not known has the whole text as `alg`.
std::vector<PostStep> post_steps(std::string_view post);

/// The text of a step: "relu", "clip(0,6)".
std::string text_of(const PostStep& step);

/// The algorithms of eltwise and of `post`, with the meaning of alpha and beta.
struct ElementwiseAlgorithm {
  std::string_view name;
  double (*value)(double x, double alpha, double beta);
  size_t arguments;  // how many of alpha and beta it reads; the others are written as 0
  enum class Domain { kAll, kPositive, kNotZero } domain = Domain::kAll;
};

/// Null for an unknown name.
const ElementwiseAlgorithm* elementwise_algorithm(std::string_view name);

}  // namespace xsp::bound
