#pragma once

#include "proto/trace_numbers.h"

namespace xsp::analysis {

using wire::Kind;
using wire::kLevelCount;
using wire::Level;

inline constexpr const char* kLevelNames[kLevelCount] = {"unspecified", "application", "model", "layer",
                                                         "library",     "runtime",     "device"};

}  // namespace xsp::analysis
