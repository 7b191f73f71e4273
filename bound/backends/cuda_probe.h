#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/backends/backend.h"

namespace xsp::bound {

/// Where the driver may lie.
std::vector<std::string> cuda_driver_files();

/// The device that libraries of a GPU would compute on, as the `device` of a library "cuda" that computes nothing; no
/// context is made. Leaves `backend` null without an error where there is no driver, or no device.
Status load_cuda_driver(const std::string& path, std::unique_ptr<Backend>* backend);

}  // namespace xsp::bound
