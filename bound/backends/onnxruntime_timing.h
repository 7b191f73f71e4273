#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/backends/node_model.h"
#include "bound/backends/onnxruntime_api.h"
#include "bound/backends/onnxruntime_profile.h"

namespace xsp::bound {

/// Runs the model `warm_up` + `runs` times under ONNX Runtime's profiler, or fewer (five at least) where that would
/// take longer than `budget_ns`. Runs to warm
/// up are not in the profile.
Status profile_node(const OrtApi& api, const NodeModel& node, int threads, size_t warm_up, size_t runs,
                    double budget_ns, OrtProfile* profile);

/// Times of the model's nodes in ns, layout changes left out, one a run. `probe`: the profile of its first run.
///
/// The profiler counts whole microseconds, and in newer versions what it does itself with each node, some microseconds.
/// Where that is no small part, the least time is the smaller one of the profile's and of what a run takes longer with
/// more copies of the nodes, per copy: that has no part of a run's own cost, only what a node costs in any model. All
/// samples are moved down by the difference. No sample is 0.
Status time_node(const OrtApi& api, const NodeModel& node, int threads, const OrtProfile& probe, double budget_ns,
                 std::vector<float>* samples);

}  // namespace xsp::bound
