#pragma once

#include <cstdint>
#include <vector>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// The library calls of one layer of the tables, without those of its backward work: they are no part of its latency.
struct LayerCalls {
  double count = 0;       // mean over the joined evaluations; of all spans with --per trace
  double library_ns = 0;  // union of the host intervals of the outermost calls
  uint32_t function = 0;  // string id: the outermost function with most time; 0: none
  bool known = false;     // a run with this layer recorded library calls
  bool backward = false;  // its backward work has further ones
};

/// By layer of Study::joined; empty where the trace has no library calls.
std::vector<LayerCalls> layer_calls(const Study& study);

}  // namespace xsp::analysis
