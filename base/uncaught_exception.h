#pragma once

namespace xsp {

/// For handlers of std::terminate: says on standard error why the program ends, and ends it with `exit_code`. Takes no
/// memory. `out_of_memory` is what it says after std::bad_alloc, and where there is no exception: then not even the
/// exception found memory.
[[noreturn]] void end_by_uncaught_exception(const char* program, const char* out_of_memory, int exit_code);

}  // namespace xsp
