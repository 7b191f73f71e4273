#pragma once

#include <cstdint>

namespace xsp::guest {

/// A function of the CUDA driver that the process has loaded, null without one. Loads nothing.
void* driver_function(const char* name);

/// What cuDriverGetVersion returns: 12040 for CUDA 12.4; 0: no driver is loaded.
uint32_t driver_version();

/// Whether cuInit has succeeded in this process.
bool driver_is_up();

}  // namespace xsp::guest
