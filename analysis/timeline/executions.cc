#include "analysis/timeline/executions.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/timeline/launches.h"
#include "analysis/timeline/surroundings.h"

namespace xsp::analysis {
namespace {

class Placement {
 public:
  Placement(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
            const std::vector<Row>& iteration_of)
      : trace_(trace),
        spans_(trace.spans),
        parents_(parents),
        evaluations_(evaluations),
        iteration_of_(iteration_of),
        around_launch_(trace, parents, evaluations),
        around_capture_(trace, parents, evaluations) {}

  Executions run() {
    const ExecutionTable& table = trace_.executions;
    is_iteration_.resize(evaluations_.root.size());
    for (const Row root : iteration_of_) {
      if (root != kNoRow) is_iteration_[evaluations_.number[root]] = true;
    }
    found_.placed.resize(table.size());
    for (size_t i = 0; i < table.size(); ++i) {
      const Row capture = parents_.capture.empty() ? kNoRow : parents_.capture[i];
      // By its launch, or by the call that captured it into a graph ...
      found_.placed[i] = place(parents_.of[table.row[i]], capture);
      // ... and where evaluations are iterations, by the one that it repeats in, wherever it was launched.
      if (!iteration_of_.empty()) settle_iteration(i);
      if (found_.placed[i].launch == kNoRow && is_work(spans_.kind[table.row[i]])) ++found_.without_launch;
    }
    // Imported profiles without correlation ids cannot tell which launches lack an execution.
    if (!spans_.correlation.empty()) count_launches();
    // Last, as it sorts by the launches found above.
    order();
    return std::move(found_);
  }

 private:
  /// The last launch of a process that has an execution, and those behind it.
  struct LastLaunch {
    Row row = kNoRow;
    int64_t wait_ns = 0;   // for its execution to begin
    uint64_t behind = 0;   // launches without an execution
    int64_t ahead_ns = 0;  // to the last of these
  };

  PlacedExecution place(Row launch, Row capture) {
    PlacedExecution placed{.launch = launch, .capture = capture};
    Surroundings around;
    if (launch != kNoRow) {
      around = around_launch_.of(outside_call(launch));
      placed.evaluation = around.evaluation;
    }
    if (capture != kNoRow) {
      const Surroundings& made_in = around_capture_.of(outside_call(capture));
      if (made_in.layer != kNoRow || made_in.library_call != kNoRow || made_in.operator_row != kNoRow) around = made_in;
    }
    placed.library_call = around.library_call;
    placed.layer = around.layer;
    placed.layer_ordinal = around.layer_ordinal;
    placed.operator_row = around.operator_row;
    placed.backward = around.backward;
    return placed;
  }

  /// Work is of the iteration that it repeats in, wherever it was launched.
  void settle_iteration(size_t i) {
    uint32_t& evaluation = found_.placed[i].evaluation;
    if (iteration_of_[i] != kNoRow) {
      evaluation = evaluations_.number[iteration_of_[i]];
    } else if (evaluation != kNoEvaluation && is_iteration_[evaluation]) {
      evaluation = kNoEvaluation;
    }
  }

  /// Calls of the CUDA API do not count as surroundings.
  Row outside_call(Row span) const { return spans_.level[span] == Level::kRuntime ? parents_.of[span] : span; }

  /// A call that made a node of a graph started nothing by itself: it has no correlation id.
  void count_launches() {
    std::vector<bool> answered(spans_.correlation.size());
    for (size_t i = 0; i < found_.placed.size(); ++i) {
      const Row launch = found_.placed[i].launch;
      if (is_work(spans_.kind[trace_.executions.row[i]]) && launch < answered.size()) answered[launch] = true;
    }
    std::vector<Row> launches;
    std::vector<bool> hands_on(answered.size());   // to a call inside it that launches
    std::unordered_map<uint32_t, bool> launching;  // by name
    for (Row row = 0; row < answered.size(); ++row) {
      if (spans_.correlation[row] == 0 || spans_.has_failed(row)) continue;
      const auto [found, added] = launching.try_emplace(spans_.name[row]);
      if (added) found->second = is_launch(trace_.text(spans_.name[row]));
      if (!found->second || !trace_.processes[trace_.process_of(row)].records_kernels()) continue;
      launches.push_back(row);
      const Row above = parents_.of[row];
      if (above != kNoRow && spans_.level[above] == Level::kRuntime) hands_on[above] = true;
    }
    std::vector<Row> idle;  // launches without an execution
    std::vector<LastLaunch> last(trace_.processes.size());
    for (const Row row : launches) {
      if (hands_on[row] && !answered[row]) continue;
      const uint32_t process = trace_.process_of(row);
      ++found_.launches;
      if (!answered[row]) {
        idle.push_back(row);
      } else if (Row& known = last[process].row; known == kNoRow || spans_.begin[row] > spans_.begin[known]) {
        known = row;
      }
    }
    found_.without_execution = idle.size();
    if (!idle.empty()) count_ahead(idle, &last);
  }

