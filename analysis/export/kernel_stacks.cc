#include "analysis/export/kernel_stacks.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "analysis/study/process_labels.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/timeline/surroundings.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

double known_or_zero(double value) { return std::isnan(value) ? 0 : value; }

class Stacks {
 public:
  explicit Stacks(const Study& study) : study_(study), trace_(study.trace) {}

  std::vector<ModelStacks> run() {
    if (study_.has_single_calls()) {
      add_totals();
    } else {
      for (const uint32_t group : study_.groups) add_group(group);
    }
    return std::move(models_);
  }

 private:
  void add_group(uint32_t number) {
    const EvaluationGroup& group = study_.evaluations.groups[number];
    ModelStacks& model = models_.emplace_back();
    model.label = label_of(group);
    if (study_.subject && number == *study_.subject) {
      add_layers(study_.joined, &model);
      for (const JoinedKernel& kernel : study_.kernels.kernels) {
        add_kernel(kernel, study_.levels, study_.joined, &model);
      }
      return;
    }
    LeveledGroup levels = time_levels(study_, group);
    const JoinedLayers layers = join_leveled_layers(study_, &levels);
    add_layers(layers, &model);
    const JoinedKernels joined =
        join_kernels(trace_, study_.executions, Executed::kKernels, levels.kernel.used, study_.options.statistic,
                     study_.metrics, layers_of_kernels(study_, levels, layers));
    for (const JoinedKernel& kernel : joined.kernels) add_kernel(kernel, levels, layers, &model);
  }

  /// Every kernel under study for itself: of its evaluation's group, or of its process.
  void add_totals() {
    std::vector<uint32_t> group_of(study_.evaluations.root.size(), UINT32_MAX);
    for (const uint32_t number : study_.groups) {
      const EvaluationGroup& group = study_.evaluations.groups[number];
      for (const uint32_t evaluation : group.evaluations) group_of[evaluation] = static_cast<uint32_t>(models_.size());
      models_.push_back({.label = label_of(group)});
    }
    std::map<uint32_t, uint32_t> of_process;
    const auto model_of = [&](uint32_t evaluation, uint32_t process) -> ModelStacks& {
      const uint32_t group = evaluation == kNoEvaluation ? UINT32_MAX : group_of[evaluation];
      if (group != UINT32_MAX) return models_[group];
      const auto [found, added] = of_process.try_emplace(process, static_cast<uint32_t>(models_.size()));
      if (added) models_.push_back({.label = unique("(in no evaluation), " + process_label(trace_, process))});
      return models_[found->second];
    };
    for (const JoinedKernel& kernel : study_.kernels.kernels) {
      const PlacedExecution& placed = study_.executions.placed[kernel.execution];
      const uint32_t process = trace_.process_of(trace_.executions.row[kernel.execution]);
      add_kernel(kernel, study_.levels, study_.joined, &model_of(placed.evaluation, process));
    }
    if (!study_.joined.members.empty()) add_total_layers(model_of);
  }

  template <typename ModelOf>
  void add_total_layers(const ModelOf& model_of) {
    SurroundingsSearch around(trace_, study_.parents, study_.evaluations);
    for (const auto& [row, index] : study_.joined.members) {
      const JoinedLayer& layer = study_.joined.layers[index];
      const auto calls = static_cast<double>(layer.calls);
      const bool has_host = trace_.executions.size() != 0;
      model_of(around.of(row).evaluation, trace_.process_of(row))
          .samples.push_back({.type = layer.type,
                              .layer = layer.name,
                              .layer_index = index,
                              .attached = true,
                              .host_ns = (has_host ? layer.host_ns : layer.latency_ns) / calls,
                              .layer_ns = layer.latency_ns / calls});
    }
  }

  void add_layers(const JoinedLayers& joined, ModelStacks* model) {
    const bool has_host = trace_.executions.size() != 0;
    for (uint32_t index = 0; index < joined.layers.size(); ++index) {
      const JoinedLayer& layer = joined.layers[index];
      model->samples.push_back({.type = layer.type,
                                .layer = layer.name,
                                .layer_index = index,
                                .attached = true,
                                .host_ns = has_host ? layer.host_ns : layer.latency_ns,
                                .layer_ns = layer.latency_ns});
    }
  }

  void add_kernel(const JoinedKernel& kernel, const LeveledGroup& levels, const JoinedLayers& layers,
                  ModelStacks* model) {
    const Row row = trace_.executions.row[kernel.execution];
    const PlacedExecution& placed = study_.executions.placed[kernel.execution];
    const Queue& queue = trace_.queues[trace_.executions.queue[kernel.execution]];
    StackSample& sample = model->samples.emplace_back();
    sample.kernel = trace_.spans.name[row];
    sample.device = queue.device;
    sample.stream = queue.stream;
    sample.gpu_ns = kernel.latency_ns;
    sample.launches = 1;
    sample.flops = known_or_zero(kernel.metrics.flops);
    sample.dram_bytes = known_or_zero(kernel.metrics.dram_read_bytes) + known_or_zero(kernel.metrics.dram_write_bytes);
    if (placed.library_call != kNoRow) sample.library_call = trace_.spans.name[placed.library_call];
    if (placed.layer == kNoRow) return;
    sample.attached = true;
    sample.layer = trace_.layer_name(placed.layer);
    sample.type = trace_.spans.type[placed.layer];
    if (study_.options.per_trace) return;
    sample.layer_index = layer_index(study_, levels, layers, placed.layer);
    if (!is_row(study_, levels, layers, placed.layer)) return;
    sample.layer = layers.layers[sample.layer_index].name;
    sample.type = layers.layers[sample.layer_index].type;
  }

  std::string label_of(const EvaluationGroup& group) {
    std::string label = model_label(trace_, group);
    const auto is_alike = [&](const EvaluationGroup& other) {
      return &other != &group && model_label(trace_, other) == model_label(trace_, group);
    };
    bool has_others = false;
    for (const uint32_t number : study_.groups) has_others |= is_alike(study_.evaluations.groups[number]);
    if (has_others && group.input != 0) label.append(" ").append(trace_.text(group.input));
    if (labels_.contains(valid_utf8(label))) label.append(", ").append(process_label(trace_, group));
    return unique(label);
  }

  std::string unique(const std::string& text) {
    const std::string label = valid_utf8(text);
    std::string numbered = label;
    for (int i = 2; !labels_.insert(numbered).second; ++i) numbered = fmt::format("{} ({})", label, i);
    return numbered;
  }

  const Study& study_;
  const Trace& trace_;
  std::vector<ModelStacks> models_;
  std::set<std::string> labels_;
};

}  // namespace

std::vector<ModelStacks> kernel_stacks(const Study& study) { return Stacks(study).run(); }

std::vector<std::string> StackFrames::of(const ModelStacks& model, const StackSample& sample, bool with_index) {
  const auto text = [&](uint32_t id) { return valid_utf8(trace_.text(id)); };
  std::vector<std::string> frames = {model.label};
  if (sample.attached) {
    frames.push_back(sample.type == 0 ? "(none)" : text(sample.type));
    frames.push_back(text(sample.layer));
    if (with_index && sample.layer_index != StackSample::kNoLayer) {
      frames.back() += fmt::format(" #{}", sample.layer_index);
    }
  } else {
    frames.emplace_back("(unattached)");
  }
  if (sample.library_call != 0) frames.push_back(text(sample.library_call));
  if (sample.kernel != 0) frames.push_back(valid_utf8(kernel_names_.text(sample.kernel)));
  return frames;
}

}  // namespace xsp::analysis
