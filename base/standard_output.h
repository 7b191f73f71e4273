#pragma once

#include <string_view>

#include "base/status.h"

namespace xsp {

/// Prints a text on standard output, all of it, at once. Where that fails (a full disk, a closed descriptor) the status
/// says why; it is for the program to print, and to choose the exit code.
Status print_text(std::string_view text);

}  // namespace xsp
