#include "bound/backends/onnxruntime_timing.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>

#include "base/monotonic_clock.h"
#include "bound/backends/onnxruntime_session.h"
#include "bound/backends/private_folder.h"

namespace xsp::bound {
namespace {

constexpr size_t kWarmUpRuns = 3;
constexpr size_t kLeastRuns = 5;
constexpr size_t kMostRuns = 400;
/// Of the first run. Longer ones are told well enough by a profile that is some microseconds off.
constexpr double kShortNodeNs = 1e6;
constexpr size_t kCopies = 9;
constexpr size_t kMostPairs = 2000;
/// For what the profile shows as no time at all, and nothing else tells.
constexpr double kBelowResolutionNs = 500;

/// Of budgets: how long the least runs may take, and what node is not run again.
constexpr double kMostBudgets = 8;
constexpr double kLongNodeBudgets = 3;
constexpr double kStepNs = 1e3;  // of the profiler
/// A step of this part of the least time is not told from a disturbance.
constexpr double kCoarse = 0.1;

double clock_ns() { return static_cast<double>(monotonic_ns()); }

Status timed_run(OrtSession* session, double* ns) {
  const double begin = clock_ns();
  Status status = session->run();
  *ns = clock_ns() - begin;
  return status;
}

/// The least time of the nodes as the difference of runs with and without more copies of them; and at most a whole run.
/// Nothing where it cannot be told.
std::optional<double> least_by_difference(const OrtApi& api, const NodeModel& node, int threads, double budget_ns) {
  const NodeModel many = node.repeated(kCopies);
  const NodeModel* const nodes[] = {&node, &many};
  std::unique_ptr<OrtSession> sessions[2];
  double least[] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  const auto run_both = [&](bool counts) {
    for (size_t i = 0; i < 2; ++i) {
      double ns = 0;
      if (!timed_run(sessions[i].get(), &ns).ok()) return false;
      if (counts) least[i] = std::min(least[i], ns);
    }
    return true;
  };
  for (size_t i = 0; i < 2; ++i) {
    const OrtSession::Plan plan{*nodes[i]->bytes, nodes[i]->inputs, nodes[i]->outputs, threads};
    if (!OrtSession::make(api, plan, &sessions[i]).ok()) return std::nullopt;
  }
  for (size_t i = 0; i < kWarmUpRuns; ++i) {
    if (!run_both(false)) return std::nullopt;
  }
  const double end = clock_ns() + budget_ns;
  for (size_t i = 0; i < kMostPairs && (i < kLeastRuns || clock_ns() < end); ++i) {
    if (!run_both(true)) return std::nullopt;
  }
  const double difference = (least[1] - least[0]) / static_cast<double>(kCopies - 1);
  if (difference <= 0) return std::nullopt;
  return std::min(difference, least[0]);
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Status profile_node(const OrtApi& api, const NodeModel& node, int threads, size_t warm_up, size_t runs,
                    double budget_ns, OrtProfile* profile) {
  PrivateFolder folder;
  if (Status status = PrivateFolder::make(&folder); !status.ok()) return status;
  std::unique_ptr<OrtSession> session;
  const OrtSession::Plan plan{*node.bytes, node.inputs, node.outputs, threads, folder.path() + "/profile"};
  if (Status status = OrtSession::make(api, plan, &session); !status.ok()) return status;
  for (size_t i = 0; i < warm_up; ++i) {
    if (Status status = session->run(); !status.ok()) return status;
  }
  const double begin = clock_ns();
  for (size_t i = 0; i < runs; ++i) {
    const double spent_ns = clock_ns() - begin;
    if (i > 0 && spent_ns >= budget_ns * (i < kLeastRuns ? kMostBudgets : 1)) break;
    if (Status status = session->run(); !status.ok()) return status;
  }
  std::string path;
  if (Status status = session->end_profile(&path); !status.ok()) return status;
  if (Status status = parse_ort_profile(contents_of(path), node.has_transpose, profile); !status.ok()) return status;
  if (profile->runs_us.size() <= warm_up) return {"ONNX Runtime's profile lacks runs", ""};
  profile->runs_us.erase(profile->runs_us.begin(), profile->runs_us.begin() + static_cast<std::ptrdiff_t>(warm_up));
  return {};
}

Status time_node(const OrtApi& api, const NodeModel& node, int threads, const OrtProfile& probe, double budget_ns,
                 std::vector<float>* samples) {
  const double first_ns = static_cast<double>(probe.runs_us.front()) * 1e3;
  if (first_ns >= kLongNodeBudgets * budget_ns) {
    *samples = samples_of_runs(probe.runs_us, probe.nodes.size(), std::nullopt);
    return {};
  }
  const bool has_extra_nodes = probe.has_blocked_layout || probe.has_channels_last || probe.has_layout_nodes;
  const bool may_compare = first_ns < kShortNodeNs && !has_extra_nodes;
  const double profile_budget_ns = may_compare ? budget_ns / 2 : budget_ns;
  const size_t warm_up = first_ns < profile_budget_ns ? kWarmUpRuns : 1;
  OrtProfile profile;
  Status status = profile_node(api, node, threads, warm_up, kMostRuns, profile_budget_ns, &profile);
  if (!status.ok()) return status;
  std::optional<double> least;
  if (may_compare) {
    const std::optional<double> difference = least_by_difference(api, node, threads, budget_ns - profile_budget_ns);
    const double profiled = static_cast<double>(std::ranges::min(profile.runs_us)) * 1e3;
    // A profile that shows no whole microsecond tells less than any difference.
    if (difference && (*difference < profiled || profiled == 0)) least = difference;
  }
  *samples = samples_of_runs(profile.runs_us, profile.nodes.size(), least);
  return {};
}

std::vector<float> samples_of_runs(const std::vector<int64_t>& runs_us, size_t nodes, std::optional<double> least_ns) {
  if (runs_us.empty()) return {};
  const double profiled = static_cast<double>(std::ranges::min(runs_us)) * 1e3;
  const double least = least_ns.value_or(profiled > 0 ? profiled : kBelowResolutionNs);
  const double step = kStepNs * static_cast<double>(std::max<size_t>(nodes, 1));
  const double step_without_effect = step > kCoarse * profiled ? step : 0;
  std::vector<float> samples;
  for (const int64_t run : runs_us) {
    const double above = static_cast<double>(run) * 1e3 - profiled;
    const double share = above <= step_without_effect ? 0 : above / std::max(profiled, step);
    samples.push_back(static_cast<float>(least * (1 + share)));
  }
  return samples;
}

}  // namespace xsp::bound
