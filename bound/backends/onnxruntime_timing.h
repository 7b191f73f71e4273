#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/backends/node_model.h"
#include "bound/backends/onnxruntime_api.h"
#include "bound/backends/onnxruntime_profile.h"

namespace xsp::bound {

/// Runs the model `warm_up` + `runs` times under ONNX Runtime's profiler, or fewer where that would take longer than
/// `budget_ns`: five, or as many as are begun within eight times the budget, one at least. The profile does not have
/// the runs to warm up.
Status profile_node(const OrtApi& api, const NodeModel& node, int threads, size_t warm_up, size_t runs,
                    double budget_ns, OrtProfile* profile);

/// Times of the model's nodes in ns, layout changes left out, one a run. `probe`: the profile of its first run.
///
/// The profiler counts whole microseconds, and in newer versions what it does itself with each node, some microseconds.
/// Where that is no small part, the least time is the smaller one of the profile's and of what a run takes longer with
/// more copies of the nodes, per copy: that has no part of a run's own cost, only what a node costs in any model. A
/// node that takes three times the budget has been run often enough for `probe`.
Status time_node(const OrtApi& api, const NodeModel& node, int threads, const OrtProfile& probe, double budget_ns,
                 std::vector<float>* samples);

/// What a profile's runs took, in ns. `nodes`: of a run, each told in whole microseconds. `least_ns`: the least time,
/// where it is known better than from the profile; the others are in proportion to it as they are in the profile. Where
/// the profile's steps are no small part of its least time, what is within one step of that is taken for the least, so
/// that steps do not look like noise. No sample is 0.
std::vector<float> samples_of_runs(const std::vector<int64_t>& runs_us, size_t nodes, std::optional<double> least_ns);

}  // namespace xsp::bound
