#pragma once

/// Runs of a set, as recorded by xsp-run --leveled, of a model with known costs.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "test/analysis/support/trace_builder.h"

namespace xsp::test {

struct RecordedCall {
  std::string function;
  int64_t us = 0;
};

struct RecordedKernel {
  std::string name;
  int64_t us = 0;
  int64_t delay_us = 0;  // of the end, after that of the layer's call; 0: the call waits
};

struct RecordedLayer {
  std::string name;
  int64_t us = 0;
  std::vector<RecordedCall> calls;
  std::vector<RecordedKernel> kernels;
};

using RecordedEvaluation = std::vector<RecordedLayer>;

/// One run: what it recorded depends on its level.
struct RecordedRun {
  uint32_t index = 1;
  std::string level;  // "model", "layer", "library", "kernel"
  std::vector<RecordedEvaluation> evaluations;
  int64_t own_us = 100;  // of the model, outside layers
  std::string rank;
  std::string set = "00000000000000aa";
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string input = "[4,3]";
  std::string scope;       // of the model
  bool by_itself = false;  // not a run of a set
  std::vector<std::string> command = {};
  std::vector<std::string> counted =
      {};  // kernels with counters: the n-th has n * (1000 flops, 64 bytes read, 32 written)
};

std::string record(const RecordedRun& run);

}  // namespace xsp::test
