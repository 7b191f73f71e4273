#pragma once

#include <cstdint>

namespace xsp::guest {

/// String id of an operator's name; 0 when the guest is off. Names that were asked for before are found without a lock,
/// by their text and not by their address: PyTorch keeps some names for good, and makes others for every call, at
/// addresses where other names lay.
uint32_t operator_name(const char* name);

}  // namespace xsp::guest
