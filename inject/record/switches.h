#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

extern "C" {
/// The deepest level at which wrapped calls are recorded; see inject/library/call.h, which C wrappers include.
extern volatile uint8_t xsp_library_state;
}

namespace xsp::guest {

/// The one state of the guest. Asleep until a hook is first reached; off for the life of the process after any internal
/// failure, which makes every hook return at once. Paused outside the recording window, and while no model call is
/// sampled: no hook opens a span, and open spans end as usual.
enum class State : uint8_t { kAsleep = 0, kOn = 1, kOff = 2, kPaused = 3 };

/// Which clock the records carry; values of proto's Clock.
enum class ClockSource : uint8_t { kMonotonic = 0, kTsc = 1 };

inline constexpr uint8_t kLibraryAsleep = 255;
inline constexpr uint8_t kLibraryPaused = 1;  // below every threshold, but captures still learn what they need later
inline constexpr uint8_t kAllCalls = 16;      // added when queries and descriptor calls are recorded too

/// What every hook looks at before it records, in one cache line: a thread that comes back from a wait finds its caches
/// cold, and should wait for one line only.
struct alignas(64) Switches {
  uint8_t library_state = kLibraryAsleep;  // the symbol xsp_library_state; to be used by that name only
  std::atomic<uint8_t> wanted_calls{kLibraryAsleep};
  std::atomic<bool> api_calls_as_records{false};
  alignas(4) std::atomic<State> state{State::kAsleep};
  ClockSource clock_source = ClockSource::kMonotonic;
  std::atomic<bool> are_spans_watched{false};
  std::atomic<bool> is_sampling{false};
  std::atomic<uint32_t> api_levels{0};  // bit l: spans of the C API of level l are recorded
};
// Hidden, so that it is addressed without the table that a program could replace symbols by.
extern Switches switches __asm__("xsp_library_state") __attribute__((visibility("hidden")));

inline constexpr std::atomic<State>& state = switches.state;
/// Set once, before the first record of the process. Reading the TSC takes half the time of clock_gettime, and is right
/// where the kernel itself keeps time by it (invariant and synchronised); elsewhere CLOCK_MONOTONIC is used.
inline constexpr ClockSource& clock_source = switches.clock_source;
/// The value of xsp_library_state inside the recording window: what the user asked for.
inline constexpr std::atomic<uint8_t>& wanted_calls = switches.wanted_calls;
/// Calls of the CUDA API come as activity records for now (inject/cupti/calls/api_callbacks.h), so wrappers only pass
/// them on.
inline constexpr std::atomic<bool>& api_calls_as_records = switches.api_calls_as_records;
/// Whether spans of the C API need a closer look, because model calls are sampled or a range is awaited.
inline constexpr std::atomic<bool>& are_spans_watched = switches.are_spans_watched;
/// Whether model calls of this process are sampled.
inline constexpr std::atomic<bool>& is_sampling = switches.is_sampling;

/// Whether spans of the C API of this level are recorded unless something else prevents it.
inline constexpr std::atomic<uint32_t>& api_levels = switches.api_levels;

/// The four switches that spans of the C API depend on, in one load.
inline uint32_t switch_word() {
  constexpr size_t kFirst = offsetof(Switches, state);
  static_assert(offsetof(Switches, clock_source) == kFirst + 1 && offsetof(Switches, are_spans_watched) == kFirst + 2 &&
                offsetof(Switches, is_sampling) == kFirst + 3 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  using Word [[gnu::may_alias]] = const uint32_t;
  const auto* word = reinterpret_cast<Word*>(reinterpret_cast<const uint8_t*>(&switches) + kFirst);
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/// Whether spans take the shortest path: recording is on, the clock is the TSC, and no span is watched.
inline bool is_direct(uint32_t word) {
  constexpr uint32_t kDirect = uint32_t{static_cast<uint8_t>(ClockSource::kTsc)} << 8 | uint32_t{uint8_t(State::kOn)};
  return __builtin_expect(word == kDirect, 1);
}

/// Whether no span of any kind begins now: the guest is off or paused, and no span is watched.
inline bool is_nothing_recorded(uint32_t word) {
  constexpr auto kOff = static_cast<uint32_t>(State::kOff);
  static_assert((kOff & static_cast<uint32_t>(State::kPaused)) == kOff &&
                (kOff & static_cast<uint32_t>(State::kOn)) == 0);
  constexpr uint32_t kWatched = 0xff0000;
  return (word & (kWatched | kOff)) == kOff;
}

}  // namespace xsp::guest
