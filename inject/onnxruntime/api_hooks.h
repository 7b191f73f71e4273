#pragma once

#include "inject/onnxruntime/ort_abi.h"

namespace xsp::guest {

/// Copies of ONNX Runtime, or versions of its table, that one process may have.
inline constexpr uint32_t kMaxOrtTables = 8;

/// The functions of the patched tables.
extern ort::Api ort_apis[kMaxOrtTables];

/// What takes a slot's place. Each table has functions of its own, as not every call says whose it is.
struct OrtHook {
  const char* name;
  ort::Place place;
  ort::Slot hook;
};

/// The hooks of a table, ended by one without a name.
const OrtHook* ort_hooks(uint32_t table);

/// The hook of OrtModelEditorApi::CreateSessionFromModel.
ort::Slot ort_model_hook(uint32_t table);

}  // namespace xsp::guest
