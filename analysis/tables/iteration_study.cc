#include "analysis/tables/iteration_study.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/experiment/run_processes.h"
#include "analysis/iterations/busiest_process.h"
#include "analysis/iterations/iteration_series.h"
#include "analysis/iterations/iteration_spans.h"
#include "analysis/statistics/statistic.h"

namespace xsp::analysis {
namespace {

/// Processes named in a note; of more their number.
constexpr size_t kNamed = 3;

std::vector<uint32_t> processes_under_study(const Study& study) {
  std::vector<uint32_t> processes;
  for (uint32_t i = 0; i < study.trace.processes.size(); ++i) {
    if (is_process_under_study(study, i)) processes.push_back(i);
  }
  return processes;
}

/// "pid 4242 in run 3 of a set".
std::string label_of(const Study& study, uint32_t process) {
  const ExperimentRun* run = run_of(study.trace, process);
  std::string label = process_label(study.trace, process);
  if (run != nullptr) label += fmt::format(" in run {}", run->index);
  return label;
}

}  // namespace

std::optional<uint32_t> iteration_process(const Study& study) {
  if (!study.iteration_process) {
    study.iteration_process = busiest_process(study.trace, study.evaluations, processes_under_study(study));
  }
  return *study.iteration_process;
}

const FoundIterations* found_iterations(const Study& study) {
  if (!study.iterations) {
    const auto process = iteration_process(study);
    if (!process) return nullptr;
    study.iterations = find_iterations(study.trace, study.evaluations, *process, study.options.mining);
  }
  return &*study.iterations;
}

const std::vector<IterationMetrics>& metrics_of_loop(const Study& study, const FoundIterations& found, uint32_t loop) {
  const auto [known, added] = study.iteration_metrics.try_emplace(loop);
  if (added) known->second = iteration_metrics(study.trace, found, loop);
  return known->second;
}

std::string no_loop_note(const FoundIterations& found) {
  const size_t operations = found.operations.size();
  return fmt::format("no loop: {} ({} operation{})", found.loops.why_none, operations, operations == 1 ? "" : "s");
}

std::string iteration_process_note(const Study& study) {
  const auto process = iteration_process(study);
  if (!process) return {};
  std::vector<uint32_t> others = processes_under_study(study);
  std::erase_if(others, [&](uint32_t other) { return other == *process || study.trace.processes[other].spans == 0; });
  if (others.empty()) return {};
  std::string note = fmt::format("of {}, which was busy longest; not of", label_of(study, *process));
  for (size_t i = 0; i < others.size() && i < kNamed; ++i) {
    note += (i == 0 ? " " : ", ") + label_of(study, others[i]);
  }
  if (others.size() > kNamed) note += fmt::format(" and {} others", others.size() - kNamed);
  // --process does not tell runs of a set, or recordings of one pid, apart.
  const bool is_alone = std::none_of(others.begin(), others.end(), [&](uint32_t other) {
    return study.trace.processes[other].pid == study.trace.processes[*process].pid ||
           run_of(study.trace, other) != nullptr;
  });
  return note + (is_alone ? " (choose with --process)" : " (a report of one trace alone shows it)");
}

std::string iteration_latency_note(const Study& study) {
  const std::vector<Row>& roots = study.evaluations.root;
  const bool any =
      std::any_of(roots.begin(), roots.end(), [&](Row root) { return study.trace.spans.kind[root] == kIterationKind; });
  if (!any) return {};
  std::string note =
      "an iteration's latency is D1's duration_ms, from its first to its last operation that is no copy to or from the "
      "host; throughput is of it, and the program's is less";
  const FoundIterations* found = found_iterations(study);
  if (found == nullptr || !found->outermost()) return note;
  const std::vector<IterationMetrics>& metrics = metrics_of_loop(study, *found, *found->outermost());
  std::vector<double> periods;
  for (size_t i = 1; i < metrics.size(); ++i) {
    if (!metrics[i].has_interval) continue;
    periods.push_back(static_cast<double>(metrics[i].time.begin - metrics[i - 1].time.begin));
  }
  if (periods.empty()) return note;
  const double period = evaluate({Statistic::Kind::kMedian, 0}, periods);
  return note + fmt::format(": from begin to begin it is {} (the median of D1's period_ms{})", duration_text(period),
                            found->loops.loops.size() > 1 ? " of loop 0" : "");
}

std::string no_operations_note(const Study& study) {
  if (has_imports(study.trace)) {
    return "the profile has no operations of a device, no layers and no library calls";
  }
  return "no operations of a device, no layers and no library calls in the trace; record them with: xsp-run -- COMMAND";
}

}  // namespace xsp::analysis
