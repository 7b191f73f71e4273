#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/guard/concurrency_settings.h"
#include "proto/activities.h"
#include "proto/environment.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {

enum class OnFull : uint8_t { kDrop, kBlock };

/// Which model calls are recorded in full: all, one in every N, those in a part of each period, or as many as cost
/// little enough.
enum class SampleBy : uint8_t { kAll, kCount, kTime, kCost };

/// Deepest level to record, as proto's Level: 2 model, 3 layer and so on.
inline constexpr auto kLevelApplication = static_cast<uint8_t>(wire::Level::kApplication);
inline constexpr auto kLevelModel = static_cast<uint8_t>(wire::Level::kModel);
inline constexpr auto kLevelLayer = static_cast<uint8_t>(wire::Level::kLayer);
inline constexpr auto kLevelLibrary = static_cast<uint8_t>(wire::Level::kLibrary);
inline constexpr auto kLevelDevice = static_cast<uint8_t>(wire::Level::kDevice);

/// What xsp-run asked for (proto/environment.h has the names), read from the environment once, when the guest wakes.
/// The environment is ignored in programs that run with another user's rights (secure_getenv).
struct Settings {
  char socket_path[108];         // XSP_SOCKET; empty: nobody listens, the guest stays off
  char scratch_dir[1024];        // XSP_SCRATCH: where frameworks' own profiles go; "": none are made
  uint8_t deepest_level;         // XSP_LEVEL
  bool all_library_calls;        // XSP_LIBRARY_CALLS=all|compute: getters, setters and descriptors too
  OnFull on_full;                // XSP_ON_FULL=drop|block
  int only_pid;                  // XSP_ONLY_PID: the one process to record (--no-children); 0: all
  uint8_t activities;            // XSP_ACTIVITIES: Activities; unset: kDefaultActivities
  char cuda_api[kCudaApiBytes];  // XSP_CUDA_API: --cuda-api's list as it was given; empty: the default
  char metrics[kMetricsBytes];   // XSP_METRICS: --metrics, of the run that counts; empty: nothing is counted
  /// XSP_METRICS_LEAVE_OUT: --metrics-leave-out, parts of names of kernels that are not counted.
  char metrics_leave_out[kLeaveOutBytes];
  // The part of the run that is recorded; see inject/record/recording_window.h.
  char range[kRangeBytes];  // XSP_RANGE: NAME, NAME@DOMAIN or cudaProfilerApi; empty: no range
  uint64_t begin_ns;        // XSP_BEGIN_NS: CLOCK_MONOTONIC; 0: from the start
  uint64_t duration_ns;     // XSP_DURATION_NS: from begin_ns, or from the first opening of the range; 0: to the end
  // XSP_SAMPLE: "1/N", "ON_NS/PERIOD_NS" or "auto"; unset or anything else: kAll. See inject/record/sampling.h.
  SampleBy sample_by;
  uint32_t sample_every;
  uint64_t sample_ns;
  uint64_t sample_period_ns;
  double max_overhead;  // for kCost: share of the time, from XSP_MAX_OVERHEAD in percent
  ConcurrencySettings concurrency;
};

Settings read_settings();

/// True if the process was asked for and can be recorded: a socket is named, --no-children does not exclude it, and no
/// sanitizer would take what we do for the program's faults.
bool wanted(const Settings& settings);

/// secure_getenv with a bounded copy; empty when unset or too long.
void copy_environment(const char* name, char* to, size_t capacity);

}  // namespace xsp::guest
