// The ways out of a process that run no handler. Wrapped, as what is recorded would look as if the process was killed.
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/lifecycle/lifecycle.h"

#define XSP_EXPORT __attribute__((visibility("default")))

namespace {

/// Not libc's own: it may be another interposer's, which would come back to us.
[[noreturn]] void exit_now(int status) {
  xsp::guest::leave_process();
  while (true) syscall(SYS_exit_group, status);
}

}  // namespace

extern "C" {

XSP_EXPORT void _exit(int status) { exit_now(status); }
XSP_EXPORT void _Exit(int status) { exit_now(status); }

}  // extern "C"
