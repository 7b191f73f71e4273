#pragma once

#include <cstdint>

namespace xsp::guest {

/// dlsym and dlvsym, for programs that look library functions up by name. The exported functions are a few instructions
/// of assembly (dynamic_lookup.S): the loader identifies callers by the return address, so they either return what the
/// route below gave, or leave by a tail jump to the next dlsym as if they had not been there.
///
/// A lookup gets the wrapper only in place of an address that the wrapper itself would call for this caller, and that
/// lies in one of the function's own libraries: libcudnn.so.9 looks up the same names in its parts, and gets those.

/// `given` 1: `address` is the answer. 0: it is the function to jump to. Returned in two registers.
struct LookupAnswer {
  uint64_t given;
  void* address;
};

extern "C" {
LookupAnswer xsp_route_dlsym(void* handle, const char* name, void* caller);
LookupAnswer xsp_route_dlvsym(void* handle, const char* name, const char* version, void* caller);
}

/// dlclose; afterwards bindings to and from closed libraries are dropped. They could not be dropped before (hence no
/// tail jump), as destructors that run inside may call wrapped functions and bind once more. The loader does not care
/// who calls dlclose.
int close_library(void* handle);

/// dlerror; its text may be one that a lookup here has left.
char* last_lookup_error();

}  // namespace xsp::guest
