#pragma once

#include <string>

namespace xsp::analysis {

/// The text of --help, examples first; the man page and the completions are generated from it. At most 100 columns.
std::string help_text();

}  // namespace xsp::analysis
