#pragma once

namespace xsp::guest::cupti {

/// CUptiResult, as far as the guest and xsp-run look at it. Others are next to the functions that return them
/// (range_abi.h).
using Result = int;
inline constexpr Result kSuccess = 0;
inline constexpr Result kMaxLimitReached = 12;  // end of a buffer
inline constexpr Result kNotInitialized = 15;
inline constexpr Result kInsufficientPrivileges = 35;
inline constexpr Result kMultipleSubscribers = 39;
inline constexpr Result kUnknown = 999;  // without a driver

}  // namespace xsp::guest::cupti
