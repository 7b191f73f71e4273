#pragma once

#include "inject/onnxruntime/ort_abi.h"

namespace xsp::guest {

/// How many copies of ONNX Runtime, or versions of its table, one process may have.
inline constexpr uint32_t kMaxOrtTables = 8;

/// The real functions of the patched tables.
extern ort::Api ort_apis[kMaxOrtTables];

/// A function that takes a slot's place. Each table has its own, as not every call says which table it came by.
struct OrtHook {
  const char* name;
  ort::Place place;
  ort::Slot hook;
};

/// The hooks of a table; the last one has no name.
const OrtHook* ort_hooks(uint32_t table);

/// The hook of OrtModelEditorApi::CreateSessionFromModel.
ort::Slot ort_model_hook(uint32_t table);

}  // namespace xsp::guest
