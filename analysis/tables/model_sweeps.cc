#include "analysis/tables/model_sweeps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "analysis/tables/units.h"

namespace xsp::analysis {
namespace {

/// Device indices of one process that ran something for an evaluation.
std::set<uint32_t> devices_used(const Study& study, const EvaluationGroup& group) {
  std::set<uint32_t> used;
  const Executions& executions = study.executions;
  if (executions.placed.empty()) return used;
  for (const uint32_t evaluation : group.evaluations) {
    for (size_t i = executions.first_of[evaluation]; i < executions.first_of[evaluation + 1]; ++i) {
      const uint32_t execution = executions.in_evaluation[i];
      if (!is_work(study.trace.spans.kind[study.trace.executions.row[execution]])) continue;
      used.insert(study.trace.queues[study.trace.executions.queue[execution]].device);
    }
    if (!used.empty()) break;
  }
  return used;
}

}  // namespace

GroupLatency latency_of(const Study& study, const EvaluationGroup& group) {
  const auto used = used_evaluations(study, group);
  auto latencies = evaluation_latencies(study, used);
  GroupLatency latency;
  latency.n = used.size();
  latency.ns = study.options.per_trace ? std::accumulate(latencies.begin(), latencies.end(), 0.0)
                                       : evaluate(study.options.statistic, latencies);
  latency.spread_ns = interquartile_range(latencies);
  return latency;
}

std::optional<double> inputs_of(const Study& study, const EvaluationGroup& group, size_t n) {
  if (!group.batch_size) return {};
  const auto batch = static_cast<double>(*group.batch_size);
  return study.options.per_trace ? batch * static_cast<double>(n) : batch;
}

std::string gpus_of(const Study& study, const EvaluationGroup& group) {
  const std::set<uint32_t> used = devices_used(study, group);
  std::map<std::string, std::set<uint32_t>> indices;
  for (const Device& device : study.trace.devices) {
    const bool is_own = std::any_of(group.runs.begin(), group.runs.end(),
                                    [&](const GroupRun& run) { return run.process == device.process; });
    if (!is_own || device.name.empty()) continue;
    if (used.empty() || used.contains(device.index)) indices[device.name].insert(device.index);
  }
  std::string list;
  for (const auto& [name, of_name] : indices) {
    if (!list.empty()) list += ", ";
    list += of_name.size() == 1 ? name : fmt::format("{} × {}", of_name.size(), name);
  }
  return list;
}

std::vector<ModelSweep> model_sweeps(const Study& study) {
  const Trace& trace = study.trace;
  std::vector<ModelSweep> sweeps;
  std::map<std::tuple<uint32_t, uint32_t, std::string, std::string, std::string, std::string>, size_t> numbers;
  for (const uint32_t number : study.groups) {
    const EvaluationGroup& group = study.evaluations.groups[number];
    const Process& process = trace.processes[group.process];
    const std::string* rank = process.variable("RANK");
    const std::string& source = trace.segments[process.segment].source;
    ModelSweep sweep{.name = model_label(trace, group),
                     .system = gpus_of(study, group),
                     .rank = rank == nullptr ? "" : *rank,
                     .source = source.empty() ? "xsp" : source,
                     .input = shapes_of_any_batch(trace.text(group.input))};
    const uint32_t scope = group.kind == Kind::kOrtRun ? 0 : group.scope;
    const auto [found, added] =
        numbers.try_emplace({group.model, scope, sweep.input, sweep.system, sweep.rank, sweep.source}, sweeps.size());
    if (added) sweeps.push_back(std::move(sweep));
    sweeps[found->second].groups.push_back(number);
  }
  return sweeps;
}

std::vector<SweptBatch> swept_batches(const Study& study, const ModelSweep& sweep) {
  std::map<int64_t, SweptBatch> by_batch;
  for (const uint32_t number : sweep.groups) {
    const EvaluationGroup& group = study.evaluations.groups[number];
    if (!group.batch_size) continue;
    const GroupLatency latency = latency_of(study, group);
    const auto inputs = inputs_of(study, group, latency.n);
    if (!(latency.ns > 0)) continue;
    SweptBatch& batch = by_batch[*group.batch_size];
    if (latency.n <= batch.n) continue;
    batch = {{*group.batch_size, latency.ns / kNsPerMs, *inputs / latency.ns * kNsPerSecond}, number, latency.n};
  }
  std::vector<SweptBatch> batches;
  for (const auto& [size, batch] : by_batch) batches.push_back(batch);
  return batches;
}

}  // namespace xsp::analysis
