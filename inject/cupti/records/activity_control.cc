#include "inject/cupti/records/activity_control.h"

#include "inject/guard/errno_guard.h"
#include "inject/guard/futex.h"

namespace xsp::guest {

constinit ForkWiped<ActivityControl> activity_page;
constinit std::atomic<bool> cuda_was_called{false};
constinit std::atomic<bool> is_activity_idle{false};

bool activity_thread_runs() {
  const ActivityControl* control = activity_page.get();
  return control != nullptr && control->running.load(std::memory_order_acquire) != 0;
}

void wake_activity_thread() {
  ActivityControl* control = activity_page.get();
  if (control == nullptr) return;
  control->wake_word.fetch_add(1, std::memory_order_seq_cst);
  if (control->sleeping.load(std::memory_order_seq_cst) == 0) return;
  const ErrnoGuard errno_guard;
  futex_wake(&control->wake_word);
}

void note_cuda_call() {
  if (__builtin_expect(cuda_was_called.load(std::memory_order_relaxed), 1)) return;
  cuda_was_called.store(true, std::memory_order_seq_cst);
  if (is_activity_idle.load(std::memory_order_seq_cst)) wake_activity_thread();
}

}  // namespace xsp::guest
