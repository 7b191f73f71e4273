/// Entry for the environment that the guest reads when it wakes: a line for each variable of XSP, in the order below.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "inject/guard/settings.h"
#include "proto/environment.h"
#include "test/fuzz/fuzz_input.h"

namespace {

using namespace xsp;

constexpr const char* kVariables[] = {
    variable::kSample, variable::kMaxOverhead, variable::kBeginNs, variable::kDurationNs, variable::kOnlyPid,
    variable::kLevel,  variable::kActivities,  variable::kMetrics, variable::kCudaApi,    variable::kLibraryCalls,
    variable::kOnFull, variable::kRange,       variable::kSocket,  variable::kScratch,    variable::kMetricsLeaveOut,
};

void expect(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  test::FuzzInput input(data, size);
  for (const char* name : kVariables) {
    const std::string value(input.line());
    ::setenv(name, value.c_str(), 1);
  }
  const guest::Settings settings = guest::read_settings();
  // What is computed with them later must not overflow, nor divide by zero.
  constexpr uint64_t kMostNs = UINT64_MAX / 4;
  expect(settings.begin_ns <= kMostNs && settings.duration_ns <= kMostNs);
  expect(settings.only_pid >= 0);
  expect(settings.max_overhead > 0 && settings.max_overhead <= 1);
  expect(settings.deepest_level >= 2 && settings.deepest_level <= 6);
  if (settings.sample_by != guest::SampleBy::kAll) expect(settings.sample_every >= 1);
  if (settings.sample_by == guest::SampleBy::kTime) {
    expect(settings.sample_ns > 1 && settings.sample_ns < settings.sample_period_ns);
    expect(settings.sample_period_ns <= kMostNs);
  }
  expect(std::memchr(settings.socket_path, 0, sizeof settings.socket_path) != nullptr);
  (void)guest::wanted(settings);
  return 0;
}
