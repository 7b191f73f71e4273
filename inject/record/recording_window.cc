#include "inject/record/recording_window.h"

#include <string.h>

#include <algorithm>

#include "inject/guard/errno_guard.h"
#include "inject/record/posted_packets.h"
#include "inject/record/process.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {

constinit AwaitedRange awaited_range = {AwaitedRange::kNoName, AwaitedRange::kNoName, AwaitedRange::kNoName, false};
constinit std::atomic<uint32_t> window_openings{0};
constinit std::atomic<void (*)()> window_listeners[kWindowListeners]{};

namespace {

constexpr uint64_t kNever = UINT64_MAX;
// How long a window may stay open after its range was abandoned by a jump or the end of its thread; only while one is
// open.
constexpr uint64_t kLookForLostSpansNs = 20'000'000;
constexpr std::string_view kProfilerApi = "cudaProfilerApi";
constexpr uint32_t kProfilerSpan = 1;

/// The range's text, to compare texts with that are not string ids yet.
constinit char awaited_text[kRangeBytes] = {};
constinit size_t awaited_length = 0;       // whole
constinit size_t awaited_name_length = 0;  // before the last @

uint64_t host_time() { return nanoseconds(CLOCK_MONOTONIC); }

bool is_in_time(const RecordingWindow& window, uint64_t now_ns) {
  return now_ns >= window.begin_ns && !window.is_over && (window.end_ns == 0 || now_ns < window.end_ns);
}

void tell_gap(const RecordingWindow& window, uint64_t end_ns) {
  uint8_t buffer[128];
  WireWriter writer(buffer, sizeof buffer);
  write_gap(writer, wire::GapReason::kOutsideRange, wire::Level::kApplication, window.closed_ns, end_ns, {});
  if (!writer.failed()) post_packet(writer.data(), writer.size());
}

/// The caller holds the window's lock.
void open_window(Process& process, uint64_t now_ns) {
  RecordingWindow& window = process.window;
  if (window.closed_ns == 0) return;
  if (window.has_range && window.duration_ns != 0 && window.end_ns == 0) window.end_ns = now_ns + window.duration_ns;
  resume_hooks(PauseReason::kOutsideWindow);
  tell_gap(window, now_ns);
  // tell_gap() has just reported the whole gap, its begin included.
  window.first_gap_is_told = true;
  window.closed_ns = 0;
  window.changes.fetch_add(1, std::memory_order_acq_rel);
}

void close_window(Process& process, uint64_t now_ns) {
  RecordingWindow& window = process.window;
  if (window.closed_ns != 0) return;
  pause_hooks(PauseReason::kOutsideWindow);
  window.closed_ns = now_ns;
  tell_gap(window, 0);
  window.changes.fetch_add(1, std::memory_order_acq_rel);
}

/// The caller holds the window's lock. Returns whether that closed the window.
bool remove(Process& process, RecordingWindow::Opening& opening) {
  opening = {};
  // Other ranges with the awaited name may still be open, on this or other threads: the last one closes the window.
  if (window_openings.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  const bool was_open = process.window.closed_ns == 0;
  close_window(process, host_time());
  return was_open;
}

void take_awaited_range(Process& process) {
  const char* text = process.settings.range;
  const std::string_view whole = text;
  awaited_range = {AwaitedRange::kNoName, AwaitedRange::kNoName, AwaitedRange::kNoName, whole == kProfilerApi};
  if (awaited_range.is_profiler_api) return;
  memcpy(awaited_text, text, whole.size());
  awaited_length = awaited_name_length = whole.size();
  const auto id_of = [&](std::string_view part) {
    const uint32_t id = process.strings.intern(process.region, part);
    return id == 0 ? AwaitedRange::kNoName : id;
  };
  awaited_range.whole = id_of(whole);
  const size_t at = whole.rfind('@');
  if (at == std::string_view::npos) return;
  awaited_name_length = at;
  awaited_range.name = id_of({text, at});
  awaited_range.domain = id_of({text + at + 1, whole.size() - at - 1});
}

}  // namespace

bool may_be_awaited(std::string_view text) {
  if (awaited_length == 0) return false;
  for (const size_t length : {awaited_length, awaited_name_length}) {
    // PyTorch's emit_nvtx appends ", seq = …" to the name.
    if (text.starts_with({awaited_text, length}) && (text.size() == length || text[length] == ',')) return true;
  }
  return false;
}

bool prepare_window(Process& process) {
  RecordingWindow& window = process.window;
  const Settings& settings = process.settings;
  window_openings.store(0, std::memory_order_relaxed);
  window.has_range = settings.range[0] != '\0';
  window.is_used = window.has_range || settings.begin_ns != 0 || settings.duration_ns != 0;
  if (!window.is_used) return true;
  window.begin_ns = settings.begin_ns;
  window.duration_ns = settings.duration_ns;
  if (!window.has_range && window.duration_ns != 0) window.end_ns = window.begin_ns + window.duration_ns;
  if (window.has_range) take_awaited_range(process);
  // The gap is not reported here but in the sender's first round: the caller holds the process's lock, which
  // post_packet() takes.
  if (!window.has_range && is_in_time(window, host_time())) return true;
  window.closed_ns = process.first_clock.monotonic_ns;
  return false;
}

uint32_t begin_opening() {
  const ErrnoGuard errno_guard;
  Process* process = wake_process();
  if (process == nullptr) return 0;
  RecordingWindow& window = process->window;
  uint32_t place = 0;
  bool has_opened = false;
  {
    const LockGuard lock(window.lock);
    const uint64_t now_ns = host_time();
    if (!window.has_range || !is_in_time(window, now_ns)) return 0;
    while (place < RecordingWindow::kMaxOpenings && window.openings[place].is_used) ++place;
    if (place == RecordingWindow::kMaxOpenings) return 0;
    window.openings[place] = {.ring = 0, .id = 0, .is_used = true, .is_begun = false};
    if (window_openings.fetch_add(1, std::memory_order_acq_rel) == 0) {
      has_opened = window.closed_ns != 0;
      open_window(*process, now_ns);
    }
  }
  if (has_opened) {
    // The sender computes when it is next needed: the end of --duration is known only now.
    wake_sender(*process);
    // Without the lock: listeners call CUPTI and PyTorch, which may come back to us.
    tell_window_listeners();
  }
  return place + 1;
}

void set_opening(uint32_t opening, uint32_t ring, uint32_t id) {
  Process* process = awake_process();
  if (process == nullptr || opening == 0) return;
  const LockGuard lock(process->window.lock);
  process->window.openings[opening - 1] = {.ring = ring, .id = id, .is_used = true, .is_begun = true};
}

void drop_opening(uint32_t opening) {
  Process* process = awake_process();
  if (process == nullptr || opening == 0) return;
  bool has_closed;
  {
    const LockGuard lock(process->window.lock);
    has_closed = remove(*process, process->window.openings[opening - 1]);
  }
  if (has_closed) tell_window_listeners();
}

void end_opening(uint32_t ring, uint32_t id) {
  const ErrnoGuard errno_guard;
  Process* process = awake_process();
  if (process == nullptr) return;
  bool has_closed = false;
  {
    const LockGuard lock(process->window.lock);
    for (RecordingWindow::Opening& opening : process->window.openings) {
      if (!opening.is_begun || opening.ring != ring || opening.id != id) continue;
      has_closed = remove(*process, opening);
      break;
    }
  }
  if (has_closed) tell_window_listeners();
}

uint64_t update_window(Process& process) {
  RecordingWindow& window = process.window;
  if (!window.is_used) return kNever;
  const uint64_t now_ns = host_time();
  bool was_open;
  bool is_open;
  bool has_news;
  uint64_t wait_ns = kNever;
  {
    const LockGuard lock(window.lock);
    was_open = window.closed_ns == 0;
    if (window.end_ns != 0 && now_ns >= window.end_ns) window.is_over = true;
    // The gap that the process began in, which prepare_window() could not post.
    if (window.closed_ns != 0 && !window.first_gap_is_told) {
      tell_gap(window, 0);
      window.first_gap_is_told = true;
    }
    for (RecordingWindow::Opening& opening : window.openings) {
      const bool may_be_lost = opening.is_used && opening.is_begun && opening.ring != kNoRing;
      if (may_be_lost && is_span_lost(process, opening.ring, opening.id)) remove(process, opening);
    }
    if (!is_in_time(window, now_ns)) {
      close_window(process, now_ns);
    } else if (!window.has_range) {
      open_window(process, now_ns);
    }
    if (now_ns < window.begin_ns) wait_ns = window.begin_ns - now_ns;
    if (!window.is_over && window.end_ns > now_ns) wait_ns = std::min(wait_ns, window.end_ns - now_ns);
    if (window_openings.load(std::memory_order_relaxed) != 0) wait_ns = std::min(wait_ns, kLookForLostSpansNs);
    is_open = window.closed_ns == 0;
    has_news = is_open != was_open || !window.are_listeners_told;
    window.are_listeners_told = true;
  }
  if (has_news) tell_window_listeners();
  return wait_ns;
}

bool is_span_lost(const Process& process, uint32_t ring_index, uint32_t id) {
  const shm::RingHeader* ring = process.ring(ring_index);
  for (uint32_t slot = 0; slot < shm::kMaxOpenSpans; ++slot) {
    if (ring->open[slot].id.load(std::memory_order_acquire) != id) continue;
    // A jump leaves ids behind in the slots above the depth.
    return slot >= ring->depth.load(std::memory_order_relaxed);
  }
  return true;
}

void tell_window_listeners() {
  for (const auto& known : window_listeners) {
    if (auto* listener = known.load(std::memory_order_acquire)) listener();
  }
}

bool is_window_open() {
  constexpr auto kClosed =
      static_cast<uint8_t>(PauseReason::kOutsideWindow) | static_cast<uint8_t>(PauseReason::kNobodyListens);
  if (are_hooks_running()) return true;
  const Process* process = awake_process();
  return process == nullptr || (process->pause_reasons.load(std::memory_order_relaxed) & kClosed) == 0;
}

bool are_hooks_running() { return state.load(std::memory_order_relaxed) != State::kPaused; }

}  // namespace xsp::guest

void xsp_profiler_range(int begins) {
  using namespace xsp::guest;
  if (begins == 0) {
    span_ended(kNoRing, kProfilerSpan);
    return;
  }
  if (wake_process() == nullptr || !awaited_range.is_profiler_api) return;
  // As in CUDA, a second start in a row does nothing.
  if (window_openings.load(std::memory_order_relaxed) == 0) set_opening(begin_opening(), kNoRing, kProfilerSpan);
}
