#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "analysis/findings/families.h"
#include "analysis/findings/trace_quality.h"
#include "analysis/tables/kernels_by_model.h"
#include "analysis/tables/model_information.h"
#include "analysis/tables/trace_quality.h"

namespace xsp::analysis {
namespace {

/// An uncertainty of the latency that hides a change as large as a bottleneck.
constexpr double kUncertainPct = 20;
/// From here on, idle time of the device that the profiler may have caused is worth a note.
constexpr double kIdlePct = 15;

Finding note(Finding finding) {
  finding.is_note = true;
  return finding;
}

/// Whether the layers outside of evaluations take long enough for anyone to miss them.
bool is_worth(const Study& study) {
  constexpr double kWorthPct = 1;  // of the time of all evaluations
  const SpanTable& spans = study.trace.spans;
  const auto sum = [&](const std::vector<Row>& rows) {
    int64_t ns = 0;
    for (const Row row : rows) ns += spans.duration(row);
    return static_cast<double>(ns);
  };
  return 100 * sum(study.evaluations.loose_layers) >= kWorthPct * sum(study.evaluations.root);
}

/// Layers that lie in no evaluation: the tables of layers lack them.
void add_unattached(const Evidence& evidence, const TraceQuality& quality, std::vector<Finding>* findings) {
  /// Data loaders and set-up code leave some layers outside.
  constexpr double kManyPct = 10;
  if (!evidence.has_evaluations()) return;
  const double unattached = quality.value("unattached", "layer");
  const double layers = quality.value("spans", "layer");
  if (!(layers > 0) || !(100 * unattached / layers >= kManyPct) || !is_worth(evidence.study)) return;
  findings->push_back(note(quality_finding(
      "unattached-layers", "unattached", unattached, 1,
      fmt::format(
          "{:.0f} of {:.0f} layer spans ({} %) are outside every step and model call: the layer tables omit them",
          unattached, layers, percent_text(100 * unattached / layers)),
      "--per trace includes them; --model-span REGEX selects which spans count as steps")));
}

/// A regular expression for a name that needs no quotes in a shell.
std::string expression_for(std::string_view name) {
  std::string expression(name);
  for (char& c : expression) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '.';
  }
  return expression;
}

/// The end of a long name that no other span's name shares.
std::string short_expression(const Trace& trace, uint32_t id) {
  constexpr size_t kLong = 30;
  constexpr size_t kEnd = 16;
  const std::string_view name = trace.text(id);
  if (name.size() <= kLong) return expression_for(name);
  size_t at = name.size() - kEnd;
  while (at > 0 && std::isalnum(static_cast<unsigned char>(name[at - 1])) != 0) --at;
  const std::string_view end = name.substr(at);
  const auto& names = trace.spans.name;
  const bool is_unique = std::none_of(names.begin(), names.end(), [&](const uint32_t other) {
    return other != id && trace.text(other).ends_with(end);
  });
  return is_unique ? ".*" + expression_for(end) : expression_for(name);
}

/// Whether the word stands alone among letters: "train_step" and "Batch 3" have "step" and "batch", "writer" no "iter".
bool has_word(std::string_view name, std::string_view word) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  size_t begin = 0;
  while (begin < name.size()) {
    size_t end = begin;
    while (end < name.size() && is_letter(name[end])) ++end;
    const std::string_view found = name.substr(begin, end - begin);
    const bool is_it = std::equal(found.begin(), found.end(), word.begin(), word.end(),
                                  [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
    if (is_it) return true;
    begin = end + 1;
  }
  return false;
}

/// "try: xsp-report FILE --model-span '.*forward.'": an annotation of a forward call, an iteration or the like; the one
/// that begins last, because earlier ones may be warm-up.
std::string likely_evaluation(const Trace& trace) {
  constexpr std::array<std::string_view, 9> kWords = {"forward", "iter",  "iteration", "infer",     "inference",
                                                      "step",    "batch", "predict",   "prediction"};
  constexpr size_t kLongest = 80;
  const SpanTable& spans = trace.spans;
  Row last = kNoRow;
  for (Row row = 0; row < spans.size(); ++row) {
    if (spans.kind[row] != Kind::kAnnotation || spans.level[row] != Level::kApplication) continue;
    const std::string_view name = trace.text(spans.name[row]);
    const bool is_likely = name.size() <= kLongest &&
                           std::any_of(kWords.begin(), kWords.end(), [&](auto word) { return has_word(name, word); });
    if (is_likely && (last == kNoRow || spans.begin[row] > spans.begin[last])) last = row;
  }
  if (last == kNoRow) return "to select the spans that count as steps: --model-span REGEX";
  return fmt::format("try: xsp-report FILE --model-span '{}'", short_expression(trace, spans.name[last]));
}

void add_no_evaluations(const Evidence& evidence, const TraceQuality& quality, std::vector<Finding>* findings) {
  const Study& study = evidence.study;
  const double layers = quality.value("spans", "layer");
  if (!study.without_models || !(layers > 0)) return;
  findings->push_back(
      {.id = "no-evaluations",
       .text = fmt::format("No step is marked, so the tables add up the whole recording, start-up included ({})",
                           count_text(layers, "layer span")),
       .advice = likely_evaluation(study.trace),
       .value = layers,
       .unit = "",
       .table = std::string(kQ1.id),
       .column = std::string(kQ1.quantity.name),
       .key = "spans",
       .weight = 1,
       .is_note = true});
}

/// The row of A1 that tables are of.
std::optional<size_t> subject_row(const Evidence& evidence, const TableCells& models) {
  if (models.rows() == 1) return 0;
  const Study& study = evidence.study;
  if (!study.subject) return {};
  const auto found = std::find(study.groups.begin(), study.groups.end(), *study.subject);
  return found == study.groups.end() ? std::nullopt : std::optional<size_t>(found - study.groups.begin());
}

/// Of the model that tables are of, or else of the row with the least certain latency.
void add_uncertain_latency(const Evidence& evidence, std::vector<Finding>* findings) {
  const TableCells models = evidence.table(kA1);
  const auto width = [&](size_t row) {
    const auto low = models.number(row, kA1.ci_low_ms);
    const auto high = models.number(row, kA1.ci_high_ms);
    return low && high && *high + *low > 0 ? 100 * (*high - *low) / (*high + *low) : 0;
  };
  std::optional<size_t> told;
  size_t uncertain = 0;
  for (size_t row = 0; row < models.rows(); ++row) {
    if (!(width(row) > kUncertainPct)) continue;
    ++uncertain;
    if (!told || width(row) > width(*told)) told = row;
  }
  if (!told) return;
  const auto subject = subject_row(evidence, models);
  const bool is_subject = subject && width(*subject) > kUncertainPct;
  if (is_subject) told = subject;
  const std::string range = fmt::format("between {} and {}", time_text(*models.number(*told, kA1.ci_low_ms)),
                                        time_text(*models.number(*told, kA1.ci_high_ms)));
  const std::string input = models.text(*told, kA1.input);
  std::string text = fmt::format("The model latency is uncertain: {} (95 % confidence)", range);
  if (!is_subject) {
    text = fmt::format("{} of {} model latencies in A1 {} uncertain; the worst{}: {} (95 % confidence)", uncertain,
                       models.rows(), uncertain == 1 ? "is" : "are",
                       input.empty() ? "" : ", with input " + name_in_sentence(input), range);
  }
  findings->push_back({.id = "uncertain-latency",
                       .text = std::move(text),
                       .advice = "record more calls or runs with nothing else running",
                       .value = width(*told),
                       .unit = "%",
                       .table = std::string(kA1.id),
                       .column = models.rows() == 1 ? std::string(kA1.model.name) : "",
                       .key = models.rows() == 1 ? models.text(*told, kA1.model) : "",
                       .weight = 1,
                       .is_note = true});
}

/// Profiles of a tool that would tell what ran on a GPU.
void add_no_device(const Evidence& evidence, const TraceQuality& quality, std::vector<Finding>* findings) {
  const Trace& trace = evidence.study.trace;
  const bool imported = std::any_of(trace.segments.begin(), trace.segments.end(),
                                    [](const Segment& segment) { return segment.source == "kineto"; });
  if (!imported || trace.executions.size() != 0 || !(quality.value("spans") > 0)) return;
  findings->push_back(
      note(quality_finding("no-gpu-activity", "spans", 0, 1, "The profile has no GPU activity: all times are CPU times",
                           "if the program uses a GPU, record with ProfilerActivity.CUDA")));
}

/// Stacks of Python functions are recorded at each call, which costs a host-bound step time.
void add_recorded_stacks(const Evidence& evidence, std::vector<Finding>* findings) {
  const Study& study = evidence.study;
  const auto row = evidence.subject_kernels();
  const double step = row ? evidence.table(kA15).number(*row, kA15.step_ms).value_or(0) : 0;
  const double idle = row ? evidence.table(kA15).number(*row, kA15.idle_host_ms).value_or(0) : 0;
  if (!(step > 0) || !(100 * idle >= kIdlePct * step)) return;
  const SpanTable& spans = study.trace.spans;
  const auto functions = std::count(spans.kind.begin(), spans.kind.end(), Kind::kPythonFunction);
  if (functions == 0) return;
  findings->push_back(note(quality_finding(
      "recorded-stacks", "spans", static_cast<double>(functions), 1,
      fmt::format("The profiler recorded {} (with_stack): this slowed the CPU, so the true idle time is smaller",
                  count_text(static_cast<double>(functions), "Python call")),
      "record again without with_stack before you compare times")));
}

/// Launches at the end of the recording that the device had not reached: nothing is lost.
void add_host_ahead(const TraceQuality& quality, std::vector<Finding>* findings) {
  if (!is_host_ahead(quality)) return;
  const double ahead = quality.value("launched_ahead");
  findings->push_back(note(quality_finding(
      "host-ahead", "launched_ahead", ahead, 1,
      fmt::format(
          "When the recording ends, the CPU is {} ahead of the GPU: {:.0f} of {:.0f} launches run after the end",
          short_time(quality.value("ahead_ms")), ahead, quality.value("launches")),
      "")));
}

}  // namespace

void add_notes(const Evidence& evidence, std::vector<Finding>* findings) {
  const TraceQuality quality(evidence);
  if (quality.is_there()) {
    add_no_evaluations(evidence, quality, findings);
    add_no_device(evidence, quality, findings);
    add_unattached(evidence, quality, findings);
    add_recorded_stacks(evidence, findings);
    add_host_ahead(quality, findings);
  }
  add_uncertain_latency(evidence, findings);
}

}  // namespace xsp::analysis
