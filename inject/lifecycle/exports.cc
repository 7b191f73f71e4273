// The ways out of a process that run no handler. Wrapped, as what is recorded would look as if the process was killed.
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/guard/sanitizers.h"
#include "inject/lifecycle/lifecycle.h"

#define XSP_EXPORT __attribute__((visibility("default")))

namespace {

/// Not libc's own: it may be another interposer's, which would come back to us.
[[noreturn]] void exit_now(int status) {
  while (true) syscall(SYS_exit_group, status);
}

}  // namespace

extern "C" {

XSP_EXPORT void _exit(int status) {
  xsp::guest::leave_process();
  xsp::guest::exit_by_sanitizer(status);
  exit_now(status);
}
// Sanitizers have none of this name.
XSP_EXPORT void _Exit(int status) {  // NOLINT(bugprone-reserved-identifier): the C library's own name
  xsp::guest::leave_process();
  exit_now(status);
}

}  // extern "C"
