#pragma once

#include <string>

namespace xsp::launch {

/// The interpreter of a script: python3 for `#!/usr/bin/env -S python3 -u`. Empty: the file is no script.
std::string script_interpreter(const std::string& path);

}  // namespace xsp::launch
