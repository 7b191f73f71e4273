#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/backends/backend.h"

namespace xsp::bound {

/// Where cuDNN may lie.
std::vector<std::string> cudnn_files();

/// cuDNN 8 and 9 on the first CUDA device: engines of the graph interface, and calls that are older than that. Leaves
/// `backend` null without an error for a file that is no cuDNN.
Status load_cudnn(const std::string& path, std::unique_ptr<Backend>* backend);

}  // namespace xsp::bound
