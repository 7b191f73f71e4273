#pragma once

#include <cstddef>
#include <cstdint>

namespace xsp {

/// String ids of a process lie below this; those that the collector adds (from converted profiles) count from here. Low
/// enough that they take three bytes in the columns, high enough for every name a process can have.
inline constexpr uint32_t kFirstCollectorString = uint32_t{1} << 20;

/// How many strings a process may have: the guest interns no more, the collector takes no more.
inline constexpr uint32_t kMaxStrings = kFirstCollectorString - 1;

/// Longest string of a process; the guest cuts longer ones, the collector refuses them.
inline constexpr size_t kMaxStringBytes = size_t{256} << 10;

}  // namespace xsp
