#include "inject/concurrency/switch_costs.h"

#include <algorithm>

#include "inject/record/clock.h"

namespace xsp::guest {
namespace {

constexpr uint64_t kLongestNs = 300'000'000;
constexpr uint32_t kRepetitions = 9;
constexpr uint32_t kLeastRepetitions = 3;

uint64_t median(uint64_t* values, uint32_t count) {
  std::sort(values, values + count);
  return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/// False if there was no time for enough repetitions before `deadline`.
bool measure(const ThreadFunctions& functions, uint64_t deadline, wire::ThreadSwitch* change) {
  uint64_t changed[kRepetitions];
  uint64_t unchanged[kRepetitions];
  uint32_t n = 0;
  for (; n < kRepetitions; ++n) {
    prepare_team(functions, change->from);
    const uint64_t begin = nanoseconds(CLOCK_MONOTONIC);
    prepare_team(functions, change->to);
    const uint64_t middle = nanoseconds(CLOCK_MONOTONIC);
    prepare_team(functions, change->to);
    const uint64_t end = nanoseconds(CLOCK_MONOTONIC);
    changed[n] = middle - begin;
    unchanged[n] = end - middle;
    if (end >= deadline) {
      ++n;
      break;
    }
  }
  if (n < kLeastRepetitions) return false;
  const uint64_t with = median(changed, n);
  const uint64_t without = median(unchanged, n);
  change->cost_ns = with > without ? with - without : 0;
  change->n = n;
  return true;
}

}  // namespace

uint32_t measure_switches(const ThreadFunctions& functions, uint32_t own, const uint32_t* others, uint32_t count,
                          wire::ThreadSwitch (&changes)[kMostSwitches]) {
  uint32_t wanted = 0;
  const auto want = [&](uint32_t from, uint32_t to) {
    if (from != to && wanted < kMostSwitches) changes[wanted++] = {.from = from, .to = to};
  };
  for (uint32_t i = 0; i < count; ++i) {
    want(own, others[i]);
    want(others[i], own);
  }
  for (uint32_t i = 1; i < count; ++i) {
    if (others[i - 1] == own || others[i] == own) continue;
    want(others[i - 1], others[i]);
    want(others[i], others[i - 1]);
  }
  const uint64_t end = nanoseconds(CLOCK_MONOTONIC) + kLongestNs;
  uint32_t measured = 0;
  for (uint32_t i = 0; i < wanted; ++i) {
    const uint64_t begin = nanoseconds(CLOCK_MONOTONIC);
    if (begin >= end) break;
    wire::ThreadSwitch change = changes[i];
    if (measure(functions, begin + (end - begin) / (wanted - i), &change)) changes[measured++] = change;
  }
  return measured;
}

}  // namespace xsp::guest
