#pragma once

#include <string>

namespace xsp::launch {

/// The interpreter of a script: of `#!/usr/bin/env -S python3 -u` python3. Empty: the file is no script.
std::string script_interpreter(const std::string& path);

}  // namespace xsp::launch
