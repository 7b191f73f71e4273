#pragma once

#include <cstdint>

namespace xsp::test {

inline constexpr uint64_t kSecond = 1'000'000'000;

}  // namespace xsp::test
