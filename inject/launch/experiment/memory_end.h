#pragma once

#include <string>

#include "inject/launch/run/command_process.h"

namespace xsp::launch {

/// Whether a command ran out of memory, as a text for the user: the line of its log that says so, or "taken for out of
/// memory" after a kill, because the kernel kills when memory is short. Empty: it succeeded, or nothing says so. `log`:
/// the file with what it printed; only its last 16 KiB count, because programs survive some failed allocations.
std::string memory_end(const Ending& ending, const std::string& log);

}  // namespace xsp::launch
