#pragma once

/// Reads what a process says of a recording that goes on: how it samples, and what recording costs it. As those of
/// packet_body.h.

#include <string_view>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

bool read_sampling(std::string_view encoded, Process* process);
bool read_overhead(std::string_view encoded, Process* process);

}  // namespace xsp::analysis
