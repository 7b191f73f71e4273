#include "inject/interpose/dynamic_lookup.h"

#define XSP_EXPORT __attribute__((visibility("default")))

// The functions of <dlfcn.h> that the guest exports, apart from those in dynamic_lookup.S.
extern "C" {

XSP_EXPORT int dlclose(void* handle) { return xsp::guest::close_library(handle); }
XSP_EXPORT char* dlerror() { return xsp::guest::last_lookup_error(); }

}  // extern "C"
