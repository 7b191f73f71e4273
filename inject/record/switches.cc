/// What every hook looks at before it records, in one cache line of its own: a thread that comes back from a wait finds
/// it cold, and waits for one line instead of one for each of them.

#include "inject/record/process.h"

#if defined(__clang__)  // which keeps the order by itself
#define XSP_SWITCH __attribute__((section("xsp_switches")))
#else
#define XSP_SWITCH __attribute__((section("xsp_switches"), no_reorder))
#endif

namespace xsp::guest {

XSP_SWITCH alignas(64) constinit std::atomic<State> state{State::kAsleep};
XSP_SWITCH constinit ClockSource clock_source = ClockSource::kMonotonic;
XSP_SWITCH constinit std::atomic<bool> are_spans_watched{false};
XSP_SWITCH constinit std::atomic<bool> is_sampling{false};
XSP_SWITCH constinit std::atomic<uint8_t> wanted_calls{kLibraryAsleep};
XSP_SWITCH constinit std::atomic<bool> api_calls_as_records{false};

}  // namespace xsp::guest

XSP_SWITCH volatile uint8_t xsp_library_state = xsp::guest::kLibraryAsleep;
