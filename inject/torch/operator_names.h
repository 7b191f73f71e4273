#pragma once

#include <cstdint>

namespace xsp::guest {

/// String id of an operator's name; 0 when the guest is off. Names that were asked for before are found without a lock,
/// by their text: PyTorch keeps some for as long as it runs, and makes others anew for every call, where another lay
/// before.
uint32_t operator_name(const char* name);

}  // namespace xsp::guest
