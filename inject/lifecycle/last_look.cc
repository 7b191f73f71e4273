#include "inject/guard/errno_guard.h"
#include "inject/interpose/unintercepted.h"
#include "inject/send/sender.h"

namespace {

/// A process whose every library call passed the guest by never woke it, and would look as if it had made none. A
/// destructor of the guest's: the exit handler is registered in processes that record only.
__attribute__((destructor)) void on_end() {
  const xsp::guest::ErrnoGuard errno_guard;
  if (xsp::guest::Process* process = xsp::guest::report_if_asleep()) xsp::guest::stop_sender(*process);
}

}  // namespace
