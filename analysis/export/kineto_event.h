#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/trace/level.h"

namespace xsp::analysis {

/// What PyTorch's profiler calls a span: its category, and what its name begins with.
struct KinetoEvent {
  std::string_view category;
  std::string_view prefix;
};

KinetoEvent kineto_event(Level level, Kind kind);

/// The name of a copy, a memset or a synchronization as PyTorch's profiler writes it: "Memcpy HtoD" of "HtoD".
std::string kineto_device_name(Kind kind, std::string_view name);

}  // namespace xsp::analysis
