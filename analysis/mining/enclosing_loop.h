#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analysis/mining/inner_loop.h"
#include "analysis/mining/loops.h"
#include "analysis/mining/pattern_track.h"

namespace xsp::analysis {

/// A loop around a loop, each of whose iterations has one or more of the inner ones.
struct EnclosingLoop {
  InnerLoop inner;  // the loop within, and what is added to it
  std::vector<Symbol> pattern;
  std::vector<LoopIteration> iterations;
};

/// What stands between the iterations of a loop, mined with each run of iterations as one operation: how often the
/// inner loop goes round does not matter. `track` is of `range` with `pattern`; `alphabet`: more than any symbol.
std::optional<EnclosingLoop> find_enclosing_loop(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols,
                                                 OperationRange range, Symbol alphabet,
                                                 const std::function<int64_t(size_t)>& idle_before);

}  // namespace xsp::analysis
