#pragma once

namespace xsp {

inline constexpr double kNsPerMs = 1e6;
inline constexpr double kNsPerSecond = 1e9;
inline constexpr double kFlopsPerGflop = 1e9;
inline constexpr double kFlopsPerTflop = 1e12;
inline constexpr double kBytesPerGb = 1e9;               // bandwidths
inline constexpr double kBytesPerMib = 1024.0 * 1024.0;  // DRAM traffic, as in the paper's Tables III to VI
inline constexpr double kBytesPerMb = 1e6;               // allocations are decimal, as in the paper's Table II

}  // namespace xsp
