#include "bound/measure/sampling.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "base/monotonic_clock.h"

namespace xsp::bound {
namespace {

constexpr double kRanThrough = 0.9;         // of the wall time
constexpr uint64_t kMostCalls = 1'000'000;  // in a sample

/// Of a thread that waits for others which compute, no sample has so much.
constexpr double kOwnWork = 0.5;  // of the wall time

double wall_clock_ns() { return static_cast<double>(monotonic_ns()); }

double thread_clock_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

struct Span {
  double wall_ns;
  double cpu_ns;
};

Span span_of(const std::function<void()>& calls, bool one_thread) {
  const double wall = wall_clock_ns();
  const double cpu = one_thread ? thread_clock_ns() : 0;
  calls();
  const double cpu_end = one_thread ? thread_clock_ns() : 0;
  return {.wall_ns = wall_clock_ns() - wall, .cpu_ns = cpu_end - cpu};
}

double least(const std::vector<float>& times) {
  return times.empty() ? 0 : static_cast<double>(*std::min_element(times.begin(), times.end()));
}

std::vector<float> sorted(std::vector<float> times) {
  std::sort(times.begin(), times.end());
  return times;
}

/// Takes samples until the limits end it. `before` each one is not timed; `calls` happen in each.
Samples sampled(const std::function<void()>& before, const std::function<void()>& sample, uint64_t calls,
                bool one_thread, const SamplingLimits& limits) {
  Samples samples;
  const double begin = wall_clock_ns();
  while (samples.wall_ns.size() < std::max<uint64_t>(limits.most, 1)) {
    before();
    const Span span = span_of(sample, one_thread);
    samples.wall_ns.push_back(static_cast<float>(span.wall_ns / static_cast<double>(calls)));
    if (one_thread) samples.cpu_ns.push_back(static_cast<float>(span.cpu_ns / static_cast<double>(calls)));
    if (limits.between) limits.between();
    const double spent = wall_clock_ns() - begin;
    if (spent >= limits.budget_ns * kMostBudgets) break;
    if (samples.wall_ns.size() < limits.least) continue;
    if (spent >= limits.budget_ns) break;
    const double best = samples.cpu_min().value_or(samples.min());
    if (limits.to_beat_ns && best > kHopeless * *limits.to_beat_ns) break;
  }
  return samples;
}

/// How many calls take `sample_ns`, by calling. With one thread it is processor time that counts: a neighbour that
/// takes the core for a while must not make the samples short.
uint64_t calls_of_sample(const std::function<void()>& call, bool one_thread, const SamplingLimits& limits) {
  uint64_t calls = 1;
  while (true) {
    const auto batch = [&call, calls] {
      for (uint64_t i = 0; i < calls; ++i) call();
    };
    const Span span = span_of(batch, one_thread);
    const double spent = one_thread ? span.cpu_ns : span.wall_ns;
    if (spent >= limits.sample_ns || span.wall_ns >= 10 * limits.sample_ns || calls >= kMostCalls) return calls;
    const double wanted = static_cast<double>(calls) * limits.sample_ns / std::max(spent, 1.0);
    // A first short measure says little: it grows by steps, the last of which is a sample's length itself.
    calls = static_cast<uint64_t>(
        std::clamp(std::ceil(wanted * 1.05), static_cast<double>(calls) + 1, static_cast<double>(calls) * 16));
    calls = std::min(calls, kMostCalls);
  }
}

}  // namespace

double Samples::min() const { return least(wall_ns); }

double Samples::median() const {
  if (wall_ns.empty()) return 0;
  const std::vector<float> times = sorted(wall_ns);
  const size_t middle = times.size() / 2;
  const double upper = static_cast<double>(times[middle]);
  return times.size() % 2 == 1 ? upper : (static_cast<double>(times[middle - 1]) + upper) / 2;
}

double Samples::p90() const {
  if (wall_ns.empty()) return 0;
  const std::vector<float> times = sorted(wall_ns);
  return static_cast<double>(times[(times.size() * 9 + 9) / 10 - 1]);  // nearest rank
}

std::optional<double> Samples::cpu_min() const {
  if (cpu_ns.empty()) return std::nullopt;
  std::vector<float> through;
  double most = 0;
  for (size_t i = 0; i < cpu_ns.size(); ++i) {
    const double share = static_cast<double>(cpu_ns[i]) / std::max(static_cast<double>(wall_ns[i]), 1e-3);
    most = std::max(most, share);
    if (share >= kRanThrough) through.push_back(cpu_ns[i]);
  }
  if (most < kOwnWork) return std::nullopt;
  return through.empty() ? static_cast<double>(sorted(cpu_ns)[cpu_ns.size() / 10]) : least(through);
}

void Samples::append(const Samples& more) {
  wall_ns.insert(wall_ns.end(), more.wall_ns.begin(), more.wall_ns.end());
  cpu_ns.insert(cpu_ns.end(), more.cpu_ns.begin(), more.cpu_ns.end());
}

Samples take_one_sample(const std::function<void()>& call, bool one_thread) {
  const Span span = span_of(call, one_thread);
  Samples samples{.wall_ns = {static_cast<float>(span.wall_ns)}};
  if (one_thread) samples.cpu_ns.push_back(static_cast<float>(span.cpu_ns));
  return samples;
}

Samples take_samples(const std::function<void()>& call, bool one_thread, const SamplingLimits& limits) {
  // Of a call that takes the whole budget by itself one warm-up must do.
  const bool is_long = span_of(call, false).wall_ns >= limits.budget_ns;
  if (limits.between) limits.between();
  if (!is_long) call();
  const uint64_t calls = is_long ? 1 : calls_of_sample(call, one_thread, limits);
  if (limits.between) limits.between();
  const auto sample = [&call, calls] {
    for (uint64_t i = 0; i < calls; ++i) call();
  };
  return sampled([] {}, sample, calls, one_thread, limits);
}

Samples take_cold_samples(const std::vector<std::function<void()>>& calls, const std::function<void()>& evict,
                          bool one_thread, const SamplingLimits& limits) {
  if (calls.empty()) return {};
  const auto sample = [&calls] {
    for (const std::function<void()>& call : calls) call();
  };
  sample();  // pages of the operands, and what a library makes at first calls
  if (limits.between) limits.between();
  return sampled(evict, sample, calls.size(), one_thread, limits);
}

}  // namespace xsp::bound
