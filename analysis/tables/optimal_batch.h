#pragma once

#include <string>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// The paper's 5 % rule: a larger batch whose throughput rises by less does not pay.
inline constexpr double kWorthwhileRise = 1.05;

struct BatchThroughput {
  int64_t batch_size = 0;
  double latency_ms = 0;
  double throughput_per_s = 0;
};

/// The optimal batch size of a model (paper, III-D1): fields "rule" (the last batch, walking upward, whose throughput
/// still rose by more than 5 % over its predecessor's), "max" (the largest throughput), "chosen" and "by". `batches`
/// are in ascending order, two at least. Adds a note that names the rule and `what` was measured.
Extra optimal_batch(const std::vector<BatchThroughput>& batches, const OptimalBatch& by, const std::string& what,
                    std::vector<std::string>* notes);

}  // namespace xsp::analysis
