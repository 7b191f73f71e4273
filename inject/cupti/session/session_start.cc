#include "inject/cupti/session/session_start.h"

#include <stdlib.h>

#include "inject/cupti/counting/counters.h"
#include "inject/cupti/library/activity_abi.h"
#include "inject/cupti/library/cupti_library.h"
#include "inject/cupti/library/driver_functions.h"
#include "inject/cupti/library/known_faults.h"
#include "inject/cupti/library/notice_severity.h"
#include "inject/cupti/records/activity_buffers.h"
#include "inject/cupti/records/activity_thread.h"
#include "inject/cupti/session/activation.h"
#include "inject/cupti/session/giving_way.h"
#include "inject/cupti/session/session_control.h"
#include "inject/cupti/state/other_profiler.h"
#include "inject/guard/errno_guard.h"
#include "inject/record/process.h"
#include "inject/record/recording_window.h"

namespace xsp::guest {
namespace {

void finish_at_exit() {
  const ErrnoGuard errno_guard;
  finish_session();
}

}  // namespace

void start_session() {
  const Process* process = wake_process();
  if (process == nullptr || process->settings.deepest_level < static_cast<uint8_t>(wire::Level::kRuntime)) return;
  SessionState* page = session_page.make();
  if (page == nullptr || page->started.exchange(1, std::memory_order_acq_rel) != 0) return;
  // CUDA 13.2's libcupti crashes without one, whatever is called.
  if (driver_version() == 0) {
    notify(kNoticeWarning, "cupti", "kernels and CUDA calls are not recorded: no NVIDIA driver is loaded");
    return;
  }
  CuptiLibrary library{};
  FixedText<1024> why_not;
  if (!load_cupti(&library, &why_not)) {
    FixedText<1400> text;
    text.put("kernels and CUDA calls are not recorded: no libcupti that can be used (");
    text.put(why_not.empty() ? "none found" : why_not.view());
    text.put("); install the CUPTI of the program's CUDA (pip install nvidia-cuda-cupti), or name it in XSP_CUPTI");
    notify(kNoticeWarning, "cupti", text.view());
    return;
  }
  page->session.cupti = library.functions;
  page->session.version = library.version;
  page->named_subscribe = library.named_subscribe;
  page->activities = process->settings.activities;
  tell_cupti_fault(library.version, CuptiFault::kFromStart);
  if (!open_activity_buffers(library.version >= cupti::kBufferRefusalVersion) ||
      !start_activity_thread(page->session, settle_with_other_profiler)) {
    notify(kNoticeWarning, "cupti",
           "kernels and CUDA calls are not recorded: no memory or no thread to be had for them");
    return;
  }
  if (process->settings.metrics[0] != '\0') start_counters(page->session, library.handle, process->settings);
  page->ready.store(1, std::memory_order_release);
  const SessionChange change;
  set_window_listener(WindowListener::kDevice, follow_window);
  if (other_profiler_has_buffers()) {
    page->pause_reasons |= uint32_t{1} << static_cast<uint32_t>(wire::GapReason::kOtherProfiler);
    page->session.mode.store(SessionMode::kPaused, std::memory_order_release);
    begin_gap(page->gaps, wire::GapReason::kOtherProfiler, other_profiler_name());
  } else if (activate(*page) == SessionMode::kNone) {
    return;
  }
  // exit() runs handlers in reverse order: registered only now, inside or after cuInit, ours runs before those of CUDA,
  // after which CUPTI has nothing left to hand over.
  static constinit std::atomic<bool> registered{false};
  if (registered.exchange(true)) return;
  atexit(finish_at_exit);
  at_quick_exit(finish_at_exit);
}

}  // namespace xsp::guest
