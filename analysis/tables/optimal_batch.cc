#include "analysis/tables/optimal_batch.h"

#include <fmt/format.h>

#include <algorithm>

namespace xsp::analysis {
namespace {

int64_t by_rule(const std::vector<BatchThroughput>& batches) {
  size_t best = 0;
  while (best + 1 < batches.size() &&
         batches[best + 1].throughput_per_s > kWorthwhileRise * batches[best].throughput_per_s) {
    ++best;
  }
  return batches[best].batch_size;
}

bool slower(const BatchThroughput& a, const BatchThroughput& b) { return a.throughput_per_s < b.throughput_per_s; }

Cell by_latency(std::vector<BatchThroughput> batches, double limit_ms) {
  std::erase_if(batches, [&](const BatchThroughput& batch) { return batch.latency_ms > limit_ms; });
  if (batches.empty()) return {};
  return std::max_element(batches.begin(), batches.end(), slower)->batch_size;
}

}  // namespace

Extra optimal_batch(const std::vector<BatchThroughput>& batches, const OptimalBatch& by, const std::string& what,
                    std::vector<std::string>* notes) {
  const int64_t rule = by_rule(batches);
  const int64_t max = std::max_element(batches.begin(), batches.end(), slower)->batch_size;
  Cell chosen = rule;
  std::string how = "rule";
  switch (by.by) {
    case OptimalBatch::By::kRule:
      notes->push_back(fmt::format("optimal batch size of {}: {}, {} (largest throughput: {})", what, rule,
                                   rule == batches.front().batch_size
                                       ? "the smallest one: throughput of the next one is not 5 % higher"
                                       : "the last one whose throughput was more than 5 % above that of the one before",
                                   max));
      break;
    case OptimalBatch::By::kMax:
      chosen = max;
      how = "max";
      notes->push_back(
          fmt::format("optimal batch size of {}: {}, with the largest throughput (5 % rule: {})", what, max, rule));
      break;
    case OptimalBatch::By::kLatency:
      chosen = by_latency(batches, by.latency_ms);
      how = fmt::format("latency={}", by.latency_ms);
      notes->push_back(
          is_null(chosen)
              ? fmt::format("no batch size of {} has a latency of at most {} ms (5 % rule: {}, largest throughput: {})",
                            what, by.latency_ms, rule, max)
              : fmt::format("optimal batch size of {}: {}, the largest throughput within {} ms (5 % rule: {}, largest "
                            "throughput: {})",
                            what, std::get<int64_t>(chosen), by.latency_ms, rule, max));
      break;
  }
  return {"optimal_batch", {{"rule", rule}, {"max", max}, {"chosen", chosen}, {"by", how}}};
}

}  // namespace xsp::analysis
