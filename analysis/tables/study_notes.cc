#include "analysis/tables/study_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/study/merged_runs.h"
#include "analysis/study/process_labels.h"
#include "analysis/study/step_study.h"
#include "analysis/tables/confidence.h"
#include "analysis/tables/continuous_notes.h"
#include "analysis/tables/evaluation_modes.h"
#include "analysis/tables/launch_times.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/model_calls.h"
#include "analysis/tables/shallow_recording.h"
#include "analysis/timeline/bookkeeping_operators.h"
#include "analysis/timeline/evaluation_threads.h"
#include "base/quantity_text.h"
#include "base/units.h"
#include "proto/shared_memory.h"

namespace xsp::analysis {
namespace {

/// Modules are layers and functional operators are not, so that a PyTorch model has more that is in no layer.
bool has_torch_layers(const Study& study) {
  const auto is_torch = [&](uint32_t evaluation) {
    const Kind kind = study.trace.spans.kind[study.evaluations.root[evaluation]];
    return kind == Kind::kTorchRoot || kind == Kind::kApi;
  };
  return study.options.per_trace || std::any_of(study.used.begin(), study.used.end(), is_torch);
}

const TimedLevel& timed_level(const Study& study, Level level) {
  switch (level) {
    case Level::kLayer:
      return study.levels.of_layers();
    case Level::kLibrary:
      return study.levels.library;
    case Level::kRuntime:
    case Level::kDevice:
      return study.levels.kernel;
    default:
      return study.levels.model;
  }
}

/// "3 runs of M/L".
std::string runs_of(const TimedLevel& level) {
  return fmt::format("{} run{} of {}", level.runs.size(), level.runs.size() == 1 ? "" : "s", level.label);
}

}  // namespace

std::string subject_note(const Study& study, Level level, size_t n) {
  const EvaluationGroup& group = study.evaluations.groups[*study.subject];
  const Trace& trace = study.trace;
  const TimedLevel& timed = timed_level(study, level);
  std::string note = model_label(trace, group);
  if (group.input != 0) note += fmt::format(", input {}", trace.text(group.input));
  if (const std::string threads = threads_text(group.threads); !threads.empty()) note += ", " + threads;
  const bool several = std::any_of(study.evaluations.groups.begin(), study.evaluations.groups.end(),
                                   [&](const EvaluationGroup& other) { return other.process != group.process; });
  if (several) note += ", " + process_label(trace, group);
  if (n == 1) {
    note += fmt::format(": one {}, no average", evaluation_noun(study, group));
  } else {
    note += fmt::format(": {} of {}", study.options.statistic.description(), plural(n, evaluation_noun(study, group)));
  }
  if (run_of(trace, group) != nullptr) note += " in " + runs_of(timed);
  if (timed.warm_up != 0) note += fmt::format(", {} left out as warm-up", timed.warm_up);
  if (timed.warm_up > 1) note += fmt::format(" ({})", left_out_text(left_out_of(group, timed)));
  if (n > 1) note += "; spread is the interquartile range";
  return note;
}

std::string set_note(const Study& study) {
  if (study.options.per_trace) {
    const auto runs = std::count_if(
        study.trace.segments.begin(), study.trace.segments.end(),
        [](const Segment& segment) { return segment.run && segment.run->purpose == RunPurpose::kLatencies; });
    return runs < 2 ? "" : fmt::format("{} runs of a set, listed separately: --per trace joins no runs", runs);
  }
  if (!study.subject) return {};
  const LeveledGroup& levels = study.levels;
  if (run_of(study.trace, study.evaluations.groups[*study.subject]) == nullptr) return sampling_note(study, false);
  if (!levels.leveled) return "latencies come from " + runs_of(levels.model) + " of a set";
  std::string note =
      "each latency comes from the runs that recorded nothing deeper: the model's from " + runs_of(levels.model);
  note += ", layers' from " + runs_of(levels.of_layers());
  if (!study.library_calls.calls.empty()) note += ", library calls' from " + runs_of(levels.library);
  if (study.latencies.has_kernels) note += ", kernels' from " + runs_of(levels.kernel);
  if (levels.layers_outlast_calls) {
    note += fmt::format("; GPU work goes on after a layer's call returns, which only {} recorded: host_ms is from {}",
                        levels.kernel.label, levels.layer.label);
  }
  return note;
}

std::vector<std::string> divergence_notes(const Study& study, std::initializer_list<Level> levels) {
  std::vector<std::string> notes;
  for (const Divergence& divergence : study.divergences) {
    if (std::find(levels.begin(), levels.end(), divergence.level) != levels.end()) notes.push_back(divergence.text);
  }
  return notes;
}

std::string role_note(const Study& study) {
  const SpanRoles& roles = study.roles;
  std::string taken;
  if (roles.iterations != 0) {
    std::string note = fmt::format(
        "no step is marked, so the tables show the {} iterations found (D1); --per trace adds up the whole recording; "
        "--model-span REGEX selects the spans that count as steps",
        roles.iterations);
    if (!roles.layers.empty()) note += "; layers: " + roles.layers;
    return note;
  }
  if (!roles.models.empty())
    taken += (roles.models.starts_with("iterations") ? "" : fmt::format("{}s: ", subject_noun(study))) + roles.models;
  if (!roles.layers.empty()) taken += (taken.empty() ? "layers: " : "; layers: ") + roles.layers;
  if (taken.empty()) return {};
  return taken + " (to choose others: --model-span REGEX, --layers module|op|library|nvtx:REGEX)";
}

namespace {

/// Where the evaluations under study do not have the same layers.
std::vector<std::string> sequence_notes(const Study& study) {
  std::vector<std::string> notes;
  const LayerPlaces& places = study.joined.places;
  const bool is_told = !divergence_notes(study, {Level::kLayer}).empty();
  if (places.diverging != 0 && !is_told) {
    notes.push_back(fmt::format(
        "{} left out: fewer than half of {} layers match those of the {} used here (first difference at index {})",
        plural(places.diverging, subject_noun(study)) + (places.diverging == 1 ? " is" : " are"),
        places.diverging == 1 ? "its" : "their", places.joined.size(), places.first_difference));
  }
  if (places.not_aligned != 0) {
    notes.push_back(fmt::format("too many different layer sequences: {} of them were not aligned", places.not_aligned));
  }
  const size_t different = places.joined.size() - places.same.size();
  if (different != 0 || places.left_out != 0) {
    const auto partial = std::count_if(study.joined.layers.begin(), study.joined.layers.end(),
                                       [&](const auto& layer) { return layer.calls < places.joined.size(); });
    std::string note = fmt::format("{} of {} have other layers than the rest (first at index {})", different,
                                   plural(places.joined.size(), subject_noun(study)), places.first_difference);
    if (different == 0)
      note = fmt::format("{} differ in layers that take no time", plural(places.joined.size(), subject_noun(study)));
    if (partial != 0)
      note += fmt::format("; n counts those that have a layer ({} not in all)",
                          partial == 1 ? "1 is" : fmt::format("{} are", partial));
    if (places.left_out != 0) {
      note += fmt::format("; {} that fewer than half have {} left out ({:.3g} ms per call on average)",
                          plural(places.left_out, "layer"), places.left_out == 1 ? "is" : "are",
                          places.left_out_ns / kNsPerMs);
    }
    notes.push_back(std::move(note));
  }
  if (places.without_layers != 0 && !study.joined.layers.empty()) {
    notes.push_back(plural(places.without_layers, subject_noun(study)) + " without layers left out");
  }
  for (const JoinedLayer& layer : study.joined.layers) {
    if (layer.row == kNoRow || !is_bookkeeping(study.trace, layer.row)) continue;
    notes.push_back(fmt::format(
        "the row {} adds up operators that only manage tensors (views, memory allocation, gradient accumulation): {}",
        kBookkeeping,
        study.options.per_trace ? plural(layer.calls, "operator")
                                : fmt::format("{:.3g} operators per call", layer.count)));
  }
  return notes;
}

/// How to see the other mode of the subject's model.
std::string mode_choice_note(const Study& study) {
  const EvaluationGroup& subject = study.evaluations.groups[*study.subject];
  for (const uint32_t number : study.groups) {
    const EvaluationGroup& other = study.evaluations.groups[number];
    const bool both_known = subject.phases.mode != Mode::kUnknown && other.phases.mode != Mode::kUnknown;
    if (!both_known || other.model != subject.model || other.scope != subject.scope ||
        other.phases.mode == subject.phases.mode)
      continue;
    return fmt::format("this is {} of {}; --model '{} ({})' shows the other", mode_word(subject.phases.mode),
                       model_label(study.trace, subject), model_label(study.trace, other),
                       mode_word(other.phases.mode));
  }
  return {};
}

}  // namespace

std::vector<std::string> subject_notes(const Study& study, Level level) {
  std::vector<std::string> notes;
  const JoinedLayers& joined = study.joined;
  if (joined.layers.empty()) {
    notes.push_back(no_layers_note(study));
  } else if (study.without_models) {
    notes.push_back(no_layers_note(study) + "; the tables add up the whole recording, as with --per trace");
  } else if (study.options.per_trace) {
    notes.push_back(fmt::format("totals of the whole recording ({}), nothing left out",
                                plural(joined.evaluations, subject_noun(study))));
  } else {
    const LeveledGroup& levels = study.levels;
    const bool by_kernel_set = levels.layers_outlast_calls || (levels.leveled && level == Level::kDevice);
    const size_t n = by_kernel_set ? levels.kernel_layers.evaluations : joined.evaluations;
    notes.push_back(subject_note(study, level, n));
    if (study.groups.size() > 1) {
      const ModelCalls calls = calls_of_model(study, study.evaluations.groups[*study.subject]);
      const size_t others = study.groups.size() - 1;
      const bool can_choose = calls.groups.size() < study.groups.size();
      notes.push_back(fmt::format("A1 lists {} (other models, inputs or processes){}",
                                  others == 1 ? "1 more" : fmt::format("{} more", others),
                                  can_choose ? "; choose with --model or --process" : ""));
      if (std::string note = mode_choice_note(study); !note.empty()) notes.push_back(std::move(note));
    }
  }
  if (std::string note = role_note(study); !note.empty()) notes.push_back(std::move(note));
  if (std::string note = launch_times_note(study); !note.empty()) notes.push_back(std::move(note));
  if (std::string note = set_note(study); !note.empty()) notes.push_back(std::move(note));
  for (std::string& note : divergence_notes(study, {Level::kModel, Level::kLayer})) notes.push_back(std::move(note));
  for (std::string& note : sequence_notes(study)) notes.push_back(std::move(note));
  for (std::string& note : loss_notes(study)) notes.push_back(std::move(note));
  return notes;
}

std::string failed_note(const Study& study) {
  const size_t failed = study.evaluations.failed.size();
  if (failed == 0) return {};
  return fmt::format("{} ended with an exception and {} left out",
                     failed == 1 ? "1 call" : fmt::format("{} calls", failed), failed == 1 ? "is" : "are");
}

std::string construction_note(const Study& study) {
  constexpr size_t kNamed = 3;
  const std::vector<Row>& calls = study.evaluations.constructions;
  if (calls.empty()) return {};
  std::vector<std::string_view> types;
  for (const Row call : calls) {
    const std::string_view type = study.trace.text(study.trace.spans.type[call]);
    if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  }
  const size_t named = std::min(types.size(), kNamed);
  return fmt::format("{} from constructors of modules ({}{}) {} left out: they do not run the model",
                     plural(calls.size(), "call"), fmt::join(types.begin(), types.begin() + named, ", "),
                     types.size() > named ? ", …" : "", calls.size() == 1 ? "is" : "are");
}

std::string device_latency_note(const Study& study) {
  const DeviceLatencies& latencies = study.latencies;
  if (latencies.by_events) {
    return "a model's latency ends when its call has returned and the GPU stream is done (measured by events around "
           "the call); host_ms is the call alone";
  }
  if (latencies.layers.empty()) return {};
  std::string note =
      "latency ends when the call has returned and its last kernel or copy has ended; a layer's latency covers its "
      "call and its own kernels and copies; host_ms is the call alone";
  const LeveledGroup& levels = study.levels;
  if (levels.leveled && levels.model.label != levels.kernel.label) {
    note += fmt::format("; {} recorded no kernels: there, events around the call show when the GPU is done",
                        levels.model.label);
  }
  return note;
}

std::string coverage_note(const Study& study) {
  const double share = study.coverage_pct();
  if (std::isnan(share)) return {};
  // A model takes longer where its layers are recorded.
  const std::string where = study.levels.leveled ? fmt::format(" in {}", study.levels.of_layers().label) : "";
  if (share > 100.05) {
    const LeveledGroup& levels = study.levels;
    const auto& joined = levels.layers_outlast_calls ? levels.kernel_layers.joined : study.joined.joined;
    const double overlap = overlap_of_layers(study.trace, study.evaluations, study.executions, joined);
    return fmt::format("layers add up to {:.1f} % of model latency{}", share, where) +
           (overlap > 0 ? fmt::format(": some run at the same time ({:.3g} ms per call)", overlap / kNsPerMs) : "");
  }
  const bool has_backward =
      !study.latencies.has_kernels && std::any_of(study.joined.layers.begin(), study.joined.layers.end(),
                                                  [](const JoinedLayer& layer) { return layer.backward_ns != 0; });
  const std::string cover = fmt::format("layers {}cover {:.1f} % of model latency{}",
                                        has_backward ? "and their backward work " : "", share, where);
  const std::string rest =
      has_torch_layers(study) ? "containers, functional operators and the framework" : "the framework";
  const bool waits = !study.latencies.layers.empty();
  return cover + "; the rest goes to " + rest + (waits ? ", waiting for the GPU, and copies outside layers" : "");
}

bool has_unclosed_profiles(const Study& study, std::optional<uint32_t> process) {
  const Trace& trace = study.trace;
  std::vector<bool> abrupt(trace.processes.size());
  for (uint32_t i = 0; i < abrupt.size(); ++i) {
    const ProcessEnd ended = trace.processes[i].ended;
    abrupt[i] = ended != ProcessEnd::kUnspecified && ended != ProcessEnd::kGoodbye && process.value_or(i) == i;
  }
  for (Row row = 0; row < trace.spans.size(); ++row) {
    if (trace.spans.kind[row] == Kind::kOrtRun && abrupt[trace.process_of(row)]) return true;
  }
  return false;
}

std::string unseen_runs_note(const Trace& trace, uint64_t nodes) {
  const std::string count = nodes == 1 ? "1 node" : fmt::format("{} nodes", nodes);
  if (has_imports(trace)) {
    return fmt::format("{} of ONNX Runtime {} outside every model_run of the profile", count,
                       nodes == 1 ? "is" : "are");
  }
  return fmt::format("{} of ONNX Runtime {} run by a call that XSP does not see (run_async)", count,
                     nodes == 1 ? "was" : "were");
}

namespace {

/// What else may be taken for evaluations and layers: "; --layers op shows its 965316 operators, …"; or nothing.
std::string other_evaluations(const Trace& trace) {
  const auto& kinds = trace.spans.kind;
  const auto operators = std::count(kinds.begin(), kinds.end(), Kind::kOperator);
  std::string ways;
  if (operators != 0) ways += fmt::format("; to see its {} operators: --layers op", operators);
  if (trace.executions.size() != 0) ways += "; to use the iterations of D1: --model-span iterations";
  return ways;
}

std::string no_evaluations_note(const Study& study) {
  const Evaluations& evaluations = study.evaluations;
  if (!evaluations.failed.empty()) return "every model call ended with an exception";
  const auto is_node = [&](Row row) { return study.trace.spans.kind[row] == Kind::kOrtNode; };
  const auto nodes = std::count_if(evaluations.loose_layers.begin(), evaluations.loose_layers.end(), is_node);
  if (nodes != 0) return "no model call in the trace: " + unseen_runs_note(study.trace, static_cast<uint64_t>(nodes));
  const std::string ways = other_evaluations(study.trace);
  if (has_imports(study.trace)) {
    return "no step is marked; --model-span REGEX selects annotations, ranges, operators, modules or functions as "
           "steps" +
           ways;
  }
  return "no model call in the trace: the program called no model that XSP knows" +
         (ways.empty() ? std::string("; see Q1") : ways);
}

/// Whether kernels under study are of layers.
bool has_captured_layers(const Study& study) {
  const auto& kernels = study.kernels.kernels;
  return std::any_of(kernels.begin(), kernels.end(), [&](const JoinedKernel& kernel) {
    return study.executions.placed[kernel.execution].layer != kNoRow;
  });
}

bool is_of_ort(const Study& study) {
  return study.subject && study.evaluations.groups[*study.subject].kind == Kind::kOrtRun;
}

}  // namespace

std::string own_profiler_note(const Study& study) {
  if (!is_of_ort(study) || study.joined.layers.empty()) return {};
  if (study.levels.leveled && study.levels.model.label != study.levels.layer.label) return {};
  return "these latencies include ONNX Runtime's own profiler; to measure without it: xsp-run --level model";
}

std::string no_layers_note(const Study& study) {
  if (study.evaluations.root.empty()) return no_evaluations_note(study);
  if (study.subject && study.used.empty() && !study.options.per_trace) {
    return "every step or call was skipped: use a smaller --skip";
  }
  if (has_captured_layers(study)) {
    return "no layers in these calls: they launch graphs captured earlier; A11 and A13 list their kernels by the "
           "layers that captured them";
  }
  if (std::string note = shallow_recording_note(study, Level::kLayer, "layers"); !note.empty()) return note;
  if (study.subject && sampled_calls(study.evaluations.groups[*study.subject]).full == 0) {
    return "no layers in these calls: none of the calls in the trace was recorded in full (xsp-run --sample)";
  }
  if (is_of_ort(study) && has_unclosed_profiles(study, study.evaluations.groups[*study.subject].process)) {
    return fmt::format("no layers in these calls: {}", kLayersAtRegularExit);
  }
  if (is_of_ort(study) && losses(study.trace, LossReason::kProfileFile) != 0) {
    return "no layers in these calls: ONNX Runtime's profile could not be read (Q1)";
  }
  if (losses(study.trace, LossReason::kTooDeep) != 0) {
    return fmt::format("no layers in these calls: calls are nested too deeply ({} levels are recorded)",
                       shm::kMaxOpenSpans);
  }
  if (has_imports(study.trace)) {
    return "no layers in these calls: the profile has no modules, operators or library calls in them";
  }
  return "no layers in these calls; record them with: xsp-run --level layer -- COMMAND (see Q1 for what was "
         "lost)";
}

}  // namespace xsp::analysis
