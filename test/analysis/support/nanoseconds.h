#pragma once

#include <cstdint>

namespace xsp::test {

inline constexpr int64_t kUs = 1000;
inline constexpr int64_t kMs = 1'000'000;

}  // namespace xsp::test
