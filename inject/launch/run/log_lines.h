#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace xsp::launch {

/// The last line of a file that is not empty, whole; empty: there is none.
std::string last_line_of(const std::string& path);

/// The last `count` lines of a log that are not blank, as a terminal would show them: each cut to 200 bytes, and
/// without text that was overwritten after a carriage return.
std::vector<std::string> last_lines(const std::string& log, size_t count);

}  // namespace xsp::launch
