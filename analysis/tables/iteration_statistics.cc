#include <fmt/format.h>

#include <algorithm>

#include "analysis/iterations/iteration_metrics.h"
#include "analysis/iterations/state_graph.h"
#include "analysis/study/iteration_study.h"
#include "analysis/tables/analyses.h"
#include "analysis/tables/loss_notes.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// As D1: rows are for reading.
constexpr size_t kMostRows = 200'000;
constexpr double kPct = 100;

Cell ms(const std::optional<double>& ns) { return ns ? cell(*ns / kNsPerMs) : Cell(); }
Cell ms(int64_t ns) { return cell(static_cast<double>(ns) / kNsPerMs); }

std::vector<Cell> row_of(uint32_t loop, const LoopMetrics& metrics) {
  const auto pct = [](double share) { return cell(kPct * share); };
  return {count_cell(loop),
          ms(metrics.avg_interval_ns),
          ms(metrics.max_interval_ns),
          cell(metrics.avg_overlap),
          ms(metrics.avg_operation_ns),
          cell(metrics.avg_size_bytes),
          count_cell(metrics.iterations),
          cell(metrics.avg_iteration_ns / kNsPerMs),
          ms(metrics.avg_period_ns),
          pct(metrics.compute),
          pct(metrics.copy),
          pct(metrics.both),
          pct(metrics.idle),
          pct(metrics.intervals)};
}

Table iterations_of(uint32_t loop, const std::vector<IterationMetrics>& metrics, bool has_device) {
  constexpr size_t kIteration = 6;
  Table part;
  part.id = "iterations";
  part.title = "the metrics of each iteration";
  part.columns = {{"loop", ""},        {"iteration", ""}, {"interval", "ms"},     {"overlap", ""},
                  {"operation", "ms"}, {"size", "B"},     {"iteration_ms", "ms"}, {"compute_pct", "%"},
                  {"copy_pct", "%"},   {"both_pct", "%"}, {"idle_pct", "%"}};
  for (size_t i = 0; i < std::min(metrics.size(), kMostRows); ++i) {
    const IterationMetrics& of = metrics[i];
    const auto duration = static_cast<double>(of.duration());
    const auto pct = [&](int64_t ns) { return cell(kPct * static_cast<double>(ns) / duration); };
    const bool has_overlap = has_device && of.has_interval && of.interval > 0;
    part.rows.push_back(
        {count_cell(loop), count_cell(i), of.has_interval ? ms(of.interval) : Cell(),
         has_overlap ? cell(static_cast<double>(of.to_device_in_interval) / static_cast<double>(of.interval)) : Cell(),
         of.gaps == 0 ? Cell() : cell(static_cast<double>(of.operation_gaps) / of.gaps / kNsPerMs),
         has_device ? count_cell(of.bytes_to_device) : Cell(), ms(of.duration()), pct(of.compute), pct(of.copy),
         pct(of.both), pct(of.idle)});
  }
  if (metrics.size() > kMostRows) {
    part.notes.push_back(fmt::format("the first {} of {} iterations", kMostRows, metrics.size()));
  }
  part.notes.emplace_back("interval and overlap are of the interval before the iteration; shares are of the iteration");
  part.rank_by = kIteration;
  return part;
}

Table empty_states() {
  Table part;
  part.id = "states";
  part.title = "the state graph";
  part.columns = {{"loop", ""}, {"state", ""}, {"mean_ms", "ms"}, {"share_pct", "%"}, {"operations", ""}};
  part.notes.emplace_back(
      "CPU: the interval before an iteration without its copies; copy: copies within it; GPU: the iteration; means of "
      "the iterations that have an interval");
  return part;
}

void add_states(uint32_t loop, const StateGraph& graph, Table* part) {
  for (const StateNode& node : graph.nodes) {
    part->rows.push_back({count_cell(loop), std::string(state_name(node.state)), cell(node.mean_ms),
                          cell(kPct * node.share), cell(node.count)});
  }
}

}  // namespace

Table iteration_statistics(const Study& study) {
  Table table;
  table.columns = {
      {"loop", ""},      {"avg_interval", "ms"}, {"max_interval", "ms"},  {"avg_overlap", ""},  {"avg_operation", "ms"},
      {"avg_size", "B"}, {"iterations", ""},     {"avg_iteration", "ms"}, {"avg_period", "ms"}, {"compute_pct", "%"},
      {"copy_pct", "%"}, {"both_pct", "%"},      {"idle_pct", "%"},       {"interval_pct", "%"}};
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
      table.rows.push_back(row_of(loop, loop_metrics(metrics, has_device)));
      if (loop == *found->outermost()) table.parts.push_back(iterations_of(loop, metrics, has_device));
      if (has_device && is_outermost) add_states(loop, state_graph(metrics), &states);
    }
    if (!states.rows.empty()) table.parts.push_back(std::move(states));
    table.notes.emplace_back(
        "interval: from the end of an iteration to the begin of the next one of its loop; overlap: the share of it in "
        "which data is copied to the device; operation: the time between two operations of an iteration; shares are of "
        "all iterations and intervals");
    if (!has_device) table.notes.emplace_back("nothing of a device was recorded: iterations are of layers or calls");
  }
  if (std::string note = iteration_process_note(study); !note.empty()) table.notes.push_back(std::move(note));
  for (std::string& note : loss_notes(study)) table.notes.push_back(std::move(note));
  return table;
}

}  // namespace xsp::analysis
