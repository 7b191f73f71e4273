#include "analysis/tables/co_scheduling.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/study/study.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/packing_picture.h"
#include "analysis/tables/scheduled_kernels.h"
#include "analysis/tables/table.h"
#include "base/quantity_text.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// From here on the scheduler gains what can be seen.
constexpr double kVisibleGain = 1.001;

class CoSchedulingRows {
 public:
  CoSchedulingRows(const Study& study, const ScheduledKernels& kernels, Table* table)
      : study_(study), kernels_(kernels), table_(*table), layers_(study.joined.layers.size()) {
    const auto& scheduled = kernels.schedule.kernels;
    for (size_t i = 0; i < scheduled.size(); ++i) {
      model_.add(kernels.schedule, scheduled[i]);
      const uint32_t layer = kernels.layer_of[kernels.kernel_of[i]];
      if (layer != UINT32_MAX) layers_[layer].add(kernels.schedule, scheduled[i]);
    }
  }

  const ScheduleSums& model() const { return model_; }
  bool memory_is_too_long() const { return memory_is_too_long_; }
  size_t layers_without_slots() const { return layers_without_slots_; }
  bool has_no_packing() const { return has_no_packing_; }

  void add_model() {
    const std::optional<double> critical = kernels_.order.is_known ? critical_path_ns(kernels_.schedule) : std::nullopt;
    const CoSchedulingBound bound = bound_of(model_, critical);
    memory_is_too_long_ = bound.memory_is_too_long;
    TableRow row = add_row(study_.has_single_calls() ? kRecordingScope : kModelScope, model_, kernels_.times.gap_ns);
    if (model_.unknown() == model_.kernels() && !critical) return;  // nothing bounds it
    if (model_.unknown() < model_.kernels()) row.set(kR2.work_ms, cell(model_.work().ns / kNsPerMs));
    set_bound(model_, critical, bound, &row);
    if (!critical) return;
    const std::optional<Packing> packing = pack(kernels_.schedule);
    has_no_packing_ = !packing;
    if (!packing) return;
    const double serial = model_.serial_ns();
    row.set(kR2.packed_ms, cell(std::min(serial, std::max(packing->ns, bound.ns)) / kNsPerMs));
    if (packing->ns * kVisibleGain < serial) table_.parts.push_back(packing_picture(study_, kernels_, *packing));
  }

  /// Only with a graph: its kernels wait for one another, so that without their order a layer has no bound.
  void add_layers() {
    if (!kernels_.order.is_known) return;
    for (size_t i = 0; i < layers_.size(); ++i) {
      const ScheduleSums& sums = layers_[i];
      if (sums.kernels() == 0) continue;
      const std::string_view name = study_.trace.text(study_.joined.layers[i].name);
      TableRow row = add_row(fmt::format("layer {}: {}", i, name), sums, kernels_.times.layer_gap_ns[i]);
      if (sums.unknown() != 0) {
        ++layers_without_slots_;
        continue;
      }
      row.set(kR2.work_ms, cell(sums.work().ns / kNsPerMs));
      if (kernels_.order.group_of[i] == kNoKernelGroup) continue;
      const std::optional<double> critical = sums.serial_ns();
      set_bound(sums, critical, bound_of(sums, critical), &row);
      row.set(kR2.packed_ms, cell(*critical / kNsPerMs));
    }
  }

 private:
  TableRow add_row(std::string_view scope, const ScheduleSums& sums, double gap_ns) {
    TableRow row = table_.add_row();
    row.set(kR2.scope, std::string(scope));
    row.set(kR2.serial_ms, cell(sums.serial_ns() / kNsPerMs));
    row.set(kR2.launch_gap_ms, cell(gap_ns / kNsPerMs));
    row.set(kR2.graph, std::string(kernels_.order.is_known ? "onnx" : "none"));
    return row;
  }

  static void set_bound(const ScheduleSums& sums, const std::optional<double>& critical, const CoSchedulingBound& bound,
                        TableRow* row) {
    if (critical) row->set(kR2.critical_ms, cell(*critical / kNsPerMs));
    if (const auto memory = sums.memory_ns()) row->set(kR2.memory_ms, cell(*memory / kNsPerMs));
    row->set(kR2.bound_ms, cell(bound.ns / kNsPerMs));
    row->set(kR2.limited_by, text_cell(name_of(bound.limited_by)));
    if (critical) row->set(kR2.max_gain_pct, cell(gain_pct(sums.serial_ns(), bound.ns)));
  }

  const Study& study_;
  const ScheduledKernels& kernels_;
  Table& table_;
  ScheduleSums model_;
  std::vector<ScheduleSums> layers_;  // by layer of A2
  bool memory_is_too_long_ = false;
  bool has_no_packing_ = false;
  size_t layers_without_slots_ = 0;
};

/// An ONNX file has the forward pass only.
bool is_of_training(const Study& study) {
  const bool trains = study.subject && study.evaluations.groups[*study.subject].phases.mode == Mode::kTraining;
  return trains || std::any_of(study.kernels.kernels.begin(), study.kernels.kernels.end(),
                               [&](const JoinedKernel& k) { return study.executions.placed[k.execution].backward; });
}

