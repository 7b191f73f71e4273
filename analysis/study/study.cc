#include "analysis/study/study.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include "analysis/study/joined_sequences.h"
#include "analysis/study/merged_runs.h"
#include "analysis/study/process_labels.h"
#include "analysis/study/sweep_points.h"
#include "base/shell_words.h"
#include "base/similar_words.h"

namespace xsp::analysis {
namespace {

bool process_matches(const Process& process, std::string_view wanted) {
  if (wanted.starts_with("rank")) {
    wanted.remove_prefix(4);
    if (wanted.starts_with("=")) wanted.remove_prefix(1);
    const std::string* rank = process.variable("RANK");
    return rank != nullptr && *rank == wanted;
  }
  return std::to_string(process.pid) == wanted;
}

/// Whether any of the runs of a group is of the process.
bool process_matches(const Trace& trace, const EvaluationGroup& group, std::string_view wanted) {
  return std::any_of(group.runs.begin(), group.runs.end(),
                     [&](const GroupRun& run) { return process_matches(trace.processes[run.process], wanted); });
}

std::string joined_names(const std::set<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? "none" : list;
}

/// "Net (training)", by which --model tells training and inference of one model apart.
std::string with_mode(const std::string& name, const EvaluationGroup& group) {
  if (group.phases.mode == Mode::kUnknown) return name;
  return name + (group.phases.mode == Mode::kTraining ? " (training)" : " (inference)");
}

Status select_groups(const Trace& trace, const Evaluations& evaluations, const StudyOptions& options,
                     std::vector<uint32_t>* groups) {
  if (!options.process.empty() && std::none_of(trace.processes.begin(), trace.processes.end(), [&](const Process& p) {
        return p.said_hello && process_matches(p, options.process);
      })) {
    std::set<std::string> known;
    for (uint32_t i = 0; i < trace.processes.size(); ++i) {
      if (trace.processes[i].said_hello) known.insert(process_label(trace, i));
    }
    return {"no process " + options.process + " (the trace has: " + joined_names(known) + ")",
            "give its pid, or its rank as rankN"};
  }
  std::set<std::string> models;
  for (uint32_t i = 0; i < evaluations.groups.size(); ++i) {
    const EvaluationGroup& group = evaluations.groups[i];
    if (!options.process.empty() && !process_matches(trace, group, options.process)) continue;
    models.insert(model_label(trace, group));
    const auto is_named = [&](const std::string& name) {
      return name == options.model || with_mode(name, group) == options.model;
    };
    if (options.model.empty() || is_named(std::string(trace.text(group.model))) ||
        is_named(instance_label(trace, group))) {
      groups->push_back(i);
    }
  }
  if (groups->empty() && !options.model.empty()) {
    const std::string nearest = nearest_word(options.model, std::vector<std::string>(models.begin(), models.end()));
    return {"no model " + options.model + " (the trace has: " + joined_names(models) + ")",
            nearest.empty() ? "table A1 lists the models: xsp-report TRACE -a A1"
                            : "did you mean " + shell_command({"--model", nearest}) + "?"};
  }
  return {};
}

/// Whether it is a call of the same name as others, with an input of its own, that a program makes before these: a
/// session of TensorFlow 1 that sets or reads its variables is run like the model, once, with a file's name or nothing.
bool is_preparation(const Evaluations& evaluations, const std::vector<uint32_t>& groups, const EvaluationGroup& group) {
  return group.kind == Kind::kRun && !group.batch_size &&
         std::any_of(groups.begin(), groups.end(), [&](uint32_t number) {
           const EvaluationGroup& other = evaluations.groups[number];
           return other.model == group.model && other.process == group.process && other.batch_size &&
                  other.evaluations.size() > group.evaluations.size();
         });
}

/// Whether its evaluations were computed with another number of threads than the program's own, to see what that does,
/// and those of another group with that.
bool is_experiment(const Evaluations& evaluations, const std::vector<uint32_t>& groups, const EvaluationGroup& group) {
  const ThreadCountsSetting setting = group.threads.setting;
  if (setting == ThreadCountsSetting::kUnspecified || setting == ThreadCountsSetting::kOwn) return false;
  return std::any_of(groups.begin(), groups.end(), [&](uint32_t number) {
    const EvaluationGroup& other = evaluations.groups[number];
    return other.model == group.model && other.process == group.process && other.scope == group.scope &&
           other.threads.setting == ThreadCountsSetting::kOwn;
  });
}

/// The largest group by the time of its evaluations, because a model that is called more often may take less.
std::optional<uint32_t> largest(const Evaluations& evaluations, const std::vector<uint32_t>& groups) {
  const auto size = [&](uint32_t number) {
    const EvaluationGroup& group = evaluations.groups[number];
    return std::tuple(!is_experiment(evaluations, groups, group), !is_preparation(evaluations, groups, group),
                      group.total_ns);
  };
  const auto found =
      std::max_element(groups.begin(), groups.end(), [&](uint32_t a, uint32_t b) { return size(a) < size(b); });
  if (found == groups.end()) return {};
  return *found;
}

std::optional<uint32_t> choose_subject(const Trace& trace, const Evaluations& evaluations,
                                       const std::vector<uint32_t>& groups, const std::optional<SubjectWish>& like) {
  std::vector<uint32_t> alike;
  for (const uint32_t number : groups) {
    const EvaluationGroup& group = evaluations.groups[number];
    const std::string* rank = trace.processes[group.process].variable("RANK");
    if (like && trace.text(group.model) == like->model && trace.text(group.input) == like->input &&
        (rank == nullptr ? std::string() : *rank) == like->rank) {
      alike.push_back(number);
    }
  }
  return largest(evaluations, alike.empty() ? groups : alike);
}

JoinedCalls calls_under_study(const Study& study, const LibraryCalls& all, const TimedLevel& level,
                              const JoinedLayers& layers) {
  if (all.calls.empty()) return {};
  if (study.has_single_calls()) {
    std::vector<bool> wanted(all.calls.size());
    for (size_t i = 0; i < all.calls.size(); ++i) {
      const LibraryCall& call = all.calls[i];
      wanted[i] = is_under_study(study, study.trace.process_of(call.row), call.evaluation);
    }
    return single_calls(study.trace, all, wanted);
  }
  const auto& evaluations = layers.joined.empty() ? level.used : layers.joined;
  return join_calls(study.trace, all, evaluations, study.options.statistic, layers_of_calls(study, layers));
}

/// Calls of the library level are timed by their own runs, and their kernels by those that record kernels.
void join_calls_under_study(Study* study) {
  const LeveledGroup& levels = study->levels;
  const JoinedLayers& library_layers = levels.leveled ? levels.library_layers : study->joined;
  const JoinedLayers& kernel_layers = levels.leveled ? levels.kernel_layers : study->joined;
  study->joined_library_calls = calls_under_study(*study, study->library_calls, levels.library, library_layers);
  study->joined_runtime_calls = calls_under_study(*study, study->runtime_calls, levels.kernel, kernel_layers);
  if (!levels.leveled || levels.library.label == levels.kernel.label || !study->library_calls.has_kernels()) return;
  study->library_calls_of_kernels = calls_under_study(*study, study->library_calls, levels.kernel, kernel_layers);
  take_kernels(study->library_calls_of_kernels, align_calls(*study), &study->joined_library_calls);
}

JoinedKernels executions_under_study(const Study& study, Executed what) {
  const Trace& trace = study.trace;
  if (!study.has_single_calls()) return join_executions(study, study.levels, study.joined, what);
  std::vector<uint32_t> wanted;
  for (uint32_t i = 0; i < study.executions.placed.size(); ++i) {
    const uint32_t process = trace.process_of(trace.executions.row[i]);
    if (!is_executed(trace, i, what)) continue;
    if (is_under_study(study, process, study.executions.placed[i].evaluation)) wanted.push_back(i);
  }
  return single_kernels(trace, study.executions, std::move(wanted), study.metrics);
}

}  // namespace

std::optional<OptimalBatch> OptimalBatch::parse(std::string_view text) {
  if (text == "rule") return OptimalBatch{};
  if (text == "max") return OptimalBatch{By::kMax, 0};
  constexpr std::string_view kLatency = "latency=";
  if (!text.starts_with(kLatency)) return {};
  text.remove_prefix(kLatency.size());
  double limit = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (failure != std::errc() || end != text.data() + text.size() || !(limit > 0)) return {};
  return OptimalBatch{By::kLatency, limit};
}

double Study::layer_latency_ns() const {
  double sum = 0;
  for (const JoinedLayer& layer : joined.layers) sum += layer.latency_ns;
  return sum;
}

double Study::coverage_pct() const {
  if (joined.layers.empty() || !(joined_latency_ns > 0)) return std::numeric_limits<double>::quiet_NaN();
  double ns = layer_latency_ns() - joined.loose_ns;
  // With kernels the latency of a layer has its backward work already.
  if (!latencies.has_kernels) {
    for (const JoinedLayer& layer : joined.layers) ns += layer.backward_ns;
  }
  return 100 * ns / joined_latency_ns;
}

bool is_process_under_study(const Study& study, uint32_t process) {
  const std::string& wanted = study.options.process;
  return wanted.empty() || process_matches(study.trace.processes[process], wanted);
}

bool is_under_study(const Study& study, uint32_t process, uint32_t evaluation) {
  const StudyOptions& options = study.options;
  if (!is_process_under_study(study, process)) return false;
  if (options.model.empty()) return true;
  return std::any_of(study.groups.begin(), study.groups.end(), [&](uint32_t group) {
    const auto& evaluations = study.evaluations.groups[group].evaluations;
    return std::binary_search(evaluations.begin(), evaluations.end(), evaluation);
  });
}

std::vector<uint32_t> used_evaluations(const Study& study, const EvaluationGroup& group, Level level) {
  return time_level(study, group, level).used;
}

std::vector<double> evaluation_latencies(const Study& study, const std::vector<uint32_t>& evaluations) {
  std::vector<double> latencies;
  latencies.reserve(evaluations.size());
  for (const uint32_t evaluation : evaluations) {
    latencies.push_back(static_cast<double>(study.latencies.model_ns(study.trace, study.evaluations, evaluation)));
  }
  return latencies;
}

double total_latency_ns(const Study& study, const EvaluationGroup& group) {
  const auto latencies = evaluation_latencies(study, group.evaluations);
  return std::accumulate(latencies.begin(), latencies.end(), 0.0);
}

std::vector<double> host_latencies(const Study& study, const std::vector<uint32_t>& evaluations) {
  std::vector<double> latencies;
  latencies.reserve(evaluations.size());
  for (const uint32_t evaluation : evaluations) {
    latencies.push_back(static_cast<double>(study.trace.spans.duration(study.evaluations.root[evaluation])));
  }
  return latencies;
}

namespace {

/// With --per trace: the layers of everything that happened are added up, whichever evaluation they belong to.
void join_totals(Study* study) {
  const Trace& trace = study->trace;
  const auto is_loose = [&](Row layer) { return is_under_study(*study, trace.process_of(layer), kNoEvaluation); };
  study->joined = total_layers(trace, study->evaluations, study->latencies, study->groups, is_loose);
  for (const uint32_t group : study->groups) {
    study->model_latency_ns += total_latency_ns(*study, study->evaluations.groups[group]);
  }
  study->joined_latency_ns = study->model_latency_ns;
}

/// The layers of the subject, aligned over its evaluations. In a leveled set each level takes its times from the runs
/// that recorded down to that level and no deeper.
void join_subject(Study* study) {
  study->levels = time_levels(*study, study->evaluations.groups[*study->subject]);
  study->joined = join_leveled_layers(*study, &study->levels);
  study->used = study->levels.model.used;
  study->model_latency_ns = joined_model_latency(*study, study->used);
  // The share of the model that is in layers must compare times of the same evaluations.
  const JoinedLayers& timed = study->levels.layers_outlast_calls ? study->levels.kernel_layers : study->joined;
  study->joined_latency_ns = joined_model_latency(*study, timed.joined);
}

/// What a layer waits for and its backward work, as further times of the joined layers.
void join_waits_and_backward(Study* study) {
  const Evaluations& evaluations = study->evaluations;
  const Statistic& statistic = study->options.statistic;
  for (JoinedLayers* layers : {&study->joined, &study->levels.library_layers, &study->levels.kernel_layers}) {
    join_layer_times(evaluations, study->waits.of_layer_ns, statistic, &JoinedLayer::wait_ns, layers);
  }
  join_layer_times(evaluations, study->backward.ns, statistic, &JoinedLayer::backward_ns, &study->joined);
}

}  // namespace

Status make_study(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                  const Executions& executions, const StudyOptions& options, std::optional<Study>* study,
                  Metrics metrics) {
  Study made{trace, parents, evaluations, executions, options};
  made.metrics = std::move(metrics);
  made.roofs = find_roofs(trace, options.peaks);

  // What was asked for comes first: every pass below looks at these groups only. A name that the trace does not have is
  // the one error of a study.
  if (Status status = select_groups(trace, evaluations, options, &made.groups); !status.ok()) return status;

  // Before the subject is chosen: of two groups that took as long, the first one is it.
  sort_by_point(trace, evaluations.groups, &made.groups);
  made.inputs = find_inputs(trace, evaluations.groups);

  // Where nothing under study is an evaluation the tables are totals, as if --per trace had been given. This must be
  // known before latencies: totals include calls that failed and layers outside of evaluations.
  made.without_models = made.groups.empty();
  made.options.per_trace |= made.without_models;
  made.subject = choose_subject(trace, evaluations, made.groups, options.like);

  // A latency ends when the device is done, not when the call returns. Joining reads these, so they come before it.
  made.latencies = device_latencies(trace, evaluations, executions, made.options.per_trace);
  if (made.options.per_trace) {
    join_totals(&made);
  } else if (made.subject) {
    join_subject(&made);
  }

  // These are found in the whole trace, since backward work and waits lie outside of the layers that they are of, and
  // then joined to the layers that are there.
  made.backward = find_backward_work(trace, parents, evaluations, executions);
  made.waits = find_host_waits(trace, parents, evaluations, executions);
  join_waits_and_backward(&made);

  // Calls are aligned inside the joined layers, and a library call takes its kernels from the runs that recorded them.
  const auto calls = [&](Level level) {
    return find_library_calls(trace, parents, evaluations, executions, level, made.has_single_calls());
  };
  made.library_calls = calls(Level::kLibrary);
  made.runtime_calls = calls(Level::kRuntime);
  join_calls_under_study(&made);

  // Kernels and copies are aligned inside the same layers; they need nothing of the calls.
  made.kernels = executions_under_study(made, Executed::kKernels);
  made.copies = executions_under_study(made, Executed::kCopies);

  // Last: it compares the runs of a set level by level, by everything that was joined above.
  made.divergences = find_divergences(made);
  study->emplace(std::move(made));
  return {};
}

bool has_imports(const Trace& trace) {
  return std::any_of(trace.segments.begin(), trace.segments.end(),
                     [](const Segment& segment) { return !segment.source.empty(); });
}

bool has_profile_of(const Trace& trace, std::string_view format) {
  return std::any_of(trace.segments.begin(), trace.segments.end(),
                     [&](const Segment& segment) { return segment.source == format; });
}

bool is_shallow_run(const Study& study, const Segment& segment, Level level) {
  if (!segment.run || !study.subject || !study.levels.leveled) return false;
  const auto sets = timing_sets(study, study.evaluations.groups[*study.subject]);
  return set_of(sets, level) != nullptr;
}

}  // namespace xsp::analysis
