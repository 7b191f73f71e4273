#pragma once

#include <optional>
#include <string>
#include <vector>

namespace xsp::launch {

/// Runs a program (by path or from PATH) to its end and returns its stdout; nothing if it could not run or failed. At
/// most 64 MiB are kept. LD_PRELOAD is taken away, so that what looks at a trace is not itself profiled. `silent`: its
/// stderr goes nowhere.
std::optional<std::string> captured_output(const std::vector<std::string>& command, bool silent);

}  // namespace xsp::launch
