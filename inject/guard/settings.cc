#include "inject/guard/settings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject/guard/sanitizers.h"
#include "proto/environment.h"

namespace xsp::guest {
namespace {

uint8_t level_named(const char* name) {
  if (strcmp(name, "model") == 0) return 2;
  if (strcmp(name, "layer") == 0) return 3;
  if (strcmp(name, "library") == 0) return 4;
  // Unset, or a level that this guest does not know: record everything.
  return 6;
}

// Not strtol: newer headers turn it into __isoc23_strtol, a symbol that older glibc lacks.
// May exceed `most` by its last digit.
uint64_t parse_number(const char* text, uint64_t most) {
  uint64_t value = 0;
  for (; *text >= '0' && *text <= '9' && value <= most / 10; ++text) {
    value = value * 10 + static_cast<uint64_t>(*text - '0');
  }
  return value;
}

/// A percentage in plain decimals. Anything that is not a number above 0 and at most 100 yields `otherwise`.
double percent_in_environment(const char* name, double otherwise) {
  char text[32];
  copy_environment(name, text, sizeof text);
  double value = 0;
  double unit = 0;
  for (const char* at = text; *at != '\0'; ++at) {
    if (*at == '.' && unit == 0) {
      unit = 1;
    } else if (*at >= '0' && *at <= '9') {
      if (unit == 0) {
        value = value * 10 + (*at - '0');
      } else {
        value += (*at - '0') * (unit /= 10);
      }
    } else {
      return otherwise;
    }
  }
  return value > 0 && value <= 100 ? value : otherwise;
}

uint64_t number_in_environment(const char* name, uint64_t most) {
  char text[32];
  copy_environment(name, text, sizeof text);
  const uint64_t value = parse_number(text, most);
  return value <= most ? value : most;
}

/// The number whose digits end at `end`; 0 for anything else.
uint64_t whole_number(const char* text, const char* end, uint64_t most) {
  for (const char* at = text; at < end; ++at) {
    if (*at < '0' || *at > '9') return 0;
  }
  const uint64_t value = parse_number(text, most);
  return value <= most ? value : 0;
}

/// "1/N" samples by count, although it could be read as ON_NS/PERIOD_NS: one nanosecond out of N makes no sense as a
/// time.
void read_sampling(Settings& settings) {
  char text[64];
  copy_environment(variable::kSample, text, sizeof text);
  const char* slash = strchr(text, '/');
  if (strcmp(text, "auto") == 0) {
    settings.sample_by = SampleBy::kCost;
    settings.sample_every = 1;
  } else if (slash != nullptr) {
    // Times are added up later: sums of two or three must not overflow.
    constexpr uint64_t kMost = UINT64_MAX / 4;
    const uint64_t first = whole_number(text, slash, kMost);
    const uint64_t second = whole_number(slash + 1, slash + strlen(slash), kMost);
    if (first == 1 && second >= 1 && second <= kLargestSampleEvery) {
      settings.sample_by = SampleBy::kCount;
      settings.sample_every = static_cast<uint32_t>(second);
    } else if (first > 1 && second > first) {
      settings.sample_by = SampleBy::kTime;
      settings.sample_every = 1;
      settings.sample_ns = first;
      settings.sample_period_ns = second;
    }
  }
  settings.max_overhead = percent_in_environment(variable::kMaxOverhead, 1) / 100;
}

uint8_t activities_in_environment() {
  char text[128];
  copy_environment(variable::kActivities, text, sizeof text);
  return text[0] == '\0' ? kDefaultActivities : activities_named(text, nullptr);
}

}  // namespace

void copy_environment(const char* name, char* to, size_t capacity) {
  to[0] = '\0';
  const char* value = secure_getenv(name);
  if (value == nullptr) return;
  const size_t length = strlen(value);
  // A path or list that was cut would mean something else, so it counts as unset.
  if (length < capacity) memcpy(to, value, length + 1);
}

Settings read_settings() {
  Settings settings{};
  copy_environment(variable::kSocket, settings.socket_path, sizeof settings.socket_path);
  copy_environment(variable::kScratch, settings.scratch_dir, sizeof settings.scratch_dir);
  char text[32];
  copy_environment(variable::kLevel, text, sizeof text);
  settings.deepest_level = level_named(text);
  copy_environment(variable::kLibraryCalls, text, sizeof text);
  settings.all_library_calls = strcmp(text, "all") == 0;
  copy_environment(variable::kOnFull, text, sizeof text);
  settings.on_full = strcmp(text, "block") == 0 ? OnFull::kBlock : OnFull::kDrop;
  settings.only_pid = static_cast<int>(number_in_environment(variable::kOnlyPid, INT32_MAX / 2));
  settings.activities = activities_in_environment();
  copy_environment(variable::kCudaApi, settings.cuda_api, sizeof settings.cuda_api);
  copy_environment(variable::kMetrics, settings.metrics, sizeof settings.metrics);
  copy_environment(variable::kMetricsLeaveOut, settings.metrics_leave_out, sizeof settings.metrics_leave_out);
  if (settings.metrics[0] != '\0') {
    // While counters are read kernels are replayed, so their times mean nothing; their launches say which kernels there
    // were.
    settings.activities = 0;
    memcpy(settings.cuda_api, "launch", sizeof "launch");
  }
  copy_environment(variable::kRange, settings.range, sizeof settings.range);
  settings.begin_ns = number_in_environment(variable::kBeginNs, UINT64_MAX / 4);
  settings.duration_ns = number_in_environment(variable::kDurationNs, UINT64_MAX / 4);
  read_sampling(settings);
  settings.concurrency = read_concurrency();
  return settings;
}

bool wanted(const Settings& settings) {
  return settings.socket_path[0] != '\0' && (settings.only_pid == 0 || settings.only_pid == getpid()) &&
         !misread_by_sanitizer();
}

}  // namespace xsp::guest
