#pragma once

namespace xsp::launch {

/// A closed stdin, stdout or stderr would let our pipes take its number: from now on it is /dev/null. The command still
/// sees it closed.
void occupy_standard_descriptors();

}  // namespace xsp::launch
