#include "analysis/render/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "analysis/findings/verdict.h"
#include "analysis/render/render.h"
#include "analysis/study/process_labels.h"
#include "analysis/study/step_study.h"
#include "analysis/tables/call_tables.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/level_tables.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/study_notes.h"
#include "analysis/timeline/kernel_names.h"
#include "base/quantity_text.h"
#include "base/text_encoding.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

constexpr size_t kMaxLines = 12;
constexpr size_t kTopLayers = 3;
constexpr size_t kNameWidth = 44;

std::string ms(double ns) { return four_digits(ns / kNsPerMs) + " ms"; }

std::string name_of(const Trace& trace, uint32_t id) { return shorten(printable(trace.text(id)), kNameWidth); }

std::string program_of(const Process& process) {
  return process.executable.empty() ? "process" : std::filesystem::path(process.executable).filename().string();
}

/// False when there is none.
bool add_processes(const Study& study, std::vector<std::string>* lines) {
  const Trace& trace = study.trace;
  uint64_t count = 0;
  std::string first;
  for (const Process& process : trace.processes) {
    if (!process.said_hello && process.spans == 0) continue;
    if (count++ == 0) first = fmt::format("{} (pid {})", printable(program_of(process)), process.pid);
  }
  if (count == 0) {
    const bool is_warned = std::any_of(trace.notices.begin(), trace.notices.end(),
                                       [](const Notice& notice) { return notice.severity > 0; });
    lines->emplace_back(is_warned ? "no process was recorded"
                                  : "no process reported: the program called nothing that XSP knows");
    return false;
  }
  if (std::string runs = runs_of_set(study); !runs.empty()) {
    lines->push_back(fmt::format("{}: {}, {}", first, runs, plural(trace.spans.size(), "span")));
    return true;
  }
  lines->push_back(fmt::format(
      "{}{}, {}", first,
      count == 1 ? "" : " and " + (count == 2 ? "1 other process" : fmt::format("{} other processes", count - 1)),
      plural(trace.spans.size(), "span")));
  return true;
}

void add_model(const Study& study, std::vector<std::string>* lines) {
  if (!study.subject) return;
  const EvaluationGroup& group = study.evaluations.groups[*study.subject];
  auto latencies = evaluation_latencies(study, study.used);
  const double spread = interquartile_range(latencies);
  std::string line =
      fmt::format("model {}: {}, {} of {}", shorten(printable(model_label(study.trace, group)), kNameWidth),
                  ms(study.model_latency_ns), study.options.statistic.description(), study.used.size());
  if (study.used.size() > 1) line += fmt::format(", spread {}", ms(spread));
  lines->push_back(line);
  std::string more = plural(group.evaluations.size(), evaluation_noun(study, group));
  if (study.levels.leveled) more += fmt::format(" ({} in {})", study.used.size(), study.levels.model.label);
  if (group.input != 0) more += fmt::format(", input {}", name_of(study.trace, group.input));
  if (group.batch_size && study.model_latency_ns > 0) {
    more += fmt::format(", {} inputs/s",
                        four_digits(static_cast<double>(*group.batch_size) * kNsPerSecond / study.model_latency_ns));
  }
  if (study.groups.size() > 1) {
    more += fmt::format("; {} more in A1 (model, input shape or process)", study.groups.size() - 1);
  }
  lines->push_back("  " + more);
}

void add_layers(const Study& study, std::vector<std::string>* lines) {
  const auto& layers = study.joined.layers;
  if (!study.subject) return;
  if (layers.empty()) {
    lines->push_back(no_layers_note(study));
    return;
  }
  const double total = study.layer_latency_ns();
  const double coverage = study.coverage_pct();
  lines->push_back(plural(layers.size(), "layer") +
                   (std::isnan(coverage) ? "" : fmt::format(", {:.1f} % of model latency", coverage)));
  std::vector<const JoinedLayer*> ranked;
  for (const JoinedLayer& layer : layers) ranked.push_back(&layer);
  const size_t top = std::min(study.kernels.kernels.empty() ? kTopLayers : 1, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<ptrdiff_t>(top), ranked.end(),
                    [](const auto* a, const auto* b) { return a->latency_ns > b->latency_ns; });
  const auto share = [&](double ns) { return total > 0 ? 100 * ns / total : 0.0; };
  for (size_t i = 0; i < top; ++i) {
    lines->push_back(fmt::format("  {:<9} {:<{}} {:>10} {:5.1f} %", i == 0 ? "top layer" : "",
                                 name_of(study.trace, ranked[i]->name), kNameWidth, ms(ranked[i]->latency_ns),
                                 share(ranked[i]->latency_ns)));
  }
  const auto types = layer_types(study);
  if (types.size() == 1) return;
  const auto& type = *std::max_element(types.begin(), types.end(),
                                       [](const auto& a, const auto& b) { return a.latency_ns < b.latency_ns; });
  lines->push_back(fmt::format("  {:<9} {:<{}} {:>10} {:5.1f} %", "top type",
                               shorten(printable(fmt::format("{} ({})", type.type, type.count)), kNameWidth),
                               kNameWidth, ms(type.latency_ns), share(type.latency_ns)));
}

