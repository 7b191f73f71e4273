#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/trace/call_arguments.h"
#include "analysis/work/call_work.h"
#include "analysis/work/execution_plan.h"
#include "analysis/work/tensor_shape.h"

namespace xsp::analysis {

/// cuBLAS, cublasLt, BLAS and CBLAS.
std::optional<CallWork> blas_work(std::string_view function, std::string_view kind, const CallArguments& call);

/// cuDNN's legacy functions.
std::optional<CallWork> cudnn_work(std::string_view function, const CallArguments& call);

/// A plan of cuDNN's graph API: the flops of all its operations, the bytes of what is in memory.
std::optional<CallWork> plan_work(const ExecutionPlan& plan);

/// oneDNN's primitives by their text.
std::optional<CallWork> onednn_work(std::string_view primitive);

std::optional<CallWork> nccl_work(std::string_view function, const CallArguments& call);

/// A descriptor's text, "f16[8,64,56,56]nhwc": what is behind the dimensions is about their order in memory.
std::optional<TensorShape> described_tensor(std::string_view text);
std::optional<TensorShape> described_tensor(const CallArguments& call, std::string_view field);

/// The value of a word "key=value" of a descriptor's text; empty: none.
std::string_view word_of(std::string_view text, std::string_view key);
/// The product of "key=[2,2]", or the number of "key=2".
std::optional<double> product_of_word(std::string_view text, std::string_view key);

/// Flops of one function of an element: of cuDNN's activations and pointwise modes. Nothing for an unknown name.
std::optional<double> pointwise_flops(std::string_view mode);

/// "R_16F": "f16"; empty for an unknown one.
std::string_view element_of_cuda_type(std::string_view name);

}  // namespace xsp::analysis
