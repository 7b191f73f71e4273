#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/iterations/operations.h"
#include "analysis/mining/loops.h"
#include "analysis/mining/suffix_tree_mining.h"
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
  MiningMethod method = MiningMethod::kPeriods;
  Loops loops;
  std::vector<std::vector<IterationTime>> times;  // by loop, by iteration
  std::vector<std::string> notes;                 // how it was found, for people: one sentence each, without a stop

  /// The loop that tables are of: the first of level 0, nothing where there is no loop.
  std::optional<uint32_t> outermost() const { return loops.loops.empty() ? std::nullopt : std::optional<uint32_t>(0); }
};

FoundIterations find_iterations(const Trace& trace, const Evaluations& evaluations, uint32_t process,
                                const MiningOptions& options);

}  // namespace xsp::analysis