/// The function of a library with most time of its own.
void add_library(const Study& study, std::vector<std::string>* lines) {
  const auto functions = called_functions(study.trace, study.library_calls, study.joined_library_calls);
  const auto top = std::max_element(functions.begin(), functions.end(),
                                    [](const auto& a, const auto& b) { return a.self_ns < b.self_ns; });
  if (top == functions.end()) return;
  lines->push_back(
      fmt::format("  {:<9} {:<{}} {:>10}", "top call",
                  shorten(printable(fmt::format("{} ({})", study.trace.text(top->function), top->count)), kNameWidth),
                  kNameWidth, ms(top->self_ns)));
}

/// The kernels of an evaluation, and those with most time.
void add_kernels(const Study& study, std::vector<std::string>* lines) {
  const JoinedKernels& kernels = study.kernels;
  if (kernels.kernels.empty()) return;
  lines->push_back(fmt::format("{} by {}: {}", plural(kernels.kernels.size(), "kernel"),
                               plural(kernels.launches, "launch"), ms(kernels.latency_ns)));
  const NamedKernels top = sum_by_name(study).front();
  const std::string name = demangled(study.trace.text(top.name));
  lines->push_back(fmt::format("  {:<9} {:<{}} {:>10} {:5.1f} %", "top kernel",
                               shorten(printable(fmt::format("{} ({})", name, top.sum.count)), kNameWidth - 1),
                               kNameWidth - 1, ms(top.sum.latency_ns),
                               kernels.latency_ns > 0 ? 100 * top.sum.latency_ns / kernels.latency_ns : 0.0));
}

/// Processes that ended without a goodbye, with the innermost call that each died in.
std::vector<std::string> deaths(const Trace& trace) {
  std::vector<std::string> found;
  for (uint32_t i = 0; i < trace.processes.size(); ++i) {
    const Process& process = trace.processes[i];
    if (process.ended != ProcessEnd::kDisconnected && process.ended != ProcessEnd::kCutOff) continue;
    std::string line = process_label(trace, i) +
                       (process.ended == ProcessEnd::kCutOff ? " was cut off" : " was killed, or replaced by exec");
    if (!process.end_reason.empty()) line += ": " + process.end_reason;
    const auto open = std::find_if(trace.open_spans.rbegin(), trace.open_spans.rend(),
                                   [&](const OpenSpan& span) { return span.process == i; });
    if (open != trace.open_spans.rend()) {
      line += fmt::format(", in {} {}", kLevelNames[static_cast<size_t>(open->level)], trace.text(open->name));
    }
    found.push_back(std::move(line));
  }
  return found;
}

}  // namespace

std::string render_summary(const Study& study) {
  std::vector<std::string> lines;
  const bool any_process = add_processes(study, &lines);
  if (any_process) lines.push_back(printable(verdict_of(study)));
  if (study.subject) {
    add_model(study, &lines);
  } else if (any_process) {
    lines.push_back(no_layers_note(study));
  }
  add_layers(study, &lines);
  add_library(study, &lines);
  add_kernels(study, &lines);
  std::vector<std::string> findings = deaths(study.trace);
  if (std::string note = failed_note(study); !note.empty()) findings.push_back(std::move(note));
  for (std::string& note : loss_notes(study)) findings.push_back(std::move(note));
  for (const Notice& notice : study.trace.notices) {
    if (notice.severity > 0) findings.push_back(notice.component + ": " + notice.text);
  }
  const size_t room = kMaxLines - lines.size();
  for (size_t i = 0; i < findings.size() && i < room; ++i) {
    const bool last = i + 1 == room && i + 1 < findings.size();
    lines.push_back(last ? fmt::format("and {} more findings: see Q1", findings.size() - i) : printable(findings[i]));
  }
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

}  // namespace xsp::analysis
