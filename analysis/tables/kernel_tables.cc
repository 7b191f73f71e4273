#include "analysis/tables/kernel_tables.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>

#include "analysis/study/step_study.h"

namespace xsp::analysis {
namespace {

std::vector<ModelKernels> sum_by_group(const Study& study) {
  std::vector<ModelKernels> models;
  for (const uint32_t number : study.groups) {
    const EvaluationGroup& group = study.evaluations.groups[number];
    const bool is_subject = study.subject && number == *study.subject;
    LeveledGroup other_levels;
    JoinedKernels other;
    if (!is_subject) {
      other_levels = time_levels(study, group);
      const JoinedLayers layers = join_leveled_layers(study, &other_levels);
      other = join_kernels(study.trace, study.executions, Executed::kKernels, other_levels.kernel.used,
                           study.options.statistic, study.metrics, layers_of_kernels(study, other_levels, layers));
    }
    const LeveledGroup& levels = is_subject ? study.levels : other_levels;
    const JoinedKernels& joined = is_subject ? study.kernels : other;
    const auto& evaluations = joined.evaluations.empty() ? levels.kernel.used : joined.evaluations;
    models.push_back({.group = &group,
                      .process = group.process,
                      .n = evaluations.size(),
                      .model_latency_ns = joined_model_latency(study, levels.leveled ? levels.model.used : evaluations),
                      .sum = sum_of(study, joined.kernels),
                      .busy_ns = joined.busy_ns,
                      .launches = joined.launches,
                      .steps = is_subject ? subject_breakdown(study) : step_breakdown(study, group),
                      .step_ns = step_ns(study, group)});
  }
  return models;
}

/// Of totals: all evaluations of a group, or what happened on the devices of a process.
void add_total_breakdown(const Study& study, ModelKernels* model) {
  model->steps =
      model->group == nullptr ? recording_breakdown(study, model->process) : step_breakdown(study, *model->group);
  if (model->steps.devices == 0) return;
  model->step_ns = static_cast<double>(model->steps.device_windows_ns) / static_cast<double>(model->steps.devices);
}

/// Totals: each kernel under study counts for the group of its evaluation, else for its process.
std::vector<ModelKernels> totals_by_group(const Study& study) {
  std::vector<ModelKernels> models;
  std::vector<std::vector<uint32_t>> kernels;
  std::vector<uint32_t> number(study.evaluations.root.size(), UINT32_MAX);
  for (const uint32_t i : study.groups) {
    const EvaluationGroup& group = study.evaluations.groups[i];
    for (const uint32_t evaluation : group.evaluations) number[evaluation] = static_cast<uint32_t>(models.size());
    models.push_back({.group = &group,
                      .process = group.process,
                      .n = group.evaluations.size(),
                      .model_latency_ns = total_latency_ns(study, group)});
  }
  kernels.resize(models.size());
  std::map<uint32_t, uint32_t> of_process;
  for (const JoinedKernel& kernel : study.kernels.kernels) {
    const uint32_t evaluation = study.executions.placed[kernel.execution].evaluation;
    uint32_t model = evaluation == kNoEvaluation ? UINT32_MAX : number[evaluation];
    if (model == UINT32_MAX) {
      const uint32_t process = study.trace.process_of(study.trace.executions.row[kernel.execution]);
      const auto [found, added] = of_process.try_emplace(process, static_cast<uint32_t>(models.size()));
      model = found->second;
      if (added) {
        models.push_back({.process = process, .model_latency_ns = kUnknownValue});
        kernels.emplace_back();
      }
    }
    kernels[model].push_back(kernel.execution);
  }
  for (size_t i = 0; i < models.size(); ++i) {
    const JoinedKernels joined = single_kernels(study.trace, study.executions, std::move(kernels[i]), study.metrics);
    models[i].sum = sum_of(study, joined.kernels);
    models[i].busy_ns = joined.busy_ns;
    models[i].launches = joined.launches;
    add_total_breakdown(study, &models[i]);
  }
  return models;
}

}  // namespace

KernelSum sum_of(const Study& study, const JoinedKernel& kernel) {
  KernelSum sum;
  sum.add(kernel, study.roofs.of(study.trace, kernel.execution));
  return sum;
}

KernelSum sum_of(const Study& study, const std::vector<JoinedKernel>& kernels) {
  KernelSum sum;
  for (const JoinedKernel& kernel : kernels) sum.add(kernel, study.roofs.of(study.trace, kernel.execution));
  return sum;
}

KernelLayers::KernelLayers(const Study& study) : study_(study) {
  if (!study.options.per_trace) return;
  totals_ = study.joined.members;
  std::sort(totals_.begin(), totals_.end());
}

KernelLayer KernelLayers::of(const JoinedKernel& kernel) const {
  const PlacedExecution& placed = study_.executions.placed[kernel.execution];
  if (placed.layer == kNoRow) return {};
  KernelLayer layer{.name = study_.trace.layer_name(placed.layer), .attached = true};
  if (!study_.options.per_trace) {
    layer.index = study_.layer_index(placed.layer);
    if (layer.index == KernelLayer::kNone) {
      layer.own = kernel_place(study_, study_.levels, study_.joined, placed.layer);
    } else if (is_row(study_, study_.levels, study_.joined, placed.layer)) {
      layer.name = study_.joined.layers[layer.index].name;
    }
    return layer;
  }
  const auto found = std::lower_bound(totals_.begin(), totals_.end(), std::pair(placed.layer, uint32_t{0}));
  if (found != totals_.end() && found->first == placed.layer) {
    layer.index = found->second;
    layer.name = study_.joined.layers[layer.index].name;
  }
  return layer;
}

std::vector<NamedKernels> sum_by_name(const Study& study) {
  std::vector<NamedKernels> names;
  std::unordered_map<uint32_t, size_t> numbers;
  for (const JoinedKernel& kernel : study.kernels.kernels) {
    const uint32_t name = study.trace.spans.name[study.trace.executions.row[kernel.execution]];
    const auto [found, added] = numbers.try_emplace(name, names.size());
    if (added) names.push_back({.name = name});
    names[found->second].sum.add(kernel, study.roofs.of(study.trace, kernel.execution));
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.sum.latency_ns > b.sum.latency_ns; });
  return names;
}

