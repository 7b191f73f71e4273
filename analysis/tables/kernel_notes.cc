/// What the tables of kernels say below their rows.

#include <fmt/format.h>

#include <cmath>

#include "analysis/study/step_study.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/metric_notes.h"
#include "analysis/tables/shallow_recording.h"
#include "analysis/tables/study_notes.h"
#include "base/quantity_text.h"
#include "base/units.h"
#include "proto/environment.h"

namespace xsp::analysis {
namespace {

/// What A10, A11 and A15 must agree in.
struct Totals {
  size_t count = 0;
  double latency_ns = 0;
  double flops = 0;
  double bytes = 0;

  void add(const KernelSum& sum) {
    count += sum.count;
    latency_ns += sum.latency_ns;
    flops += sum.work.flops;
    bytes += sum.work.read_bytes + sum.work.write_bytes;
  }
};

/// Sums of rounded numbers in another order differ in their last digits.
bool agree(double a, double b, double smallest) { return std::fabs(a - b) <= 1e-9 * std::fabs(a) + smallest; }

bool agree(const Totals& a, const Totals& b) {
  return a.count == b.count && agree(a.latency_ns, b.latency_ns, 1e-3) && agree(a.flops, b.flops, 1e-3) &&
         agree(a.bytes, b.bytes, 1e-3);
}

template <typename Rows>
Totals totals_of(const Rows& rows) {
  Totals totals;
  for (const auto& row : rows) totals.add(row.sum);
  return totals;
}

std::string text_of(const Totals& totals) {
  std::string text = fmt::format("{} in {:.6g} ms", plural(totals.count, "kernel"), totals.latency_ns / kNsPerMs);
  if (totals.flops != 0 || totals.bytes != 0) {
    text += fmt::format(", {:.6g} Gflop, {:.6g} MiB", totals.flops / kFlopsPerGflop, totals.bytes / kBytesPerMib);
  }
  return text;
}

void add_evaluation_notes(const Study& study, Table* table) {
  const JoinedKernels& kernels = study.kernels;
  if (study.has_single_calls()) {
    table->notes.push_back(
        study.options.per_trace && !study.without_models
            ? fmt::format("{} of the whole recording, nothing left out", plural(kernels.kernels.size(), "kernel"))
            : fmt::format("no step is marked: counts and times are for the whole recording ({})",
                          plural(kernels.kernels.size(), "kernel")));
    if (std::string note = set_note(study); !note.empty()) table->notes.push_back(std::move(note));
    return;
  }
  table->notes.push_back(subject_note(study, Level::kDevice, kernels.evaluations.size()));
  if (std::string note = set_note(study); !note.empty()) table->notes.push_back(std::move(note));
  for (std::string& note : divergence_notes(study, {Level::kLayer, Level::kDevice})) {
    table->notes.push_back(std::move(note));
  }
  const size_t different = kernels.evaluations.size() - kernels.same.size();
  if (different != 0) {
    std::string note = fmt::format(
        "{} of {} have other kernels than the rest (first at kernel {}): n of A8 counts the calls that "
        "have a kernel",
        different, plural(kernels.evaluations.size(), subject_noun(study)), kernels.first_difference);
    if (kernels.left_out != 0) {
      note += fmt::format("; {} that fewer than half have {} left out ({:.3g} ms per call on average)",
                          plural(kernels.left_out, "kernel"), kernels.left_out == 1 ? "is" : "are",
                          kernels.left_out_ns / kNsPerMs);
    }
    table->notes.push_back(std::move(note));
  }
  if (kernels.diverging != 0 && divergence_notes(study, {Level::kDevice}).empty()) {
    const double share = 100.0 * static_cast<double>(kernels.diverging) /
                         static_cast<double>(kernels.diverging + kernels.evaluations.size());
    table->notes.push_back(fmt::format(
        "the kernels of {} ({:.1f} %) differ from those of the {} used here, first at kernel {}; they are "
        "left out",
        plural(kernels.diverging, subject_noun(study)), share, kernels.evaluations.size(), kernels.first_difference));
  }
  if (kernels.without_kernels != 0) {
    table->notes.push_back(plural(kernels.without_kernels, subject_noun(study)) + " without kernels left out");
  }
  const bool replayed = !kernels.evaluations.empty() && !study.joined.layers.empty() &&
                        study.evaluations.layer_count(kernels.evaluations.front()) == 0;
  if (replayed) {
    table->notes.emplace_back(
        "these calls replay graphs and made no layers of their own: the table shows the layers that captured the "
        "kernels, with latencies from A2");
  }
}

uint64_t kernels_in_no_evaluation(const Study& study) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < study.executions.placed.size(); ++i) {
    if (study.executions.placed[i].evaluation != kNoEvaluation) continue;
    if (!is_executed(study.trace, i, Executed::kKernels)) continue;
    count += is_under_study(study, study.trace.process_of(study.trace.executions.row[i]), kNoEvaluation) ? 1 : 0;
  }
  return count;
}

}  // namespace

