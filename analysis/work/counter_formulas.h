#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/kernel_metrics.h"

namespace xsp::analysis {

/// What the counters of a batch add up to, from the names of its metrics (doc/metrics.md, "Counters"): those of CUPTI's
/// profiler host and those of nvprof.
class CounterFormulas {
 public:
  explicit CounterFormulas(const std::vector<std::string_view>& metrics);

  /// `values` has one for each metric; NaN: none. Nothing known stays NaN.
  KernelMetrics evaluate(const double* values) const;

  /// Metrics that no formula reads.
  const std::vector<std::string>& unused() const { return unused_; }

 private:
  /// A sum of metrics with factors; of flops one for each type.
  struct Term {
    size_t metric = 0;
    double factor = 1;
  };
  struct Sum {
    DataType type = DataType::kUnknown;
    std::vector<Term> terms;
    double of(const double* values) const;
  };

  void add_flops(DataType type, std::vector<Term> terms);
  void find_arithmetic(const std::vector<std::string_view>& metrics, std::vector<bool>* used);
  void find_tensor(const std::vector<std::string_view>& metrics, std::vector<bool>* used);
  void find_memory(const std::vector<std::string_view>& metrics, std::vector<bool>* used);

  std::vector<Sum> flops_;
  Sum read_;
  Sum written_;
  Sum occupancy_;
  Sum tensor_pipe_;  // instructions of matrix units, of any type
  std::vector<std::string> unused_;
};

}  // namespace xsp::analysis
