#pragma once

#include <string>

#include "base/status.h"
#include "bound/cli/bound_options.h"
#include "bound/tables/bound_subject.h"

namespace xsp::bound {

/// Checks that all outputs can be written, before anything is measured. Errors have exit code 5.
Status check_outputs(const BoundOptions& options);

/// Writes a text to a file as the outputs are written: whole or not at all. "-": standard output.
Status write_text_file(const BoundOptions& options, const std::string& path, const std::string& text);

/// Makes the report and writes it, and the graph. `exit_code`: what the tables say: a contradiction, or data that lacks
/// (--strict).
Status write_report(const BoundOptions& options, const BoundSubject& subject, int* exit_code);

}  // namespace xsp::bound
