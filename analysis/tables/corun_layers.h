#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/concurrency/co_running.h"
#include "analysis/concurrency/node_join.h"
#include "analysis/study/study.h"

namespace xsp::analysis {

/// The layers of A2 with what E3 knows of them.
struct CoRunLayers {
  struct Layer {
    double latency_ns = 0;          // as in A2
    std::vector<ThreadTime> times;  // ascending; with no more threads than there are cores
    uint32_t own = 0;               // of `times`, by strategy 2
  };
  std::vector<Layer> layers;
  std::vector<uint32_t>
      counts;                 // numbers of threads that any layer was measured with, ascending, beyond the cores, too
  uint32_t cores = 0;         // 0: not known
  bool has_siblings = false;  // cores have several hardware threads
  bool is_busy = false;       // others wanted the processors while this was measured
  std::string times_from;     // for a note: where the times come from
};

/// Times come from --curves, else from a thread sweep, else they are those of A2, where the recording tells with how
/// many threads they were computed.
CoRunLayers corun_layers(const Study& study);

/// The same layers by name, for join_nodes().
std::vector<NamedLayer> named_layers(const Study& study);

}  // namespace xsp::analysis
