#pragma once

/// How the stand-in is asked to behave.
///
/// FAKE_CUPTI_VERSION is what cuptiGetVersion returns (18 for 12.1, 26 for 12.8, 130001); it determines the layout of
/// records, and the faults that NVIDIA's release notes report for that version (below). FAKE_CUPTI_OFFSET shifts
/// CUPTI's clock by nanoseconds. FAKE_CUPTI has words, separated by commas, for what the real one does at its worst:
///
/// - fails: every function returns 999, as without a driver
/// - held: the subscriber is taken, by nsight-systems
/// - jump: the clock is another one until there is a context
/// - unordered: records and buffers come in no order
/// - late: nothing is handed over before a flush
/// - threads: buffers are completed on a new thread each time
/// - program_thread: there is no thread of CUPTI's own, and a flush hands over on its thread
/// - asks_late: a buffer is requested when its records are handed over, not when their operations are launched
/// - small=N: at most N bytes of a buffer are used
/// - dropped=N, zero=N, inverted=N: the first N kernels are lost and counted, without a time, or end before they begin
/// - first_iteration: of the body of a conditional node only the first run is told
/// - no_null: aborts when it is given no buffer; versions before 12.9 do so anyway
/// - reset_loses: what is not handed over when a context is destroyed is lost
/// - lost_ranges=N, mixed_ranges, foreign_ranges=N: counting, the last N ranges of an image are dropped; each image has
///   one range more than there were launches; behind each Nth kernel comes a range of a kernel that nobody launched
/// - one_configuration: a range profiler takes one configuration only
/// - no_permission, busy, confidential, no_counters: why there are no counters
/// - fatal=N: at the Nth kernel that has run CUPTI tells of a fatal error and finalizes itself
///
/// What a version does by itself:
///
/// - 12.3 to 12.6: a flush from another thread than the one whose buffers it returns aborts (12.8 and later: allowed)
/// - 12.6 to 13.0: the first kernels behind each registration of a timestamp callback have no times
/// - before 13.1u1: kernels of graphs have a wrong correlation id in every session but the first
/// - 12.9 on: a refused buffer is told to a subscriber of the state domain

#include <cstdint>

namespace fake {

/// Whether FAKE_CUPTI contains the word; for "word=5", `value` receives the number.
bool misbehaves(const char* word, uint64_t* value = nullptr);

uint32_t cupti_version();

/// A session begins when kernels are enabled after having been disabled.
bool graph_ids_are_wrong(uint32_t session);
bool timestamp_callback_spoils_kernels();
bool foreign_flush_crashes();
bool refused_buffer_is_told();

}  // namespace fake
