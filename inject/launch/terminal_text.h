#pragma once

#include <string>
#include <string_view>

namespace xsp::launch {

/// Text of a program, of a file's name or of a notice as it may go to a terminal, on one line: what would move the
/// cursor, change the terminal or turn the direction of what follows becomes \xNN, byte by byte.
std::string terminal_text(std::string_view text);

}  // namespace xsp::launch
