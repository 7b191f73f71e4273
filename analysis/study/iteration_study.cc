#include "analysis/study/iteration_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/iterations/busiest_process.h"
#include "analysis/iterations/iteration_series.h"
#include "analysis/iterations/iteration_spans.h"
#include "analysis/statistics/statistic.h"
#include "analysis/study/process_labels.h"
#include "analysis/timeline/run_processes.h"

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
    study.iterations = find_iterations(study.trace, study.parents, study.evaluations, *process, study.options.mining);
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
  std::string note = fmt::format("of {}, the busiest process; not of", label_of(study, *process));
  for (size_t i = 0; i < others.size() && i < kNamed; ++i) {
    note += (i == 0 ? " " : ", ") + label_of(study, others[i]);
  }
  if (others.size() > kNamed) note += fmt::format(" and {} others", others.size() - kNamed);
  // --process does not tell runs of a set, or recordings of one pid, apart.
  const bool is_alone = std::none_of(others.begin(), others.end(), [&](uint32_t other) {
    return study.trace.processes[other].pid == study.trace.processes[*process].pid ||
           run_of(study.trace, other) != nullptr;
  });
  return note + (is_alone ? " (choose with --process)" : " (to see it, report that trace alone)");
}

std::string iteration_latency_note(const Study& study) {
  const std::vector<Row>& roots = study.evaluations.root;
  const bool any =
      std::any_of(roots.begin(), roots.end(), [&](Row root) { return study.trace.spans.kind[root] == kIterationKind; });
  if (!any) return {};
  std::string note =
      "an iteration's latency is duration_ms of D1 (first to last operation, without copies to or from the host); "
      "throughput uses it, so the program's own is lower";
  const FoundIterations* found = found_iterations(study);
  if (found == nullptr || !found->outermost()) return note;
  const std::vector<IterationMetrics>& metrics = metrics_of_loop(study, *found, *found->outermost());
  std::vector<double> periods;
  for (const IterationMetrics& of : metrics) {
    if (of.has_interval) periods.push_back(static_cast<double>(of.period));
  }
  if (periods.empty()) return note;
  const double period = evaluate({Statistic::Kind::kMedian, 0}, periods);
  return note + fmt::format(": an iteration takes {} from begin to begin (median of period_ms in D1{})",
                            duration_text(period), found->loops.loops.size() > 1 ? " of loop 0" : "");
}

namespace {

/// The first iteration of the process that is an evaluation; kNoRow: none is.
Row first_iteration(const Study& study, uint32_t process) {
  for (const Row root : study.evaluations.root) {
    if (study.trace.spans.kind[root] == kIterationKind && study.trace.process_of(root) == process) return root;
  }
  return kNoRow;
}

/// What runs under a name before a moment.
struct NamedTime {
  int64_t ns = 0;
  uint64_t count = 0;
};

/// Whether something that a program does once may be named by this: calls of the runtime and of libraries, copies.
bool tells_start_up(const SpanTable& spans, Row row) {
  return spans.level[row] == Level::kRuntime || spans.kind[row] == Kind::kMemcpy || is_library_call(spans, row);
}

}  // namespace

std::string start_up_note(const Study& study) {
  // Anything shorter is the part of an iteration that a recording begins in.
  constexpr int64_t kLeastIterations = 2;
  constexpr double kLeastShare = 0.1;
  const auto process = iteration_process(study);
  const Row first = process ? first_iteration(study, *process) : kNoRow;
  if (first == kNoRow) return {};
  const SpanTable& spans = study.trace.spans;
  const int64_t end = spans.begin[first];
  int64_t begin = end;
  std::map<uint32_t, NamedTime> times;  // by name
  for (Row row = 0; row < spans.size(); ++row) {
    if (spans.begin[row] >= end || study.trace.process_of(row) != *process) continue;
    begin = std::min(begin, spans.begin[row]);
    if (!tells_start_up(spans, row)) continue;
    NamedTime& time = times[spans.name[row]];
    time.ns += std::min(spans.end[row], end) - spans.begin[row];
    ++time.count;
  }
  if (end - begin < kLeastIterations * spans.duration(first)) return {};
  std::string note =
      fmt::format("start-up before the first iteration took {}", duration_text(static_cast<double>(end - begin)));
  const auto most = std::max_element(times.begin(), times.end(),
                                     [](const auto& a, const auto& b) { return a.second.ns < b.second.ns; });
  if (most != times.end() && static_cast<double>(most->second.ns) >= kLeastShare * static_cast<double>(end - begin)) {
    const bool is_copy = copy_role(study.trace.text(most->first)) != SymbolRole::kMovement;
    note += fmt::format(", most of it {}{} ({}, {} {})", is_copy ? "copies " : "", study.trace.text(most->first),
                        duration_text(static_cast<double>(most->second.ns)), most->second.count,
                        is_copy                   ? "copies"
                        : most->second.count == 1 ? "call"
                                                  : "calls");
  }
  return note + "; the tables exclude it";
}

std::string no_operations_note(const Study& study) {
  if (has_imports(study.trace)) {
    return "the profile has no GPU activity, no layers and no library calls";
  }
  return "the trace has no GPU activity, no layers and no library calls; record them with: xsp-run -- COMMAND";
}

}  // namespace xsp::analysis
