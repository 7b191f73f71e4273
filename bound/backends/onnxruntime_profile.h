#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace xsp::bound {

/// A node as ONNX Runtime ran it.
struct OrtNode {
  std::string type;      // "Conv", "FusedConv"
  std::string provider;  // "CPUExecutionProvider"

  bool operator==(const OrtNode&) const = default;
};

/// What a profile says of one model.
struct OrtProfile {
  std::vector<OrtNode> nodes;       // of a run, without changes of layout; each run has the same
  std::vector<int64_t> runs_us;     // time of these nodes together, by run
  bool has_blocked_layout = false;  // ReorderInput, ReorderOutput were left out
  bool has_channels_last = false;   // Transpose nodes around the model's own were
  bool has_layout_nodes = false;    // nodes of the model that only change a layout (kLayoutNode) were
};

/// Reads the profile of a session. ONNX Runtime has layouts of its own, to which it changes where a chain of nodes
/// begins and from which where it ends: a model of one node pays for both, a layer of a large one for neither, so these
/// nodes are left out, and so are copies between devices and what a group's model has for the layout alone.
/// `has_transpose`: the model has such a node itself.
Status parse_ort_profile(std::string_view json, bool has_transpose, OrtProfile* profile);

}  // namespace xsp::bound
