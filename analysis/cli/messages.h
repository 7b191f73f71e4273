#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/cli/exit_code.h"
#include "analysis/cli/options.h"
#include "analysis/cli/outcome.h"
#include "base/status.h"

namespace xsp::analysis {

/// "xsp-report: error: what (why)", and the hint.
void complain(const Status& status);

/// What the input lacks. The summary, the head and the notes of tables say the same.
void warn(const Options& options, const Trace& trace);

/// "xsp-report: wrote FILE (1.2 MB)".
void tell_written(const Options& options, const std::string& path, uint64_t bytes);

/// "xsp-report: note: TEXT", without --quiet.
void tell_note(const Options& options, std::string_view text);

/// A line for each row that met a --fail-if condition, or could not be judged.
ExitCode tell_failures(const Options& options, const Outcome& outcome);

}  // namespace xsp::analysis
