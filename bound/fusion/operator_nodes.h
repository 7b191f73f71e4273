#pragma once

#include <string>
#include <vector>

#include "bound/fusion/graph_writer.h"
#include "bound/problems/post_steps.h"
#include "bound/problems/problem.h"

namespace xsp::bound {

// What a kind computes, as nodes that read the operands by their names. Each returns the name of the result; empty: no
// operator that ONNX Runtime has computes it.
std::string write_convolution(const Problem& problem, GraphWriter* writer);
std::string write_transposed_convolution(const Problem& problem, GraphWriter* writer);
std::string write_product(const Problem& problem, GraphWriter* writer);
std::string write_normalization(const Problem& problem, GraphWriter* writer);
std::string write_added_norm(const Problem& problem, GraphWriter* writer);
std::string write_attention(const Problem& problem, GraphWriter* writer);
std::string write_function(const Problem& problem, GraphWriter* writer);
std::string write_binary(const Problem& problem, GraphWriter* writer);

/// A step of `post` that is a function.
std::string write_step(const PostStep& step, const std::string& value, ElementType element, GraphWriter* writer);

/// The steps of `post` that are no part of what the functions above write.
std::vector<PostStep> steps_behind(const Problem& problem);

}  // namespace xsp::bound
