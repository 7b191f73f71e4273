#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/backends/backend.h"

namespace xsp::bound {

/// Where ONNX Runtime's shared library may lie: in the user's Python, or where the dynamic linker finds it. Older
/// wheels have all of it in a Python module that exports no C interface; they cannot be used.
std::vector<std::string> onnxruntime_files();

/// Nodes as models of their own, run by ONNX Runtime on the CPU with all its optimizations.
Status load_onnxruntime(const std::string& path, std::unique_ptr<Backend>* backend);

}  // namespace xsp::bound
