#pragma once

/// The subscriber, and the functions that notify it.

#include <cstdint>

#include "../driver/tool.h"

namespace fake {

/// Null until libcuda has been found.
const fake_driver* driver();
/// This library's index among the driver's tools.
int tool_index();

/// Bits of fake_execution::wanted: a record of its own, one of its graph, and that its correlation id will be wrong.
/// The bits above kRangeShift are its range among the counters.
enum : uint32_t { kOwnRecord = 1, kGraphRecord = 2, kWrongGraphId = 4 };
inline constexpr int kRangeShift = 4;

/// CUpti_CallbackIdState.
enum : uint32_t { kStateFatal = 1, kStateWarning = 3 };
void tell_state(uint32_t callback, int result, const char* message);

}  // namespace fake