std::string contradiction_of_kernel_sums(const Study& study) {
  const Totals by_name = totals_of(sum_by_name(study));
  const Totals by_layer = totals_of(sum_by_layer(study));
  const JoinedKernels& kernels = study.kernels;
  const Totals by_model = study.has_single_calls()
                              ? totals_of(sum_by_model(study))
                              : Totals{kernels.kernels.size(), kernels.latency_ns, kernels.flops, kernels.dram_bytes};
  if (agree(by_name, by_layer) && agree(by_name, by_model)) return {};
  return fmt::format("the sums of A10 ({}), A11 ({}) and A15 ({}) differ", text_of(by_name), text_of(by_layer),
                     text_of(by_model));
}

std::string no_kernels_note(const Study& study) {
  if (std::string note = shallow_recording_note(study, Level::kDevice, "kernels"); !note.empty()) return note;
  for (const Process& process : study.trace.processes) {
    if (process.records_kernels()) continue;
    return fmt::format(
        "kernels were not recorded (--activities {}); record them with: xsp-run --activities kernel -- COMMAND",
        *process.variable(variable::kActivities));
  }
  if (has_imports(study.trace)) return "the profile has no kernels";
  return "no kernels in the trace; if the program uses a GPU, record them with: xsp-run --level kernel -- COMMAND (Q1 "
         "says why they may be missing)";
}

void finish_kernel_table(const Study& study, Table* table) {
  if (!has_kernels(study.trace)) {
    table->lacks_data = true;
    table->notes.push_back(no_kernels_note(study));
  } else {
    if (!study.kernels.kernels.empty()) {
      add_evaluation_notes(study, table);
      if (!study.kernel_metric_notes) study.kernel_metric_notes = metric_notes(study);
      table->notes.insert(table->notes.end(), study.kernel_metric_notes->begin(), study.kernel_metric_notes->end());
    }
    if (std::string note = role_note(study); !note.empty()) table->notes.push_back(std::move(note));
    const uint64_t outside = study.has_single_calls() ? 0 : kernels_in_no_evaluation(study);
    if (outside != 0) {
      table->notes.push_back(fmt::format(
          "{} outside every step and call (before or between them, or on other threads): --per trace shows all",
          plural(outside, "kernel")));
    }
    if (!study.kernel_contradiction) study.kernel_contradiction = contradiction_of_kernel_sums(study);
    table->contradiction = *study.kernel_contradiction;
    if (!table->contradiction.empty()) table->notes.push_back(table->contradiction);
  }
  for (std::string& note : loss_notes(study)) table->notes.push_back(std::move(note));
}

void finish_metric_table(const Study& study, bool with_roofs, Table* table) {
  finish_kernel_table(study, table);
  if (study.kernels.kernels.empty()) return;
  table->lacks_data |= sum_of(study, study.kernels.kernels).work.source == MetricSource::kNone;
  if (!with_roofs) return;
  table->lacks_data |= !has_roofs(study);
  for (std::string& note : roof_notes(study)) table->notes.push_back(std::move(note));
}

}  // namespace xsp::analysis
