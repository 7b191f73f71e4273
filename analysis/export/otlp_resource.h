#pragma once

#include <vector>

#include "analysis/export/otlp_message.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// The resource attributes of a process: OpenTelemetry's names where they exist, else xsp.*. What a trace does not
/// tell, or --redact removed, is left out.
std::vector<OtlpAttribute> otlp_resource(const Trace& trace, uint32_t process, bool with_command);

}  // namespace xsp::analysis
