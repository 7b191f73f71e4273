#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bound/backends/cudnn_api.h"
#include "bound/backends/cudnn_graph.h"

namespace xsp::bound::cudnn {

/// A call of the interface that is older than graphs.
struct LegacyCall {
  std::string name;                  // "cudnnPoolingForward", and how it is called
  std::string layout;                // "plain", "channels_last"
  std::vector<GraphTensor> tensors;  // all in memory
  uint64_t workspace_bytes = 0;
  /// With the addresses of the tensors in their order, then that of the workspace.
  std::function<Answer(Handle handle, std::span<void* const> pointers)> run;
};

/// All such calls for a problem. An error: why there is none. Without a handle it is not known how much workspace
/// they need.
Status make_legacy_calls(const Api& api, Handle handle, const ProblemInput& input,
                         std::vector<std::shared_ptr<const LegacyCall>>* calls);

}  // namespace xsp::bound::cudnn
