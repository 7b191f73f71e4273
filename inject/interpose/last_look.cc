#include "inject/guard/errno_guard.h"
#include "inject/interpose/unintercepted.h"

namespace {

/// A process whose every library call passed the guest by never woke it, and would look as if it had made none.
__attribute__((destructor)) void on_end() {
  const xsp::guest::ErrnoGuard errno_guard;
  xsp::guest::report_if_asleep();
}

}  // namespace
