#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/records/measurement.h"
#include "bound/records/work_item.h"

namespace xsp::bound {

/// A problem to be measured with a library.
struct Benchmark {
  const WorkItem* item = nullptr;
  const Library* library = nullptr;
};

struct BenchmarkOptions {
  double budget_ms = 100;
  int threads = 1;
  std::optional<double> time_limit_s;  // no benchmark is begun after it
  double hang_s = 30;                  // an implementation that says nothing for so long is killed
  /// The command that starts a child which calls serve_benchmarks(): this program and a word.
  std::vector<std::string> child_command;
};

/// What a run tells while it runs.
struct BenchmarkProgress {
  size_t done = 0;
  size_t all = 0;
  const Benchmark* current = nullptr;
  double left_s = 0;  // estimated from what was done and what is left; 0: not known yet
};

/// Measures, dearest first, each library in a child process that outlives many problems. A child that crashes, hangs,
/// is killed for its memory or writes nonsense costs the implementation that it was at: a row `error` or `timeout` with
/// the signal; a new child goes on behind it. `commit` gets all rows of a benchmark at once, when it is done, so that a
/// kill at any moment loses one benchmark at most; an error of it ends the run. `progress` is called at each change and
/// at least once a second. SIGINT and SIGTERM end the run and its child: what is committed stays. Returns how many were
/// done.
Status run_benchmarks(const std::vector<Benchmark>& benchmarks, const BenchmarkOptions& options,
                      const std::function<Status(const Benchmark&, const std::vector<Measurement>&)>& commit,
                      const std::function<void(const BenchmarkProgress&)>& progress, size_t* done);

/// The child: reads what to measure from descriptor `input`, a JSON object a line, and writes rows to `output`. Returns
/// the exit code. Results of every implementation are compared by value with reference_values() at sampled positions,
/// or, for kinds without, with those of the first implementation; what differs is `error: wrong result`.
int serve_benchmarks(int input, int output);

}  // namespace xsp::bound
