#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/statistics/bootstrap.h"
#include "analysis/statistics/statistic.h"

namespace xsp::analysis {

/// Evaluations that ran one behind the other, with the program's own number of threads or as was advised. Times in ns.
struct SettingBlock {
  bool is_advised = false;
  std::vector<double> ns;
};

/// What following advice gained, as blocks with and without it tell that took turns.
struct AppliedGain {
  size_t pairs = 0;   // of blocks that followed each other
  double own_ns = 0;  // the statistic over the evaluations of all such blocks
  double advised_ns = 0;
  double pct = 0;     // own / advised − 1, the middle of all pairs, in percent
  Interval interval;  // of pct
};

/// A block is compared with the one before it, and each is of one pair: what changes slowly, such as the load of the
/// machine, changes no pair much. Nothing where no pair is there.
std::optional<AppliedGain> applied_gain(const std::vector<SettingBlock>& blocks, const Statistic& statistic);

}  // namespace xsp::analysis
