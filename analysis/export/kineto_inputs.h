#pragma once

#include <string>
#include <string_view>

namespace xsp::analysis {

/// The arguments of an operator as PyTorch's profiler writes them: "f32[8,64];;bf16[64]" as
/// `"Input Dims":[[8,64],[],[64]],"Input type":["float","","c10::BFloat16"]`. Empty where `inputs` is no such text.
std::string kineto_inputs(std::string_view inputs);

}  // namespace xsp::analysis
