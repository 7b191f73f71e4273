#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace CLI {
class App;
}

namespace xsp::launch {

/// Parses the options in front of a command: they end at the first argument that is not one, or at `--`. What follows
/// is `command`, whatever it looks like. `hint` is that of a failure.
Status parse_leading_options(CLI::App* app, int argc, char** argv, const std::string& hint,
                             std::vector<std::string>* command);

}  // namespace xsp::launch
