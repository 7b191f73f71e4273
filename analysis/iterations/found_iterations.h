#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/iterations/iteration_inputs.h"
#include "analysis/iterations/operations.h"
#include "analysis/mining/loops.h"
#include "analysis/mining/suffix_tree_mining.h"
#include "analysis/timeline/intervals.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

enum class MiningMethod : uint8_t { kPeriods, kSuffixTree };

/// --mining, --iterations, --unmatched.
struct MiningOptions {
  MiningMethod method = MiningMethod::kPeriods;
  std::vector<uint32_t> counts;            // known counts, of the paper's method one a loop; empty: not known
  std::optional<uint32_t> most_unmatched;  // k0 of the paper's Algorithm 1
};

/// When an iteration runs: from the begin of its first operation that is no copy from or to the host to the latest end
/// of such operations; where it consists of such copies, of all. Copies before and after lie in the intervals between
/// iterations, as in the paper, whose iterations are of main streams.
struct IterationTime {
  int64_t begin = 0;  // ns of the trace's clock
  int64_t end = 0;
};

/// The loops of one process and when their iterations ran.
struct FoundIterations {
  Operations operations;
  TimeIntervals beside;  // of operations of the host: what else it does then (work_beside.h)
  MiningMethod method = MiningMethod::kPeriods;
  Loops loops;
  std::vector<std::vector<IterationTime>> times;  // by loop, by iteration
  /// By loop: the share of the time in which operations of the process run that those of its iterations run in, 0 to 1.
  std::vector<double> time_coverage;
  /// By loop of level 0: why it says nothing about the program's steps, a clause for people. Such a loop has rows in D1
  /// and D2 but no diagnosis, and its iterations do not become evaluations by themselves. Empty: it does.
  std::vector<std::string> why_not_steps;
  /// By loop: "encoder.block" where iterations are parts of a model (repeated_blocks.h).
  std::vector<std::string> blocks;
  std::vector<IterationInputs> inputs;  // by loop
  bool are_steps = false;               // the iterations are the steps that the input marks
  std::vector<std::string> notes;       // how it was found, for people: one sentence each, without a stop

  /// The loop that tables are of: the first of level 0, nothing where there is no loop.
  std::optional<uint32_t> outermost() const { return loops.loops.empty() ? std::nullopt : std::optional<uint32_t>(0); }

  /// Whether the loop is what the process does: outermost, with half of the operations and of their time at least.
  bool has_steps(uint32_t loop) const { return loops.loops[loop].level == 0 && why_not_steps[loop].empty(); }
  /// "step" or "iteration".
  std::string_view noun() const { return are_steps ? "step" : "iteration"; }
};

/// Where the input marks steps, or evaluations of models, these are the iterations (marked_iterations.h); else what
/// repeats in the operations.
FoundIterations find_iterations(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                                uint32_t process, const MiningOptions& options);

}  // namespace xsp::analysis
