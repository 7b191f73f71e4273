#include "inject/onnxruntime/api_tables.h"

// Runs before the real function (inject/library/generate.py), in the wrapper that programs linked to ONNX Runtime call.
extern "C" void xsp_observe_OrtGetApiBase(void* real) { xsp::guest::attach_onnxruntime(real); }
