#pragma once

namespace xsp::analysis {

inline constexpr double kNsPerMs = 1e6;
inline constexpr double kNsPerSecond = 1e9;
inline constexpr double kBytesPerMb = 1e6;  // allocations are decimal, as in the paper's Table II

}  // namespace xsp::analysis
