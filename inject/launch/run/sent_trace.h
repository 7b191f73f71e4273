#pragma once

#include <string>

#include "base/status.h"
#include "inject/launch/run/install_layout.h"
#include "inject/launch/run/trace_outcome.h"

namespace xsp::launch {

/// Checks, before the command starts, what can be wrong with `--otlp URL`.
Status check_otlp(const std::string& url, const InstallLayout& layout);

/// Has xsp-report send a trace, or all of a folder, to an OTLP/HTTP endpoint. It says on stderr what it sent, or what
/// went wrong. `quiet`: only the latter.
void send_trace(const std::string& report, const std::string& trace, const std::string& url, bool quiet);

/// Sends what a recording left, if that is a whole trace with spans; else says why not.
void send_outcome(const std::string& report, const TraceOutcome& outcome, const std::string& url, bool quiet);

}  // namespace xsp::launch
