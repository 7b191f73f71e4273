#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/backends/backend.h"

namespace xsp::bound {

/// Names and files under which a oneDNN may be found, to be tried in this order: what the dynamic linker knows, then
/// what is installed beside the user's Python packages.
std::vector<std::string> onednn_files();

/// Convolutions, products, poolings and what else oneDNN 2 or 3 computes, on the processor. An error: what is no such
/// library, or one that is built for something else than threads of this processor.
Status load_onednn(const std::string& path, std::unique_ptr<Backend>* backend);

}  // namespace xsp::bound
