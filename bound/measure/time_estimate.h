#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "bound/measure/benchmark_run.h"

namespace xsp::bound {

/// Seconds that one call of an item is likely to take on a core of any machine: to put items in order, not to tell
/// times.
double guessed_call_s(const WorkItem& item);

/// How long a run will still take, from how long its parts took.
class TimeEstimate {
 public:
  TimeEstimate(const std::vector<Benchmark>& benchmarks, double budget_ms);

  void finish(const Benchmark& benchmark, double seconds);
  /// Of all that is not finished; `current_s`: how long the one at hand has been running. 0: not known yet.
  double left_s(const Benchmark& current, double current_s) const;

 private:
  struct Part {
    double done_s = 0;
    double done_weight = 0;
    double left_weight = 0;
  };
  double weight_of(const Benchmark& benchmark) const;
  double seconds_of_weight(const Part& part) const;

  double budget_s_;
  std::map<const Library*, Part> parts_;
  Part all_;
};

}  // namespace xsp::bound
