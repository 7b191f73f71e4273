#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace CLI {
class App;
}

namespace xsp {

/// Reads the arguments behind the program's name. Errors are in our words, with the option or the value that was
/// probably meant; `see_help` is the hint where none is near.
Status parse_command_line(CLI::App* app, std::vector<std::string> arguments, const std::string& see_help);

/// For CLI::Option::check: why a value is refused and, after a newline, the hint; empty: it is accepted.
using ValueCheck = std::function<std::string(const std::string&)>;

/// One of these words.
ValueCheck one_of(std::vector<std::string> words);

/// A whole number from `least` to `most`.
ValueCheck whole_number(long long least, long long most = std::numeric_limits<long long>::max());

/// Of the options of `app` the one that `word` probably stands for, such as "--output"; empty if none is near.
std::string nearest_option(const CLI::App& app, std::string_view word);

}  // namespace xsp
