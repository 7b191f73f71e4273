#pragma once

#include <set>
#include <string>
#include <utility>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// A device: its UUID, and 0; where that is not known the name of the host and the number that processes there see.
using DevicePlace = std::pair<std::string, uint32_t>;

/// On which devices kernels, copies or memsets ran. A profile describes all devices of its machine, and a program may
/// use one of them.
std::set<DevicePlace> used_devices(const Trace& trace);

DevicePlace place_of(const Trace& trace, const Device& device);

}  // namespace xsp::analysis
