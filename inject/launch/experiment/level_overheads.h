#pragma once

#include <string>

namespace xsp::launch {

/// The model's latency and what each level set adds to it, in a line for the user, from what
/// `xsp-report -a L1 --format json` prints of a set. Empty where that has no such rows.
std::string overhead_line(const std::string& json);

}  // namespace xsp::launch
