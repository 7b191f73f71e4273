#pragma once

#include <vector>

#include "analysis/export/otlp_message.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// The attributes of the resource that a process is: OpenTelemetry's where it has names, else xsp.*. What a trace does
/// not tell, or --redact took out, is left out.
std::vector<OtlpAttribute> otlp_resource(const Trace& trace, uint32_t process, bool with_command);

}  // namespace xsp::analysis
