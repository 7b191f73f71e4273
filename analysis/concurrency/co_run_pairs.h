#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/concurrency/co_running.h"

namespace xsp::analysis {

/// Two operations that run at the same time. `a` runs, and still does so for `remaining_a_ns`, when `b` begins.
struct CoRunPair {
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t threads_a = 0;
  uint32_t threads_b = 0;
  uint32_t idle_cores = 0;  // beside `a`
  double remaining_a_ns = 0;
  double latency_b_ns = 0;
  CoRunStrategy strategy = CoRunStrategy::kIdleCores;
  /// What is left of `a` and then `b`, each with its own number of threads.
  double serial_ns = 0;
  double corun_ns = 0;  // until both have ended

  double gain_ns() const { return serial_ns - corun_ns; }
};

/// The launches of a plan that began beside another operation, in order of time.
std::vector<CoRunPair> co_runs_of(const std::vector<CoRunOperation>& operations, const CoRunPlan& plan);

struct CoRunPairs {
  std::vector<CoRunPair> best;   // by gain, the largest first
  bool has_more = false;         // others may gain, too
  bool has_independent = false;  // any two of the operations have no path between them
  size_t not_examined = 0;       // operations, the shortest ones: too many for the graph
};

/// The pairs that gain most if both begin together, at most `most` of them: without a path between them, on the cores
/// divided as suits them best (Table III), or, where that gains nothing, the shorter one with one thread on the sibling
/// threads of the other, which holds all cores.
CoRunPairs best_pairs(const std::vector<CoRunOperation>& operations, const CoRunOptions& options, size_t most);

}  // namespace xsp::analysis
