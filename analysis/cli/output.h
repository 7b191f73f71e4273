#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace xsp::analysis {

/// Writes a whole report to a file, or to standard output when `path` is empty. `broken_pipe` is set when the reader
/// of standard output went away, which is not worth a message.
Status write_output(const std::string& path, std::string_view text, bool* broken_pipe);

}  // namespace xsp::analysis
