#include "analysis/tables/iteration_statistics.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/iterations/iteration_metrics.h"
#include "analysis/iterations/state_graph.h"
#include "analysis/study/iteration_study.h"
#include "analysis/study/study.h"
#include "analysis/tables/iterations.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/table.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

constexpr double kPct = 100;

void add_row(uint32_t loop, const LoopMetrics& metrics, Table* table) {
  const auto pct = [](double share) { return cell(kPct * share); };
  TableRow row = table->add_row();
  row.set(kD2.loop, count_cell(loop));
  row.set(kD2.avg_interval, ms_cell(metrics.avg_interval_ns));
  row.set(kD2.max_interval, ms_cell(metrics.max_interval_ns));
  row.set(kD2.avg_overlap, cell(metrics.avg_overlap));
  row.set(kD2.avg_operation, ms_cell(metrics.avg_operation_ns));
  row.set(kD2.avg_size, cell(metrics.avg_size_bytes));
  row.set(kD2.iterations, count_cell(metrics.iterations));
  row.set(kD2.avg_iteration, cell(metrics.avg_iteration_ns / kNsPerMs));
  row.set(kD2.avg_period, ms_cell(metrics.avg_period_ns));
  row.set(kD2.compute_pct, pct(metrics.compute));
  row.set(kD2.copy_pct, pct(metrics.copy));
  row.set(kD2.both_pct, pct(metrics.both));
  row.set(kD2.idle_pct, pct(metrics.idle));
  row.set(kD2.interval_pct, pct(metrics.intervals));
}

Table iterations_of(uint32_t loop, const std::vector<IterationMetrics>& metrics, bool has_device) {
  Table part = make_table(kD2Iterations);
  for (size_t i = 0; i < std::min(metrics.size(), kMostIterations); ++i) {
    const IterationMetrics& of = metrics[i];
    const auto duration = static_cast<double>(of.duration());
    const auto pct = [&](int64_t ns) { return cell(kPct * static_cast<double>(ns) / duration); };
    TableRow row = part.add_row();
    row.set(kD2Iterations.loop, count_cell(loop));
    row.set(kD2Iterations.iteration, count_cell(i));
    if (of.has_interval) row.set(kD2Iterations.interval, ms_cell(of.interval));
    if (has_device && of.has_interval && of.interval > 0) {
      row.set(kD2Iterations.overlap,
              cell(static_cast<double>(of.to_device_in_interval) / static_cast<double>(of.interval)));
    }
    if (of.gaps != 0) {
      row.set(kD2Iterations.operation, cell(static_cast<double>(of.operation_gaps) / of.gaps / kNsPerMs));
    }
    if (has_device) row.set(kD2Iterations.size, count_cell(of.bytes_to_device));
    row.set(kD2Iterations.iteration_ms, ms_cell(of.duration()));
    row.set(kD2Iterations.compute_pct, pct(of.compute));
    row.set(kD2Iterations.copy_pct, pct(of.copy));
    row.set(kD2Iterations.both_pct, pct(of.both));
    row.set(kD2Iterations.idle_pct, pct(of.idle));
  }
  if (metrics.size() > kMostIterations) {
    part.notes.push_back(fmt::format("the first {} of {} iterations", kMostIterations, metrics.size()));
  }
  part.notes.push_back(fmt::format("{} measured before the iteration; shares are of the iteration",
                                   has_device ? "interval and overlap are" : "interval is"));
  return part;
}

Table empty_states() {
  Table part = make_table(kD2States);
  part.notes.emplace_back(
      "CPU: the interval before an iteration, without copies; copy: the copies in it; GPU: the iteration itself; all "
      "are means over iterations that have an interval");
  return part;
}

void add_states(uint32_t loop, const StateGraph& graph, Table* part) {
  for (const StateNode& node : graph.nodes) {
    TableRow row = part->add_row();
    row.set(kD2States.loop, count_cell(loop));
    row.set(kD2States.state, std::string(state_name(node.state)));
    row.set(kD2States.mean_ms, cell(node.mean_ms));
    row.set(kD2States.share_pct, cell(kPct * node.share));
    row.set(kD2States.operations, cell(node.count));
  }
}

}  // namespace

Table iteration_statistics(const Study& study) {
  Table table = make_table(kD2, study);
  const FoundIterations* found = found_iterations(study);
  if (found == nullptr) {
    table.notes.push_back(no_operations_note(study));
    table.lacks_data = true;
    return table;
  }
  if (!found->outermost()) {
    table.notes.push_back(no_loop_note(*found));
  } else {
    const bool has_device = found->operations.source == OperationSource::kDevice;
    Table states = empty_states();
    for (uint32_t loop = 0; loop < found->loops.loops.size(); ++loop) {
      // Of inner loops there are many iterations, and nothing else asks for them.
      const bool is_outermost = found->loops.loops[loop].level == 0;
      const std::vector<IterationMetrics> inner =
          is_outermost ? std::vector<IterationMetrics>() : iteration_metrics(study.trace, *found, loop);
      const std::vector<IterationMetrics>& metrics = is_outermost ? metrics_of_loop(study, *found, loop) : inner;
      add_row(loop, loop_metrics(metrics, has_device), &table);
      if (loop == *found->outermost()) table.parts.push_back(iterations_of(loop, metrics, has_device));
      if (has_device && is_outermost) add_states(loop, state_graph(metrics), &states);
    }
    if (!states.rows.empty()) table.parts.push_back(std::move(states));
    table.notes.push_back(
        fmt::format("interval: from the end of an iteration to the begin of the next one of its loop; {}operation: the "
                    "time between "
                    "two operations of an iteration; shares are of all iterations and intervals",
                    has_device ? "overlap: the share of it in which data is copied to the device; " : ""));
    if (!has_device) table.notes.emplace_back("no GPU activity was recorded: iterations consist of layers or calls");
  }
  if (std::string note = iteration_process_note(study); !note.empty()) table.notes.push_back(std::move(note));
  for (std::string& note : loss_notes(study)) table.notes.push_back(std::move(note));
  return table;
}

}  // namespace xsp::analysis
