#pragma once

#include <cstdint>

namespace xsp::guest {

/// Describes a device of the driver's numbering, which is CUPTI's, and has the sender send it. From a thread of ours,
/// once CUDA is up. `chip`: as CUPTI names it, may be empty. False when it cannot be queued now.
bool post_device(uint32_t device, uint32_t cupti_version, const char* chip);

}  // namespace xsp::guest
