#pragma once

#include <string_view>

namespace xsp::guest {

/// Whether a kernel may wait, while it runs, for another one: of another rank, of another stream, or for the host. Such
/// a kernel must not be counted: what is counted runs alone, several times, and the next launch comes only after it
/// (CUPTI guide, "Auto Range": kernels that depend on one another may hang). Known by name: what moves data between
/// ranks, and kernels of libraries that wait for a flag. `left_out`: further parts of names, separated by commas.
bool may_wait_for_others(std::string_view name, std::string_view left_out);

}  // namespace xsp::guest
