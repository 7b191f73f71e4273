#pragma once

#include <string_view>

#include "analysis/trace/level.h"

namespace xsp::analysis {

/// A kind of span as exports name it: "torch_module", "library_call", "kernel".
std::string_view kind_name(Kind kind);

/// The tracer that made spans of this kind: "torch", "onnxruntime", "library", "cupti", "nvtx", "itt", "api"; "profile"
/// of what another tool's profile told.
std::string_view tracer_name(Kind kind);

}  // namespace xsp::analysis
