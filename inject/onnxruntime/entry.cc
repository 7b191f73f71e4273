#include "inject/onnxruntime/api_tables.h"

// Runs before the real function does (inject/library/generate.py), in the wrapper of programs that are linked to it.
extern "C" void xsp_observe_OrtGetApiBase(void* real) { xsp::guest::attach_onnxruntime(real); }