  /// If the device kept up with the host, what is missing at the end was lost: a killed process takes undelivered
  /// executions with it.
  void count_ahead(const std::vector<Row>& idle, std::vector<LastLaunch>* last) {
    for (size_t i = 0; i < found_.placed.size(); ++i) {
      const Row row = trace_.executions.row[i];
      const Row launch = found_.placed[i].launch;
      if (launch == kNoRow || !is_work(spans_.kind[row])) continue;
      LastLaunch& of_process = (*last)[trace_.process_of(launch)];
      if (of_process.row == launch)
        of_process.wait_ns = std::max(of_process.wait_ns, spans_.begin[row] - spans_.begin[launch]);
    }
    for (const Row row : idle) {
      LastLaunch& of_process = (*last)[trace_.process_of(row)];
      if (of_process.row == kNoRow || spans_.begin[row] <= spans_.begin[of_process.row]) continue;
      ++of_process.behind;
      of_process.ahead_ns = std::max(of_process.ahead_ns, spans_.begin[row] - spans_.begin[of_process.row]);
    }
    for (const LastLaunch& of_process : *last) {
      if (of_process.behind == 0 || of_process.wait_ns < of_process.ahead_ns / 2) continue;
      found_.ahead += of_process.behind;
      found_.ahead_ns = std::max(found_.ahead_ns, of_process.ahead_ns);
    }
  }

  void order() {
    std::vector<size_t>& first = found_.first_of;
    first.assign(evaluations_.root.size() + 1, 0);
    for (const PlacedExecution& placed : found_.placed) {
      if (placed.evaluation != kNoEvaluation) ++first[placed.evaluation + 1];
    }
    for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    found_.in_evaluation.resize(first.back());
    std::vector<size_t> next(first.begin(), first.end() - 1);
    for (uint32_t i = 0; i < found_.placed.size(); ++i) {
      const uint32_t evaluation = found_.placed[i].evaluation;
      if (evaluation != kNoEvaluation) found_.in_evaluation[next[evaluation]++] = i;
    }
    const auto begins_earlier = [&](uint32_t a, uint32_t b) {
      const int64_t begin_a = spans_.begin[trace_.executions.row[a]];
      const int64_t begin_b = spans_.begin[trace_.executions.row[b]];
      return begin_a != begin_b ? begin_a < begin_b : a < b;
    };
    const auto earlier = [&](uint32_t a, uint32_t b) {
      const Row x = found_.placed[a].launch;
      const Row y = found_.placed[b].launch;
      if (x != y) return spans_.begin[x] != spans_.begin[y] ? spans_.begin[x] < spans_.begin[y] : x < y;
      return begins_earlier(a, b);
    };
    const auto is_launched = [&](uint32_t execution) { return found_.placed[execution].launch != kNoRow; };
    for (size_t i = 0; i + 1 < first.size(); ++i) {
      const auto begin = found_.in_evaluation.begin() + static_cast<ptrdiff_t>(first[i]);
      const auto end = found_.in_evaluation.begin() + static_cast<ptrdiff_t>(first[i + 1]);
      if (!std::all_of(begin, end, is_launched)) {
        std::sort(begin, end, begins_earlier);
      } else if (!std::is_sorted(begin, end, earlier)) {
        std::sort(begin, end, earlier);
      }
    }
  }

  const Trace& trace_;
  const SpanTable& spans_;
  const Parents& parents_;
  const Evaluations& evaluations_;
  const std::vector<Row>& iteration_of_;
  std::vector<bool> is_iteration_;  // by evaluation
  SurroundingsSearch around_launch_;
  SurroundingsSearch around_capture_;
  Executions found_;
};

}  // namespace

Executions place_executions(const Trace& trace, const Parents& parents, const Evaluations& evaluations) {
  return place_executions(trace, parents, evaluations, {});
}

Executions place_executions(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                            const std::vector<Row>& iteration_of) {
  return Placement(trace, parents, evaluations, iteration_of).run();
}

}  // namespace xsp::analysis