std::vector<LayerKernels> sum_by_layer(const Study& study) {
  std::vector<LayerKernels> layers;
  if (study.kernels.kernels.empty()) return layers;
  std::map<KernelLayer, size_t> others;
  for (const JoinedLayer& layer : study.joined.layers) {
    const auto index = static_cast<uint32_t>(layers.size());
    layers.push_back({.layer = {index, layer.name, true}, .layer_latency_ns = layer.latency_ns});
  }
  LayerKernels unattached{.layer_latency_ns = kUnknownValue};
  const KernelLayers find(study);
  for (const JoinedKernel& kernel : study.kernels.kernels) {
    const KernelLayer layer = find.of(kernel);
    const DevicePeaks& peaks = study.roofs.of(study.trace, kernel.execution);
    if (!layer.attached) {
      unattached.sum.add(kernel, peaks);
    } else if (layer.index < study.joined.layers.size() && study.joined.layers[layer.index].name == layer.name) {
      layers[layer.index].sum.add(kernel, peaks);
    } else {
      const auto [found, added] = others.try_emplace(layer, layers.size());
      if (added) layers.push_back({.layer = layer, .layer_latency_ns = kUnknownValue});
      layers[found->second].sum.add(kernel, peaks);
    }
  }
  layers.push_back(unattached);
  return layers;
}

std::vector<uint32_t> longest_kernels(const std::vector<JoinedKernel>& kernels) {
  constexpr size_t kMaxRows = 200'000;
  std::vector<uint32_t> shown(kernels.size());
  std::iota(shown.begin(), shown.end(), 0u);
  if (shown.size() <= kMaxRows) return shown;
  std::nth_element(shown.begin(), shown.begin() + kMaxRows, shown.end(), [&](uint32_t a, uint32_t b) {
    return kernels[a].latency_ns != kernels[b].latency_ns ? kernels[a].latency_ns > kernels[b].latency_ns : a < b;
  });
  shown.resize(kMaxRows);
  std::sort(shown.begin(), shown.end());
  return shown;
}

std::vector<ModelKernels> sum_by_model(const Study& study) {
  if (!has_kernels(study.trace)) return {};
  return study.has_single_calls() ? totals_by_group(study) : sum_by_group(study);
}

double model_latency_of_kernels(const Study& study) {
  if (!study.subject) return kUnknownValue;
  if (study.options.per_trace) return study.model_latency_ns;
  return joined_model_latency(study, study.levels.leveled ? study.used : study.kernels.evaluations);
}

bool has_kernels(const Trace& trace) {
  for (uint32_t i = 0; i < trace.executions.size(); ++i) {
    if (is_executed(trace, i, Executed::kKernels)) return true;
  }
  return false;
}

}  // namespace xsp::analysis
