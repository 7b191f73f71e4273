#pragma once

#include <string>

#include "inject/launch/run/command_process.h"

namespace xsp::launch {

/// Why the end of a command is one of memory, for the user behind how it ended: the line of its log that says so, or
/// "taken for out of memory" of a kill, as the kernel kills when memory is short. Empty: it succeeded, or nothing says
/// so. `log`: the file with what it printed; the last 16 KiB count, for programs go on after some failed allocations.
std::string memory_end(const Ending& ending, const std::string& log);

}  // namespace xsp::launch
