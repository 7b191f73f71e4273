#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace xsp::launch {

/// Refuses a command that exec would refuse (126, 127), before a trace is begun, with what was probably meant.
Status check_command(const std::vector<std::string>& command);

/// What a user would call the command: `infer` for `python -O infer.py`, `torch.distributed.run` for `python -m …`,
/// else the program's own name. Only letters, digits, `.`, `_` and `-`; at most 64 bytes.
std::string command_name(const std::vector<std::string>& command);

}  // namespace xsp::launch
