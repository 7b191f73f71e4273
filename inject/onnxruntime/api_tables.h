#pragma once

#include "inject/onnxruntime/ort_abi.h"

namespace xsp::guest {

/// Patches the tables of functions of a copy of ONNX Runtime in place, so that users who already hold a pointer to them
/// are seen, too; once per table, however often it is called. `get_base` is the copy's OrtGetApiBase. A table that
/// cannot be patched is left as it is, and a notice says why; otherwise the guest is not woken.
void attach_onnxruntime(void* get_base);

}  // namespace xsp::guest
