#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/trace/call_arguments.h"
#include "analysis/work/execution_plan.h"
#include "bound/problems/problem.h"

namespace xsp::bound {

/// What a call of cuDNN computes, and in what layout its tensors lie.
struct CudnnProblem {
  std::optional<Problem> problem;
  std::string layout;  // "nhwc:nhwc:nhwc": of source, weights and result
};

/// Of cuDNN's legacy functions. No problem for gradients, and for cudnnConvolutionBiasActivationForward, whose
/// arguments do not tell whether it adds a tensor.
CudnnProblem problem_of_cudnn(std::string_view function, const analysis::CallArguments& call);

/// Of an execution plan: a convolution or product with what is computed on its result, or one operation by itself.
CudnnProblem problem_of_plan(const analysis::ExecutionPlan& plan);

}  // namespace xsp::bound
