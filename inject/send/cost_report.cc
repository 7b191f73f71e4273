#include "inject/send/cost_report.h"

#include <algorithm>

#include "inject/record/thread.h"
#include "proto/packet_writer.h"

namespace xsp::guest {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

}  // namespace

CostReport::CostReport(Process& process) : process_(process), rate_(process.settings.max_overhead) {
  before_.wall_ns = process.first_clock.monotonic_ns;
}

/// The time in hooks of the thread that spent the most there: a program waits for its slowest thread, not for the sum
/// of all.
uint64_t CostReport::busiest_since_last(double nanoseconds_per_tick) {
  uint64_t most = 0;
  const uint32_t rings = process_.region.header()->rings_used.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < rings; ++i) {
    const uint64_t ticks = process_.ring(i)->hook_ticks.load(std::memory_order_relaxed);
    most = std::max(most, ticks - ticks_before_[i]);
    ticks_before_[i] = ticks;
  }
  return static_cast<uint64_t>(static_cast<double>(most) * nanoseconds_per_tick);
}

uint64_t CostReport::busiest_calls_since_last() {
  uint64_t most = 0;
  const uint32_t rings = process_.region.header()->rings_used.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < rings; ++i) {
    const uint64_t seen = process_.sampling.seen_by_ring[i].load(std::memory_order_relaxed);
    most = std::max(most, seen - seen_before_[i]);
    seen_before_[i] = seen;
  }
  return most;
}

void CostReport::write(WireWriter& writer, const ClockPair& clock, bool last) {
  if (!last && clock.monotonic_ns < before_.wall_ns + kSecond) return;
  tell_own_time(OwnThread::kSender);
  const ClockPair& first = process_.first_clock;
  // Over the whole run so far: the longer the span between the two readings, the less their errors matter.
  const double nanoseconds_per_tick = clock_source == ClockSource::kMonotonic
                                          ? 1
                                          : static_cast<double>(clock.monotonic_ns - first.monotonic_ns) /
                                                static_cast<double>(std::max<uint64_t>(clock.ticks - first.ticks, 1));
  const auto in_ns = [&](uint64_t ticks) {
    return static_cast<uint64_t>(static_cast<double>(ticks) * nanoseconds_per_tick);
  };
  Cost cost;
  cost.wall_ns = clock.monotonic_ns;
  uint64_t ticks = 0;
  uint64_t unsampled_ticks = 0;
  uint64_t timed = 0;
  const uint32_t rings = process_.region.header()->rings_used.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < rings; ++i) {
    const shm::RingHeader& ring = *process_.ring(i);
    ticks += ring.hook_ticks.load(std::memory_order_relaxed);
    unsampled_ticks += ring.unsampled_hook_ticks.load(std::memory_order_relaxed);
    timed += ring.hooks_timed.load(std::memory_order_relaxed);
  }
  cost.hooks_ns = in_ns(ticks);
  cost.unsampled_ns = in_ns(unsampled_ticks);
  for (const auto& of_thread : process_.hook_times.own_threads_ns)
    cost.threads_ns += of_thread.load(std::memory_order_relaxed);
  cost.seen = process_.sampling.seen.load(std::memory_order_relaxed);
  cost.recorded = process_.sampling.recorded.load(std::memory_order_relaxed);
  // With the median as it is now: it drifts as the program's calls do, so it is not applied to earlier calls.
  calls_ns_ += static_cast<uint64_t>(static_cast<double>(cost.recorded - before_.recorded) *
                                     process_.sampling.costs.median().ns);
  busiest_ns_ = busiest_since_last(nanoseconds_per_tick);
  write_packet(writer, wire::Overhead{.wall_ns = clock.monotonic_ns - first.monotonic_ns,
                                      .cpu_ns = nanoseconds(CLOCK_PROCESS_CPUTIME_ID),
                                      .hooks_ns = cost.hooks_ns,
                                      .threads_ns = cost.threads_ns,
                                      .hooks_timed = timed,
                                      .calls_ns = calls_ns_});
  if (process_.sampling.by == SampleBy::kCost) follow_cost(cost);
  before_ = cost;
  if (process_.sampling.by == SampleBy::kAll) return;
  const wire::Sampling totals{.every = process_.sampling.full.every(),
                              .seen = cost.seen,
                              .recorded = cost.recorded,
                              .is_adaptive = process_.sampling.by == SampleBy::kCost};
  if (!(totals == sampling_sent_)) write_packet(writer, totals);
  sampling_sent_ = totals;
}

/// The guest's own threads work for what hooks have recorded, so their time is split into sampled and unsampled as the
/// hooks' time is.
void CostReport::follow_cost(const Cost& cost) {
  const auto seconds = [](uint64_t ns) { return static_cast<double>(ns) / kSecond; };
  ModelSampling& sampling = process_.sampling;
  // The totals are read while hooks count: a difference may come out negative, which counts as none.
  const double hooks = seconds(cost.hooks_ns - std::min(before_.hooks_ns, cost.hooks_ns));
  const double unsampled = seconds(cost.unsampled_ns - std::min(before_.unsampled_ns, cost.unsampled_ns));
  const double total = seconds(busiest_ns_) + seconds(cost.threads_ns - std::min(before_.threads_ns, cost.threads_ns));
  const double unsampled_part = hooks > 0 ? std::min(unsampled / hooks, 1.0) : 1;
  rate_.add({.length = seconds(cost.wall_ns - before_.wall_ns),
             .sampled = total * (1 - unsampled_part),
             .unsampled = total * unsampled_part,
             .calls = cost.seen - before_.seen,
             .recorded = cost.recorded - before_.recorded,
             .busiest_calls = busiest_calls_since_last(),
             .ratio = sampling.costs.median().ratio});
  const auto follow = [&sampling](SampleBlocks& blocks, uint32_t every) {
    // Not where the rate stays: its block goes on.
    if (blocks.every() != every) blocks.change(every, sampling.seen.load(std::memory_order_relaxed));
  };
  follow(sampling.full, rate_.every());
  follow(sampling.spans, rate_.shallow_every());
  if (cost.seen == 0) pause_uncalled(process_, rate_.is_overdrawn(), cost.wall_ns);
  if (rate_.shallow_every() > 1 && !has_told_) tell_that_models_cost_too_much();
}

void CostReport::tell_that_models_cost_too_much() {
  has_told_ = true;
  notify(1, "guest",
         "model calls are so short that their spans alone cost more than --max-overhead: of those that are not sampled "
         "only some are recorded");
}

}  // namespace xsp::guest
