#pragma once

#include <string>

namespace xsp::analysis {

/// What --help prints, the examples first; the man page and the completions are made of it. At most 100 columns.
std::string help_text();

}  // namespace xsp::analysis
