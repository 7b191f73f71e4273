#include "analysis/tables/trace_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "analysis/study/merged_runs.h"
#include "analysis/study/process_labels.h"
#include "analysis/study/study.h"
#include "analysis/tables/continuous_notes.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/quality_rows.h"
#include "analysis/tables/study_notes.h"
#include "analysis/tables/table.h"
#include "analysis/timeline/range_roles.h"

namespace xsp::analysis {
namespace {

struct SpanCounts {
  PerLevel spans = {};
  PerLevel zero_time = {};
  PerLevel unattached = {};
  uint64_t loose_nodes = 0;  // of unattached: nodes of ONNX Runtime
};

/// By process: whether it has models or layers, which its library calls then should lie in.
std::vector<bool> processes_with_outer_levels(const Trace& trace) {
  std::vector<bool> has_outer(trace.processes.size());
  for (Row row = 0; row < trace.spans.size(); ++row) {
    const Level level = trace.spans.level[row];
    if (level == Level::kModel || level == Level::kLayer) has_outer[trace.process_of(row)] = true;
  }
  return has_outer;
}

/// What a device does by itself has none.
constexpr bool needs_parent(Kind kind) {
  return kind != Kind::kSynchronization && kind != Kind::kMemory && kind != Kind::kOverhead;
}

/// Model spans need no parent; those of other levels do, unless theirs is the outermost level of their process.
SpanCounts count_spans(const Study& study) {
  const SpanTable& spans = study.trace.spans;
  SpanCounts counts;
  const std::vector<bool> has_outer = processes_with_outer_levels(study.trace);
  for (Row row = 0; row < spans.size(); ++row) {
    const auto level = static_cast<size_t>(spans.level[row]);
    ++counts.spans[level];
    // Neither NVTX marks nor memory events take time.
    const bool takes_time = !is_range(spans, row) && spans.kind[row] != Kind::kMemory;
    counts.zero_time[level] += spans.begin[row] == spans.end[row] && takes_time ? 1 : 0;
    if (!needs_parent(spans.kind[row])) continue;
    if (spans.level[row] <= Level::kModel || study.parents.of[row] != kNoRow) continue;
    if (spans.level[row] >= Level::kLibrary && !has_outer[study.trace.process_of(row)]) continue;
    ++counts.unattached[level];
    counts.loose_nodes += spans.kind[row] == Kind::kOrtNode ? 1 : 0;
  }
  for (size_t level = 0; level < kLevelCount; ++level) counts.unattached[level] -= study.parents.ambiguous[level];
  counts.zero_time[static_cast<size_t>(Level::kDevice)] += losses(study.trace, LossReason::kZeroTime);
  return counts;
}

std::string unattached_note(const Study& study, uint64_t loose_nodes, uint64_t library_calls, uint64_t executions) {
  const uint64_t ambiguous = study.parents.ambiguous[static_cast<size_t>(Level::kLayer)];
  std::string note = "outside every span of an outer level";
  if (executions != 0) note += "; kernels, copies and memsets without a launch (unmatched_execution)";
  if (library_calls != 0) note += "; library calls between model calls and on worker threads belong to no layer";
  if (loose_nodes > ambiguous && dropped_spans(study.trace) == 0) {
    note += "; " + unseen_runs_note(study.trace, loose_nodes - ambiguous);
  }
  return note;
}

std::string zero_time_note(const Trace& trace) {
  const uint64_t without = losses(trace, LossReason::kZeroTime);
  const std::string note = "shorter than the clock resolution";
  return without == 0 ? note : fmt::format("{}; {} of them have no CUPTI timestamps and are left out", note, without);
}

PerLevel open_by_level(const Trace& trace) {
  PerLevel open = {};
  for (const OpenSpan& span : trace.open_spans) ++open[static_cast<size_t>(span.level)];
  return open;
}

std::string open_names(const Trace& trace) {
  std::string names;
  for (size_t i = 0; i < std::min<size_t>(trace.open_spans.size(), 4); ++i) {
    const OpenSpan& span = trace.open_spans[i];
    names += (i == 0 ? "in progress when the process ended: " : " > ") +
             fmt::format("{} {}", kLevelNames[static_cast<size_t>(span.level)], trace.text(span.name));
  }
  if (trace.open_spans.size() > 4) names += " …";
  return names;
}

/// ORT runs under which no node was found. One that failed need not have come to its nodes.
uint64_t runs_without_layers(const Study& study) {
  const SpanTable& spans = study.trace.spans;
  std::vector<bool> has_layers(spans.size());
  uint64_t runs = 0;
  for (Row row = 0; row < spans.size(); ++row) {
    const Row parent = study.parents.of[row];
    if (spans.level[row] == Level::kLayer && parent != kNoRow) has_layers[parent] = true;
  }
  for (Row row = 0; row < spans.size(); ++row) {
    const bool is_bare = spans.kind[row] == Kind::kOrtRun && !has_layers[row];
    if (!is_bare || spans.has_failed(row) || spans.is_shallow(row)) continue;
    const Segment& segment = study.trace.segments[study.trace.processes[study.trace.process_of(row)].segment];
    const bool is_meant = segment.requested_level == "model" && is_shallow_run(study, segment, Level::kLayer);
    runs += is_meant ? 0 : 1;
  }
  return runs;
}

std::string runs_without_layers_note(const Study& study) {
  for (const Segment& segment : study.trace.segments) {
    if (segment.requested_level == "model") return "recorded with --level model";
  }
  if (has_unclosed_profiles(study)) return std::string(kLayersAtRegularExit);
  for (const Process& process : study.trace.processes) {
    const Loss& loss = process.losses[static_cast<size_t>(LossReason::kProfileFile)];
    if (loss.count != 0)
      return "the session's profile could not be read" + (loss.detail.empty() ? "" : ": " + loss.detail);
  }
  return "the session's profile is missing";
}

/// The reasons behind these have rows of their own.
std::string dropped_note(const Trace& trace) {
  constexpr std::array<std::string_view, 9> kReasons = {"unknown reason",
                                                        "ring full (use --on-full=block)",
                                                        "more threads than rings",
                                                        "nested too deep",
                                                        "no room for names",
                                                        "damaged records",
                                                        "disk full",
                                                        "framework's profile",
                                                        "activity records without a buffer"};
  std::string note;
  for (size_t reason = 0; reason < kReasons.size(); ++reason) {
    if (reason == static_cast<size_t>(LossReason::kProfileFile)) continue;
    if (reason == static_cast<size_t>(LossReason::kStringsFull)) continue;
    uint64_t count = 0;
    for (const Process& process : trace.processes) count += process.losses[reason].count;
    if (count != 0) note += fmt::format("{}{} {}", note.empty() ? "" : ", ", count, kReasons[reason]);
  }
  return note;
}

void add_process_rows(const Study& study, QualityRows* rows) {
  const Trace& trace = study.trace;
  uint64_t processes = 0;
  uint64_t killed = 0;
  uint64_t clock_error = 0;
  bool has_clock = false;
  std::string killed_note;
  for (uint32_t i = 0; i < trace.processes.size(); ++i) {
    const Process& process = trace.processes[i];
    processes += process.said_hello || process.spans != 0 ? 1 : 0;
    if (process.ended == ProcessEnd::kDisconnected) {
      ++killed;
      killed_note += (killed_note.empty() ? "killed, or replaced by exec: " : ", ") + process_label(trace, i);
      if (!process.end_reason.empty()) killed_note += " (" + process.end_reason + ")";
    }
    clock_error = std::max(clock_error, process.clock_error_ns);
    has_clock |= process.has_clock;
  }
  rows->add("clock_error_ns", "all", has_clock ? count_cell(clock_error) : Cell(),
            has_clock ? "" : "the trace has no clock readings; xsp-run records them");
  rows->add("processes", "all", count_cell(processes));
  rows->add("processes_killed", "all", count_cell(killed), killed_note);
}

/// By process, the libraries whose calls are in the trace.
std::set<std::pair<uint32_t, std::string_view>> recorded_libraries(const Trace& trace) {
  std::set<std::pair<uint32_t, uint32_t>> types;
  for (Row row = 0; row < trace.spans.size(); ++row) {
    if (is_library_call(trace.spans, row)) types.emplace(trace.process_of(row), trace.spans.type[row]);
  }
  std::set<std::pair<uint32_t, std::string_view>> libraries;
  for (const auto& [process, type] : types) libraries.emplace(process, trace.text(type));
  return libraries;
}

std::string unintercepted_note(const Unintercepted& library) {
  std::string why;
  switch (library.reason) {
    case UninterceptedReason::kDeepbind:
      why = "its caller bypasses XSP (RTLD_DEEPBIND, or another interposer before XSP); use xsp-run --audit";
      break;
    case UninterceptedReason::kStatic:
      why = "linked statically into this file; ";
      // oneDNN's calls come through ITT all the same, and calls that came keep it out of this list.
      why += library.library == "onednn" ? "no ITT task arrived: it was not called, or was built without ITT"
                                         : "use a build with the shared library";
      break;
    case UninterceptedReason::kSecondCopy:
      why = "a second copy, called by address, while another one is recorded; load only one copy";
      break;
    case UninterceptedReason::kUnknownVersion:
      why = "of a version unknown to this XSP; its calls are not recorded";
      break;
    case UninterceptedReason::kNoHook:
      why = "XSP has no hook for it on this machine";
      break;
    case UninterceptedReason::kUnspecified:
      why = "not recorded";
      break;
  }
  std::string note = library.library.empty() ? "a library" : library.library;
  if (!library.file.empty()) note += " in " + library.file;
  if (!library.user.empty()) note += ", called by " + library.user;
  note += ": " + why;
  return library.detail.empty() ? note : note + " (" + library.detail + ")";
}

/// A row for each library that calls were made into past XSP. Returns how many libraries these are.
uint64_t add_unintercepted_libraries(const Trace& trace, QualityRows* rows) {
  constexpr size_t kMaxRows = 20;
  std::vector<std::pair<std::string, uint64_t>> notes;
  const auto recorded = recorded_libraries(trace);
  for (const Unintercepted& library : trace.unintercepted) {
    // The calls of a static copy may have come another way: oneDNN's through ITT.
    const bool is_static = library.reason == UninterceptedReason::kStatic;
    if (is_static && recorded.contains({library.process, library.library})) continue;
    std::string note = unintercepted_note(library);
    const auto found = std::find_if(notes.begin(), notes.end(), [&](const auto& entry) { return entry.first == note; });
    if (found == notes.end()) {
      notes.emplace_back(std::move(note), 1);
    } else {
      ++found->second;
    }
  }
  for (size_t i = 0; i < std::min(notes.size(), kMaxRows); ++i) {
    rows->add("unintercepted", "library", count_cell(notes[i].second), notes[i].first);
  }
  if (notes.size() > kMaxRows) {
    rows->add("unintercepted", "library", count_cell(notes.size() - kMaxRows), "more, not listed");
  }
  return notes.size();
}

/// What could not be hooked: libraries, and frameworks, which are told by a notice of their hook, a warning at least.
void add_unintercepted(const Trace& trace, QualityRows* rows) {
  constexpr int kWarning = 1;
  uint64_t count = add_unintercepted_libraries(trace, rows);
  uint64_t noticed = 0;
  std::string note;
  for (const Notice& notice : trace.notices) {
    if (notice.severity < kWarning || notice.component == "collector" || notice.component == "guest") continue;
    ++count;
    if (++noticed <= 3) note += (note.empty() ? "" : "; ") + notice.component + ": " + notice.text;
  }
  rows->add("unintercepted", "all", count_cell(count), note);
}

/// What guests and the collector warn of: processes that were refused or turned their guest off.
void add_warnings(const Trace& trace, QualityRows* rows) {
  constexpr size_t kMostTexts = 3;
  std::vector<std::string> texts;
  for (const Notice& notice : trace.notices) {
    const bool is_ours = notice.component == "collector" || notice.component == "guest";
    if (notice.severity > 0 && is_ours) texts.push_back(notice.text);
  }
  if (texts.empty()) return;
  std::string note;
  for (size_t i = 0; i < std::min(texts.size(), kMostTexts); ++i) note += (i == 0 ? "" : "; ") + texts[i];
  rows->add("warnings", "all", count_cell(texts.size()), note);
}

/// Of a set: where its runs are not alike.
void add_divergence(const Study& study, QualityRows* rows) {
  if (!study.subject || run_of(study.trace, study.evaluations.groups[*study.subject]) == nullptr) return;
  PerLevel places = {};
  std::string note;
  for (const Divergence& divergence : study.divergences) {
    places[static_cast<size_t>(divergence.level)] += divergence.places;
    note += (note.empty() ? "" : "; ") + divergence.text;
  }
  rows->add_levels("divergence", places, {}, note);
}

void add_file_rows(const Trace& trace, QualityRows* rows) {
  uint64_t corrupt = 0;
  uint64_t unreadable = 0;
  uint64_t gaps = 0;
  uint64_t incomplete = 0;
  for (const TraceFile& file : trace.files) {
    corrupt += file.corrupt_packets;
    unreadable += file.unreadable_bytes;
  }
  for (const Process& process : trace.processes) gaps += process.sequence_gaps;
  for (const Segment& segment : trace.segments) incomplete += segment.ended && segment.complete ? 0 : 1;
  rows->add("corrupt_packets", "all", count_cell(corrupt), corrupt == 0 ? "" : "left out");
  rows->add("unreadable_bytes", "all", count_cell(unreadable), unreadable == 0 ? "" : "after a torn or damaged packet");
  rows->add("sequence_gaps", "all", count_cell(gaps), gaps == 0 ? "" : "packets are missing");
  rows->add("incomplete_traces", "all", count_cell(incomplete),
            incomplete == 0 ? "" : "not finished, or stopped early");
  rows->add("missing_names", "all", count_cell(trace.missing_strings));
}

}  // namespace

Table trace_quality(const Study& study) {
  const Trace& trace = study.trace;
  const SpanCounts counts = count_spans(study);
  const Parents& parents = study.parents;
  Table table = make_table(kQ1, study);
  QualityRows rows(&table);
  rows.add_levels("spans", counts.spans, counts.spans, "");
  if (const uint64_t activities = losses(trace, LossReason::kActivity); activities != 0) {
    rows.add("dropped", "device", count_cell(activities));
  }
  rows.add("dropped", "all", count_cell(dropped_spans(trace)), dropped_note(trace));
  add_profile_rows(trace, &rows);
  rows.add_levels("truncated", open_by_level(trace), {}, "still open when the process ended");
  rows.add_levels("zero_time", counts.zero_time, counts.spans, zero_time_note(trace));
  add_match_rows(study, &rows);
  rows.add_levels("ambiguous", parents.ambiguous, counts.spans,
                  fmt::format("inside several concurrent spans: {}", resolve_ambiguous(study)));
  if (!parents.told_by.empty()) {
    rows.add_levels(
        "resolved", parents.resolved, counts.spans,
        fmt::format("inside several concurrent spans; the serialised run shows the parent ({})", parents.told_by));
  }
  rows.add_levels("unattached", counts.unattached, counts.spans,
                  unattached_note(study, counts.loose_nodes, counts.unattached[static_cast<size_t>(Level::kLibrary)],
                                  counts.unattached[static_cast<size_t>(Level::kDevice)]));
  rows.add_levels("outside_parent", parents.outside_parent, counts.spans,
                  "begin before or end after their parent: the trace may be damaged");
  const uint64_t bare_runs = runs_without_layers(study);
  rows.add("runs_without_layers", "model", count_cell(bare_runs),
           bare_runs == 0 ? "" : runs_without_layers_note(study));
  rows.add("layers_containing_layers", "layer", count_cell(study.evaluations.layer_containers),
           study.evaluations.layer_containers == 0 ? "" : "counted as containers: only the inner ones are layers");
  if (study.backward.spans != 0) {
    rows.add("backward_without_layer", "layer", count_cell(study.backward.without_layer),
             study.backward.without_layer == 0
                 ? ""
                 : fmt::format("of {} backward nodes: their forward operator is in no layer, or unknown",
                               study.backward.spans));
  }
  rows.add("failed_evaluations", "model", count_cell(study.evaluations.failed.size()), failed_note(study));
  add_divergence(study, &rows);
  rows.add("open_spans", "all", count_cell(trace.open_spans.size()), open_names(trace));
  add_process_rows(study, &rows);
  add_processor_rows(trace, &rows);
  add_device_rows(study, &rows);
  add_unintercepted(trace, &rows);
  add_warnings(trace, &rows);
  add_overhead(study, &rows);
  add_continuous_rows(study, &rows);
  add_file_rows(trace, &rows);
  table.notes = continuous_notes(study);
  for (std::string& warning : input_warnings(trace)) table.notes.push_back(std::move(warning));
  return table;
}

}  // namespace xsp::analysis
