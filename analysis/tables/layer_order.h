#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/waves/co_scheduling.h"

namespace xsp::analysis {

/// Which layers of A2 wait for which, by the graph that the user gave.
struct LayerOrder {
  bool is_known = false;
  std::string why_not;  // a note, where it is not known

  GroupOrder after;                // by vertex of the graph, contracted to layers
  std::vector<uint32_t> group_of;  // by layer of A2; kNoKernelGroup: no node is known that it computes
};

LayerOrder layer_order(const Study& study);

}  // namespace xsp::analysis
