#pragma once

#include <string>
#include <vector>

#include "inject/launch/options/options.h"
#include "inject/launch/run/trace_outcome.h"

namespace xsp::launch {

/// Adds what `xsp-report --summary` says of a trace or a folder of them, at most `room` lines.
void add_summary(const std::string& report, const std::string& trace, size_t room, std::vector<std::string>* lines);

/// `  xsp-report TRACE` as the user can type it: by name where PATH has xsp-report, else by path.
std::string report_command(const std::string& report, const std::string& trace);

/// The lines for the user: at most 15, the numbers that matter, what was lost, where the trace is, and the command to
/// copy. Errors only if `options.quiet`. `report`: path of xsp-report, may be empty. `threads`: the line about numbers
/// of threads; empty: none.
std::vector<std::string> end_message(const Options& options, const TraceOutcome& outcome, const std::string& report,
                                     const std::string& threads = {});

/// Prints lines on standard error, all at once.
void print_lines(const std::vector<std::string>& lines);

}  // namespace xsp::launch
