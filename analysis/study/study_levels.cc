#include "analysis/study/study_levels.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include "analysis/statistics/warm_up.h"
#include "analysis/study/study.h"

namespace xsp::analysis {
namespace {

/// What clocks of host and device may differ by: a layer that its executions outlast by less does not say so.
constexpr double kClockError = 0.01;
constexpr double kClockErrorNs = 2000;
/// Whether a recording does not have the begin of a process: then no evaluation that it has is its first.
bool began_before(const Study& study, uint32_t process) {
  const Process& about = study.trace.processes[process];
  const auto& parts = study.trace.segments[about.segment].parts;
  return parts && parts->missing_before() != 0 && about.start_ns < parts->parts.front().begin_ns;
}

/// The evaluations of the same process that were recorded otherwise: in full, or not sampled. Null: none.
const GroupRun* other_kind(const EvaluationGroup& group, const GroupRun& run) {
  const auto found = std::find_if(group.runs.begin(), group.runs.end(), [&](const GroupRun& other) {
    return other.process == run.process && other.shallow != run.shallow;
  });
  return found == group.runs.end() ? nullptr : &*found;
}

size_t warm_up_of(const Study& study, const EvaluationGroup& group, const GroupRun& run) {
  if (study.options.per_trace) return 0;
  const auto before = [&](uint32_t evaluation) {
    const auto& own = run.evaluations;
    return static_cast<size_t>(std::lower_bound(own.begin(), own.end(), evaluation) - own.begin());
  };
  const GroupRun* other = other_kind(group, run);
  if (study.options.skip) {
    const size_t skip =
        std::min(run.evaluations.size() + (other == nullptr ? 0 : other->evaluations.size()), *study.options.skip);
    if (other == nullptr || skip == 0) return skip;
    // Of the process, sampled or not.
    std::vector<uint32_t> first;
    std::merge(run.evaluations.begin(), run.evaluations.end(), other->evaluations.begin(), other->evaluations.end(),
               std::back_inserter(first));
    return before(first[skip - 1] + 1);
  }
  if (began_before(study, run.process)) return 0;
  // Calls that took turns with other numbers of threads are what is compared, however slow they are at first; the guest
  // begins each number with one call that does not count.
  if (group.threads.setting != ThreadCountsSetting::kUnspecified) return run.evaluations.size() > 2 ? 1 : 0;
  // Calls that nothing disturbs show how a program warms up.
  const GroupRun& undisturbed = other != nullptr && other->shallow && other->evaluations.size() > 2 ? *other : run;
  const size_t count = warm_up_length(evaluation_latencies(study, undisturbed.evaluations));
  if (&undisturbed == &run) return count;
  return count == 0 ? 0 : before(undisturbed.evaluations[count - 1]);
}

TimedLevel time_set(const Study& study, const EvaluationGroup& group, const LevelSet& set) {
  TimedLevel level{.label = set.label, .runs = set.runs, .by_run = used_of_runs(study, group, set.runs)};
  size_t all = 0;
  for (const uint32_t run : set.runs) all += group.runs[run].evaluations.size();
  for (const auto& evaluations : level.by_run) {
    level.used.insert(level.used.end(), evaluations.begin(), evaluations.end());
  }
  if (level.by_run.size() > 1) std::sort(level.used.begin(), level.used.end());
  level.warm_up = all - level.used.size();
  if (level.warm_up == 0) return level;
  for (const uint32_t run : set.runs) {
    std::copy_if(
        group.runs[run].evaluations.begin(), group.runs[run].evaluations.end(), std::back_inserter(level.left_out),
        [&](uint32_t evaluation) { return !std::binary_search(level.used.begin(), level.used.end(), evaluation); });
  }
  return level;
}

/// If no set has the level, none of the runs has it: those that come nearest show that.
const LevelSet& nearest_set(const std::vector<LevelSet>& sets, Level level) {
  const LevelSet* set = set_of(sets, level);
  return set == nullptr ? sets.back() : *set;
}

JoinedLayers join_layers_of(const Study& study, const TimedLevel& level) {
  return join_layers(study.trace, study.evaluations, study.latencies, level.used, study.options.statistic,
                     level.left_out);
}

std::vector<SequencePlace> sequence_of(const JoinedLayers& joined) {
  std::vector<SequencePlace> places;
  places.reserve(joined.layers.size());
  for (const JoinedLayer& layer : joined.layers) {
    places.push_back(layer_place(layer.name, layer.type));
  }
  return places;
}

/// By ordinal of `other`: that of `layers`. Empty where they have the same, or one of them has none.
std::vector<uint32_t> find_ordinals(const JoinedLayers& layers, const JoinedLayers& other) {
  const auto is_same = [](const JoinedLayer& a, const JoinedLayer& b) { return a.name == b.name && a.type == b.type; };
  if (layers.layers.empty() || other.layers.empty() ||
      std::equal(layers.layers.begin(), layers.layers.end(), other.layers.begin(), other.layers.end(), is_same)) {
    return {};
  }
  std::vector<uint32_t> ordinals(other.layers.size(), kNoPlace);
  for (const AlignedPlace& place : align_sequences(sequence_of(layers), sequence_of(other))) {
    const bool same = place.how == Alignment::kSame || place.how == Alignment::kMoved;
    if (same) ordinals[place.b] = place.a;
  }
  return ordinals;
}

/// Values of the layers that only the runs with executions know.
void take_executions(LeveledGroup* levels, JoinedLayers* layers) {
  const auto& own = levels->kernel_layers.layers;
  levels->layers_outlast_calls = std::any_of(own.begin(), own.end(), [](const JoinedLayer& layer) {
    return layer.latency_ns - layer.host_ns > kClockError * layer.host_ns + kClockErrorNs;
  });
  for (JoinedLayer& layer : layers->layers) layer.gpu_ns = layer.kernel_ns = layer.kernels = kUnknownValue;
  for (uint32_t ordinal = 0; ordinal < own.size(); ++ordinal) {
    const uint32_t index = layer_index_of(levels->kernel_ordinals, ordinal);
    if (index >= layers->layers.size()) continue;
    JoinedLayer& layer = layers->layers[index];
    layer.gpu_ns = own[ordinal].gpu_ns;
    layer.kernel_ns = own[ordinal].kernel_ns;
    layer.kernels = own[ordinal].kernels;
    if (!levels->layers_outlast_calls) continue;
    layer.latency_ns = own[ordinal].latency_ns;
    layer.spread_ns = own[ordinal].spread_ns;
    layer.calls = own[ordinal].calls;
  }
}

/// While ONNX Runtime's profiler is on, it also records nodes of unsampled calls, which takes time.
void leave_out_profiled(const Study& study, std::vector<uint32_t>* evaluations) {
  const auto is_profiled = [&](uint32_t evaluation) { return study.evaluations.layer_count(evaluation) != 0; };
  const auto others = std::count_if(evaluations->begin(), evaluations->end(), std::not_fn(is_profiled));
  if (others >= 2) std::erase_if(*evaluations, is_profiled);
}

bool ends_with_device(const Study& study, const GroupRun& run) {
  return std::any_of(run.evaluations.begin(), run.evaluations.end(), [&](uint32_t evaluation) {
    const auto host = static_cast<double>(study.trace.spans.duration(study.evaluations.root[evaluation]));
    const auto latency = static_cast<double>(study.latencies.model_ns(study.trace, study.evaluations, evaluation));
    return latency - host > kClockError * host + kClockErrorNs;
  });
}

}  // namespace

std::vector<LevelSet> timing_sets(const Study& study, const EvaluationGroup& group) {
  std::vector<LevelSet> sets = level_sets(study.trace, group);
  const auto is_any = [&](bool shallow) {
    return std::any_of(group.runs.begin(), group.runs.end(),
                       [&](const GroupRun& run) { return run.shallow == shallow; });
  };
  if (sets.size() < 2 || !is_any(true) || !is_any(false)) return sets;
  const bool is_device_known =
      study.latencies.model.empty() || std::none_of(group.runs.begin(), group.runs.end(), [&](const GroupRun& run) {
        return !run.shallow && ends_with_device(study, run);
      });
  const auto is_of_no_use = [&](uint32_t number) {
    const GroupRun& run = group.runs[number];
    return run.shallow && (run.evaluations.size() < 2 || (!is_device_known && !ends_with_device(study, run)));
  };
  std::erase_if(sets.front().runs, is_of_no_use);
  if (sets.front().runs.empty()) sets.erase(sets.begin());
  return sets;
}

std::vector<std::vector<uint32_t>> used_of_runs(const Study& study, const EvaluationGroup& group,
                                                const std::vector<uint32_t>& runs) {
  std::vector<std::vector<uint32_t>> used;
  used.reserve(runs.size());
  for (const uint32_t number : runs) {
    const auto& evaluations = group.runs[number].evaluations;
    const size_t warm_up = warm_up_of(study, group, group.runs[number]);
    used.emplace_back(evaluations.begin() + static_cast<ptrdiff_t>(warm_up), evaluations.end());
    if (group.runs[number].shallow && !study.options.per_trace) leave_out_profiled(study, &used.back());
  }
  return used;
}

TimedLevel time_level(const Study& study, const EvaluationGroup& group, Level level) {
  return time_set(study, group, nearest_set(timing_sets(study, group), level));
}

LeveledGroup time_levels(const Study& study, const EvaluationGroup& group) {
  const std::vector<LevelSet> sets = timing_sets(study, group);
  LeveledGroup levels;
  levels.leveled = sets.size() > 1;
  levels.model = time_set(study, group, nearest_set(sets, Level::kModel));
  if (!levels.leveled) {
    levels.layer = levels.library = levels.kernel = levels.model;
    return levels;
  }
  levels.layer = time_set(study, group, nearest_set(sets, Level::kLayer));
  levels.library = time_set(study, group, nearest_set(sets, Level::kLibrary));
  levels.kernel = time_set(study, group, nearest_set(sets, Level::kDevice));
  return levels;
}

uint32_t kernel_place(const Study& study, const LeveledGroup& levels, const JoinedLayers& layers, Row layer) {
  const auto [evaluation, ordinal] = position_of(study.evaluations, layer);
  const LayerPlaces& places = levels.leveled ? levels.kernel_layers.places : layers.places;
  return !places.joined.empty() && places.knows(evaluation) ? places.of(evaluation, ordinal) : ordinal;
}

uint32_t layer_index(const Study& study, const LeveledGroup& levels, const JoinedLayers& layers, Row layer) {
  const auto [evaluation, ordinal] = position_of(study.evaluations, layer);
  if (evaluation == kNoEvaluation) return kNoPlace;
  const auto has = [&](const LayerPlaces& places) { return !places.joined.empty() && places.knows(evaluation); };
  if (has(layers.places)) {
    const uint32_t place = layers.places.of(evaluation, ordinal);
    return place < layers.places.rows ? place : kNoPlace;
  }
  for (const auto& [set, ordinals] : {std::pair(&levels.library_layers, &levels.library_ordinals),
                                      std::pair(&levels.kernel_layers, &levels.kernel_ordinals)}) {
    if (!has(set->places)) continue;
    const uint32_t place = set->places.of(evaluation, ordinal);
    return place < set->places.rows ? layer_index_of(*ordinals, place) : kNoPlace;
  }
  return ordinal;
}

JoinedLayers join_leveled_layers(const Study& study, LeveledGroup* levels) {
  JoinedLayers layers = join_layers_of(study, levels->layer);
  if (!levels->leveled) return layers;
  levels->library_layers = join_layers_of(study, levels->library);
  levels->kernel_layers = join_layers_of(study, levels->kernel);
  levels->library_ordinals = find_ordinals(layers, levels->library_layers);
  levels->kernel_ordinals = find_ordinals(layers, levels->kernel_layers);
  if (!study.latencies.layers.empty()) take_executions(levels, &layers);
  return layers;
}

bool is_row(const Study& study, const LeveledGroup& levels, const JoinedLayers& layers, Row layer) {
  const uint32_t evaluation = position_of(study.evaluations, layer).evaluation;
  const auto knows = [&](const JoinedLayers& set) { return !set.joined.empty() && set.places.knows(evaluation); };
  return (knows(layers) || knows(levels.library_layers) || knows(levels.kernel_layers)) &&
         layer_index(study, levels, layers, layer) < layers.layers.size();
}

LayerOfKernel layers_of_kernels(const Study& study, const LeveledGroup& levels, const JoinedLayers& layers) {
  return [&](const PlacedExecution& placed) {
    return placed.layer == kNoRow ? kNoPlace : kernel_place(study, levels, layers, placed.layer);
  };
}

LayerOfCall layers_of_calls(const Study& study, const JoinedLayers& layers) {
  return [&](const LibraryCall& call) {
    const auto [evaluation, ordinal] = position_of(study.evaluations, call.layer);
    const bool known = !layers.places.joined.empty() && layers.places.knows(evaluation);
    return known ? layers.places.of(evaluation, ordinal) : ordinal;
  };
}

JoinedKernels join_executions(const Study& study, const LeveledGroup& levels, const JoinedLayers& layers,
                              Executed what) {
  const auto& joined = levels.leveled ? levels.kernel_layers.joined : layers.joined;
  std::vector<uint32_t> wanted;
  for (const uint32_t evaluation : levels.kernel.used) {
    const bool has_layers = study.evaluations.layer_count(evaluation) != 0;
    if (!has_layers || std::binary_search(joined.begin(), joined.end(), evaluation)) wanted.push_back(evaluation);
  }
  return join_kernels(study.trace, study.executions, what, wanted, study.options.statistic, study.metrics,
                      layers_of_kernels(study, levels, layers));
}

double joined_model_latency(const Study& study, const std::vector<uint32_t>& evaluations) {
  auto latencies = evaluation_latencies(study, evaluations);
  return evaluate(study.options.statistic, latencies);
}

}  // namespace xsp::analysis
