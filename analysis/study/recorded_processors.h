#pragma once

#include <cstdint>
#include <string>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// How many threads can run at the same time, as the header of a trace tells; 0: it does not.
uint32_t usable_cores_of(const wire::Processors& told);

/// "2 of 64 processors, quota 1.5": how a command is kept from using the whole machine; empty where it is not.
std::string restriction_text(const wire::Processors& told);

}  // namespace xsp::analysis
