#pragma once

#include <cstdint>
#include <optional>

namespace xsp {

/// Times beyond this (73 years either side of the origin) are treated as damage.
inline constexpr int64_t kMaxEventNs = int64_t{1} << 61;

/// Microseconds of an event as nanoseconds; nothing where they are out of range. Whole numbers, which may be times
/// since 1970, stay exact.
std::optional<int64_t> nanoseconds_of_us(int64_t us);
std::optional<int64_t> nanoseconds_of_us(double us);

}  // namespace xsp
