#pragma once

#include <vector>

#include "analysis/figures/figure.h"

namespace xsp::analysis {

/// E1: latency over numbers of threads, of the model above and of the layers below that take longest with the fewest
/// threads, with the best number of each (paper of analysis/concurrency, Figure 1). None where nothing was measured
/// with two numbers of threads.
std::vector<Figure> concurrency_figures(const Table& table);

}  // namespace xsp::analysis
