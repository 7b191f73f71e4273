#include "bound/measure/benchmark_run.h"

#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <string_view>

#include "base/monotonic_clock.h"
#include "bound/measure/benchmark_session.h"
#include "bound/measure/stop_signals.h"
#include "bound/measure/time_estimate.h"

namespace xsp::bound {
namespace {

/// A child that has ended must not end this process when it is written to.
class IgnoredPipeSignal {
 public:
  IgnoredPipeSignal() {
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignored, &before_);
  }
  ~IgnoredPipeSignal() { sigaction(SIGPIPE, &before_, nullptr); }
  IgnoredPipeSignal(const IgnoredPipeSignal&) = delete;
  IgnoredPipeSignal& operator=(const IgnoredPipeSignal&) = delete;

 private:
  struct sigaction before_ {};
};

/// Dearest first, all libraries of a problem together.
std::vector<Benchmark> in_order(std::vector<Benchmark> benchmarks) {
  std::map<std::string_view, double> dearest;
  for (const Benchmark& benchmark : benchmarks) {
    double& cost = dearest[benchmark.item->problem];
    cost = std::max(cost, guessed_call_s(*benchmark.item));
  }
  std::stable_sort(benchmarks.begin(), benchmarks.end(), [&dearest](const Benchmark& a, const Benchmark& b) {
    const double cost_a = dearest[a.item->problem];
    const double cost_b = dearest[b.item->problem];
    return cost_a != cost_b ? cost_a > cost_b : a.item->problem < b.item->problem;
  });
  return benchmarks;
}

double seconds_since(uint64_t begin_ns) { return static_cast<double>(monotonic_ns() - begin_ns) / 1e9; }

}  // namespace

Status run_benchmarks(const std::vector<Benchmark>& benchmarks, const BenchmarkOptions& options,
                      const std::function<Status(const Benchmark&, const std::vector<Measurement>&)>& commit,
                      const std::function<void(const BenchmarkProgress&)>& progress, size_t* done) {
  *done = 0;
  const std::vector<Benchmark> ordered = in_order(benchmarks);
  const IgnoredPipeSignal no_pipe_signal;
  StopSignals stop;
  TimeEstimate estimate(ordered, options.budget_ms);
  // A child a library: what it has loaded serves many problems, and one that fails takes no other library with it.
  std::map<const Library*, BenchmarkSession> sessions;
  const uint64_t begin_ns = monotonic_ns();
  for (const Benchmark& benchmark : ordered) {
    if (options.time_limit_s && seconds_since(begin_ns) >= *options.time_limit_s) break;
    const uint64_t current_ns = monotonic_ns();
    const auto tell = [&] {
      progress({.done = *done,
                .all = ordered.size(),
                .current = &benchmark,
                .left_s = estimate.left_s(benchmark, seconds_since(current_ns))});
    };
    tell();
    if (stop.caught() != 0) return {.error = "interrupted", .exit_code = 128 + stop.caught()};
    BenchmarkSession& session = sessions.try_emplace(benchmark.library, options, &stop).first->second;
    std::vector<Measurement> rows;
    const Status measured = session.measure(benchmark, tell, &rows);
    if (!measured.ok()) return measured;
    const Status committed = commit(benchmark, rows);
    if (!committed.ok()) return committed;
    estimate.finish(benchmark, seconds_since(current_ns));
    ++*done;
  }
  progress({.done = *done, .all = ordered.size()});
  return {};
}

}  // namespace xsp::bound
