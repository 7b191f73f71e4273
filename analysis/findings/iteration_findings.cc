#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "analysis/findings/families.h"
#include "analysis/tables/diagnosis_table.h"
#include "analysis/tables/iteration_statistics.h"
#include "analysis/tables/iterations.h"

namespace xsp::analysis {
namespace {

/// Added if a device was recorded, which waits meanwhile.
constexpr std::string_view kHostIsLate = "the CPU is late";

/// How a check of D4 reads as a finding. Its value is a share of time unless `counts`.
struct Told {
  std::string_view diagnosis;
  std::string_view id;
  std::string_view text;  // before the evidence, if that is not a sentence by itself
  bool is_share = true;   // of the loop's time; else it only ranks behind what is
  bool wins = false;      // each step would be shorter by that share
};

constexpr std::array kTold = {
    Told{"warm_up", "iteration-warm-up", ""},
    Told{"graph_growth", "graph-growth", "", true, true},
    Told{"drift", "iteration-drift", "", true, true},
    Told{"input_stall", "input-stall", kHostIsLate, true, true},
    Told{"periodic_work", "periodic-work", "", false},
    Told{"outliers", "iteration-outliers", "", false},
    Told{"copy_bound", "copy-bound", "", true, true},
    Told{"host_bound", "host-bound", "", true, true},
    Told{"launch_bound", "launch-bound-iterations", "", true, true},
};

/// Values that are no share of the time rank as if they were this share.
constexpr double kSmallWeight = 0.02;
constexpr double kPct = 100;

/// Of the operations and of their time.
constexpr double kLeastCoverage = 0.5;

/// Ranks below what puts the reading in doubt.
constexpr double kMostWeight = 0.99;

/// If no model is known the trace is about the loop.
void add_loop(const Evidence& evidence, std::vector<Finding>* findings) {
  const TableCells iterations = evidence.table(kD1);
  const TableCells loops = evidence.table(kD2);
  if (!evidence.study.evaluations.root.empty() || iterations.rows() == 0 || loops.rows() == 0) return;
  double length = 0;
  double coverage = 0;
  double time_coverage = 1;
  for (const Extra& extra : iterations.table()->extras) {
    for (const auto& [name, value] : extra.fields) {
      const auto* count = std::get_if<int64_t>(&value);
      const auto* share = std::get_if<double>(&value);
      if (name == "length" && count != nullptr) length = static_cast<double>(*count);
      if (name == "coverage" && share != nullptr) coverage = *share;
      if (name == "time_coverage" && share != nullptr) time_coverage = *share;
    }
  }
  const auto count = loops.number(0, kD2.iterations);
  const auto period = loops.number(0, kD2.avg_period);
  // As FoundIterations::has_steps: a smaller share is not what the process does.
  if (!count || coverage < kLeastCoverage || time_coverage < kLeastCoverage) return;
  findings->push_back(
      {.id = "iterations",
       .text = fmt::format("{} of {}{}", count_text(*count, "iteration"), count_text(length, "operation"),
                           period ? fmt::format(", one every {}", time_text(*period)) : ""),
       .advice = "to see them and what slows them: -a D1,D2,D4; --model-span iterations treats each as a model call "
                 "(A1, A8 to A15)",
       .value = *count,
       .unit = "",
       .table = std::string(kD1.id),
       .column = std::string(kD1.loop.name),
       .key = "0",
       .weight = std::min({coverage, time_coverage, kMostWeight})});
}

void tell_gain(const Evidence& evidence, double pct, Finding* finding) {
  const auto step = evidence.step_ms();
  if (!evidence.has_evaluations() || !step) return;
  finding->share_pct = std::min(pct, kPct);
  finding->share_of = std::string(evidence.step_word());
  finding->gain_ms = std::min(pct / kPct, 1.0) * *step;
}

std::string sentence(const Told& kind, const std::string& evidence, bool has_device) {
  std::string text(kind.text == kHostIsLate && !has_device ? std::string_view() : kind.text);
  if (!text.empty()) text += ": ";
  text += evidence;
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

}  // namespace

void add_iteration_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  add_loop(evidence, findings);
  const TableCells checks = evidence.table(kD4);
  const bool has_device = !evidence.study.trace.executions.row.empty();
  std::vector<std::string> told;
  for (size_t row = 0; row < checks.rows(); ++row) {
    const std::string diagnosis = checks.text(row, kD4.diagnosis);
    const auto* kind =
        std::find_if(kTold.begin(), kTold.end(), [&](const Told& t) { return t.diagnosis == diagnosis; });
    const auto value = checks.number(row, kD4.value);
    if (kind == kTold.end() || !value || !checks.truth(row, kD4.found).value_or(false)) continue;
    // Warm-up is left out of evaluations already.
    if (diagnosis == "warm_up" && evidence.has_evaluations()) continue;
    // With several loops, the first one's finding stands for all: a finding points to the first row of its key.
    if (std::find(told.begin(), told.end(), diagnosis) != told.end()) continue;
    told.push_back(diagnosis);
    findings->push_back({.id = std::string(kind->id),
                         .text = sentence(*kind, checks.text(row, kD4.evidence), has_device),
                         .advice = checks.text(row, kD4.advice),
                         .value = *value,
                         .unit = checks.text(row, kD4.unit),
                         .table = std::string(kD4.id),
                         .column = std::string(kD4.diagnosis.name),
                         .key = diagnosis,
                         .weight = kind->is_share ? std::clamp(*value / kPct, 0.0, kMostWeight) : kSmallWeight});
    if (kind->wins) tell_gain(evidence, *value, &findings->back());
  }
}

}  // namespace xsp::analysis
