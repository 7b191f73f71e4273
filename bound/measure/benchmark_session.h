#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bound/measure/benchmark_process.h"
#include "bound/measure/benchmark_run.h"
#include "bound/measure/child_protocol.h"
#include "bound/measure/stop_signals.h"

namespace xsp::bound {

/// The child processes of one library, one after another: a new one where the last has failed.
class BenchmarkSession {
 public:
  BenchmarkSession(const BenchmarkOptions& options, StopSignals* stop) : options_(options), stop_(stop) {}

  /// All rows of a benchmark. `tick` is called once a second at least. An error: it was interrupted, or no child can be
  /// started.
  Status measure(const Benchmark& benchmark, const std::function<void()>& tick, std::vector<Measurement>* rows);

 private:
  enum class Outcome { kDone, kFailed, kStopped };
  struct Attempt {
    bool is_begun = false;    // an implementation is at hand
    bool is_running = false;  // and made
    bool has_begun = false;   // there was one
    Measurement row;
    TriedImplementation tried;
  };

  /// One child, until it has answered or failed; then `failure` is a row of it.
  Outcome follow(const std::function<void()>& tick, ChildRequest* request, Attempt* attempt,
                 std::vector<Measurement>* rows, Measurement* failure);
  /// False: it is none that may come now.
  bool take(const std::string& line, ChildRequest* request, Attempt* attempt, std::vector<Measurement>* rows,
            bool* is_done);
  void complete(const Benchmark& benchmark, Measurement* row) const;

  const BenchmarkOptions& options_;
  StopSignals* stop_;
  std::unique_ptr<BenchmarkProcess> process_;
};

}  // namespace xsp::bound