double pct_of(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

void add_co_scheduling_notes(const Study& study, const ScheduledKernels& kernels, const CoSchedulingRows& rows,
                             Table* table) {
  auto& notes = table->notes;
  const ScheduleSums& model = rows.model();
  const double serial = model.serial_ns();
  if (kernels.communication != 0) {
    notes.push_back(fmt::format(
        "{} ({:.3g} ms) {} data between ranks and {} left out: such kernels wait for other ranks; how much of them is "
        "hidden behind computation is in A15",
        plural(kernels.communication, "kernel"), kernels.communication_ns / kNsPerMs,
        kernels.communication == 1 ? "moves" : "move", kernels.communication == 1 ? "is" : "are"));
  }
  if (!kernels.order.is_known) {
    const bool has_graph = study.options.concurrency.graph != nullptr;
    notes.push_back(!has_graph && is_of_training(study)
                        ? "no gain is computed for training (critical_ms, max_gain_pct, packed_ms), not with --graph "
                          "either: an ONNX file tells what waits for what in the forward pass only"
                        : kernels.order.why_not);
    notes.emplace_back(
        "without a graph bound_ms is what the kernels need of the GPU in any order, or the longest of them; it says "
        "nothing of what can be gained, and layers have no rows");
  } else {
    notes.emplace_back(
        "a bound, not a forecast: kernels side by side slow each other down in caches and in memory, which no column "
        "has; launches are in none either, and what saves launches gains more");
    notes.emplace_back(
        "kernels of a layer run in order, so that a layer gains nothing by itself: the gain is between layers");
    const double joined_pct = pct_of(kernels.joined_ns, serial);
    if (joined_pct < 99.95) {
      notes.push_back(fmt::format(
          "{:.1f} % of kernel time is in layers that are no node of {}, or in none: critical_ms lets these kernels "
          "run beside any, packed_ms lets each run alone, in its place",
          100 - joined_pct, study.options.concurrency.graph_file));
    }
    if (rows.has_no_packing()) {
      notes.emplace_back("packed_ms is not known: kernels were launched in another order than the graph allows");
    }
  }
  if (model.kernels() == 0) {
    notes.emplace_back("all kernels move data between ranks: there is nothing to run side by side");
    return;
  }
  if (model.unknown() == model.kernels()) {
    notes.emplace_back("what kernels need of a multiprocessor is not known of any (R1 says why): work_ms is not known");
  } else if (model.unknown() != 0) {
    notes.push_back(fmt::format(
        "what {} of {} need of a multiprocessor is not known ({:.1f} % of kernel time; R1 says why): they add nothing "
        "to "
        "the model's work_ms, so that the true bound may be higher, and packed_ms gives them whole multiprocessors",
        model.unknown(), plural(model.kernels(), "kernel"), pct_of(model.unknown_ns(), serial)));
    if (rows.layers_without_slots() != 0) {
      notes.push_back(fmt::format("{} with such kernels {} no bound", plural(rows.layers_without_slots(), "layer"),
                                  rows.layers_without_slots() == 1 ? "has" : "have"));
    }
  }
  if (kernels.times.overlap) {
    notes.emplace_back(
        "some kernels ran at the same time as others: serial_ms is the time in which any ran, and each has an equal "
        "share "
        "of what it shared");
  }
  if (!model.memory_ns()) {
    notes.emplace_back(
        "memory_ms is not known: it needs the DRAM bytes of all kernels as counters measure them (xsp-run --metrics) "
        "and "
        "the bandwidth of the GPU");
  } else if (rows.memory_is_too_long()) {
    notes.emplace_back(
        "memory_ms is longer than the kernels ran, so that the bytes or the bandwidth are not right: the bound does "
        "without it");
  }
  if (kernels.several_gpus) {
    notes.emplace_back(
        "kernels ran on several GPUs: each stays on its own, and the terms are of the GPU with most to do");
  }
}

/// What is said of FLOPs and bytes, and of the columns of A9 and A10, says nothing of this table.
void leave_out_work_notes(const Study& study, Table* table) {
  if (!study.kernel_metric_notes) return;
  const std::vector<std::string>& of_work = *study.kernel_metric_notes;
  std::erase_if(table->notes, [&](const std::string& note) {
    return std::find(of_work.begin(), of_work.end(), note) != of_work.end();
  });
}

}  // namespace

Table co_scheduling(const Study& study) {
  Table table = make_table(kR2, study);
  finish_kernel_table(study, &table);
  if (study.kernels.kernels.empty()) return table;
  leave_out_work_notes(study, &table);
  const ScheduledKernels kernels = scheduled_kernels(study);
  CoSchedulingRows rows(study, kernels, &table);
  rows.add_model();
  rows.add_layers();
  add_co_scheduling_notes(study, kernels, rows, &table);
  const double serial = rows.model().serial_ns();
  Extra coverage{std::string(co_scheduling_extras::kCoverage)};
  coverage.fields.emplace_back(co_scheduling_extras::kKnownSlotsPct,
                               cell(std::max(0.0, pct_of(serial - rows.model().unknown_ns(), serial))));
  if (kernels.order.is_known) {
    coverage.fields.emplace_back(co_scheduling_extras::kInGraphPct, cell(pct_of(kernels.joined_ns, serial)));
  }
  table.extras.push_back(std::move(coverage));
  table.lacks_data |= rows.model().unknown() == rows.model().kernels();
  return table;
}

}  // namespace xsp::analysis
