#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "test/analysis/support/trace_builder.h"

namespace xsp::test {

struct LayerCosts {
  std::string name;
  int64_t us = 0;
  int64_t call_us = 0;    // of a library call in the layer; 0: none
  int64_t kernel_us = 0;  // of a kernel that the layer launches; 0: none
};

/// One call, in µs: layers follow one another from 10 µs on, library calls begin 1 µs and kernels 2 µs into their
/// layer.
struct EvaluationCosts {
  int64_t model_us = 0;
  std::vector<LayerCosts> layers;
  std::string instance;
};

/// The runs of one set, each a recording.
class RunSet {
 public:
  RunSet& add(const std::string& level, const std::vector<EvaluationCosts>& evaluations, uint32_t repetition = 1);
  /// The same call several times after a slow one, which is warm-up.
  RunSet& add(const std::string& level, size_t times, const EvaluationCosts& evaluation, uint32_t repetition = 1);

  std::vector<std::string> traces;

 private:
  void add_evaluation(int64_t at_us, const EvaluationCosts& costs, TraceBuilder* builder);

  uint32_t id_ = 0;
};

/// The paper's four level sets: every deeper level costs something.
RunSet four_levels();

}  // namespace xsp::test
