#include "inject/record/call_costs.h"

#include <algorithm>

#include "inject/record/thread.h"

namespace xsp::guest {
namespace {

void keep(CallCosts& costs, uint64_t sampled_ns, uint64_t next_ns) {
  const double difference = static_cast<double>(sampled_ns) - static_cast<double>(next_ns);
  const LockGuard lock(costs.lock);
  costs.latest[costs.count++ % CallCosts::kKept] = {difference, difference / static_cast<double>(next_ns)};
}

}  // namespace

CallCosts::Difference CallCosts::median() {
  Difference sorted[kKept];
  uint64_t kept;
  {
    const LockGuard guard(lock);
    kept = std::min<uint64_t>(count, kKept);
    std::copy_n(latest, kept, sorted);
  }
  if (kept < kEnough) return {};
  // Each median for itself: the call with the median time need not be the one with the median ratio.
  const auto middle = [&](double Difference::*of) {
    std::sort(sorted, sorted + kept, [of](const Difference& a, const Difference& b) { return a.*of < b.*of; });
    return std::max(0.0, sorted[kept / 2].*of);
  };
  return {middle(&Difference::ns), middle(&Difference::ratio)};
}

void measure_call(Thread& thread, CallCosts& costs, uint32_t name, bool is_sampled) {
  using Phase = MeasuredCall::Phase;
  MeasuredCall& call = thread.measured_call;
  // Reading the thread's CPU clock is a system call: most calls are neither sampled nor the next one after a sampled
  // call.
  if (call.phase == Phase::kNone && !is_sampled) return;
  const uint64_t now_ns = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  const uint64_t passed_ns = now_ns - call.begin_ns;
  if (call.phase == Phase::kNext && passed_ns != 0) keep(costs, call.sampled_ns, passed_ns);
  // Only calls of the same name are alike enough to be compared.
  const bool is_next = call.phase == Phase::kSampled && !is_sampled && name == call.name;
  if (is_next) call.sampled_ns = passed_ns;
  call.phase = is_sampled ? Phase::kSampled : is_next ? Phase::kNext : Phase::kNone;
  call.begin_ns = now_ns;
  call.name = name;
}

}  // namespace xsp::guest
