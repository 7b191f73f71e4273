#include "analysis/work/counter_metrics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include "analysis/timeline/run_processes.h"
#include "analysis/work/counter_formulas.h"

namespace xsp::analysis {
namespace {

/// A kernel of a batch and the execution that it is.
struct Joined {
  size_t kernel;
  uint32_t execution;
};

/// What each process executed: kernels by device in the order of their launches.
class ExecutedKernels {
 public:
  explicit ExecutedKernels(const Trace& trace) : trace_(trace) {
    for (uint32_t i = 0; i < trace.executions.size(); ++i) {
      of_process_[trace.process_of(trace.executions.row[i])].push_back(i);
    }
  }

  /// All executions, in the order in which the process has them.
  const std::vector<uint32_t>& of(uint32_t process) const {
    static const std::vector<uint32_t> kNoExecutions;
    const auto found = of_process_.find(process);
    return found == of_process_.end() ? kNoExecutions : found->second;
  }

  /// Correlation ids grow with the launches of a process; kernels of one launch (a graph) run in the order of begin.
  std::vector<uint32_t> in_launch_order(uint32_t process, uint32_t device) const {
    const ExecutionTable& executions = trace_.executions;
    std::vector<std::tuple<uint64_t, int64_t, uint32_t>> kernels;
    for (const uint32_t i : of(process)) {
      const Row row = executions.row[i];
      if (trace_.spans.kind[row] != Kind::kKernel || trace_.queues[executions.queue[i]].device != device) continue;
      kernels.emplace_back(executions.correlation[i], trace_.spans.begin[row], i);
    }
    std::sort(kernels.begin(), kernels.end());
    std::vector<uint32_t> order;
    for (const auto& kernel : kernels) order.push_back(std::get<2>(kernel));
    return order;
  }

 private:
  const Trace& trace_;
  std::map<uint32_t, std::vector<uint32_t>> of_process_;
};

class CounterJoining {
 public:
  CounterJoining(const Trace& trace, CounterJoin* join) : trace_(trace), kernels_(trace), join_(*join) {}

  std::vector<KernelMetrics> metrics() {
    metrics_.resize(trace_.executions.size());
    for (const CounterBatch& batch : trace_.counters) add(batch);
    for (const KernelMetrics& metrics : metrics_) join_.joined += metrics.source == MetricSource::kCounters ? 1 : 0;
    std::sort(join_.unused.begin(), join_.unused.end());
    join_.unused.erase(std::unique(join_.unused.begin(), join_.unused.end()), join_.unused.end());
    return std::move(metrics_);
  }

 private:
  void add(const CounterBatch& batch) {
    std::vector<std::string_view> names;
    for (const uint32_t id : batch.metrics) names.push_back(trace_.text(id));
    const CounterFormulas formulas(names);
    join_.unused.insert(join_.unused.end(), formulas.unused().begin(), formulas.unused().end());
    join_.counted += batch.size();
    for (const Joined& joined : joined_kernels(batch)) {
      give(formulas.evaluate(batch.value.data() + joined.kernel * batch.metrics.size()), &metrics_[joined.execution]);
    }
  }

  /// What several batches tell of one execution is combined. Runs that counted different types of flops each know a
  /// part: the largest value holds.
  static void give(const KernelMetrics& found, KernelMetrics* metrics) {
    if (found.source == MetricSource::kNone) return;
    metrics->source = MetricSource::kCounters;
    if (!std::isnan(found.flops) && !(metrics->flops >= found.flops)) {
      metrics->flops = found.flops;
      metrics->type = found.type;
    }
    const auto fill = [](double value, double* place) {
      if (std::isnan(*place)) *place = value;
    };
    fill(found.dram_read_bytes, &metrics->dram_read_bytes);
    fill(found.dram_write_bytes, &metrics->dram_write_bytes);
    fill(found.occupancy_pct, &metrics->occupancy_pct);
  }

  std::vector<Joined> joined_kernels(const CounterBatch& batch) {
    std::vector<Joined> joined;
    if (!batch.execution.empty()) {
      const std::vector<uint32_t>& executions = kernels_.of(batch.process);
      for (size_t i = 0; i < batch.size(); ++i) {
        const uint64_t number = batch.execution[i];
        if (number >= 1 && number <= executions.size()) joined.push_back({i, executions[number - 1]});
      }
      return joined;
    }
    uint64_t most = 0;  // of the runs, so that a kernel counts once
    for (const uint32_t process : runs_of(batch.process)) {
      diverging_ = 0;
      join_by_ordinal(batch, kernels_.in_launch_order(process, batch.device), &joined);
      most = std::max(most, diverging_);
    }
    join_.diverging += most;
    return joined;
  }

  /// The processes of uncounted runs that do the same as a counted one; itself where there are none.
  std::vector<uint32_t> runs_of(uint32_t counted) const {
    std::vector<uint32_t> runs;
    const Process& wanted = trace_.processes[counted];
    const size_t place = place_in_segment(counted);
    for (uint32_t i = 0; i < trace_.processes.size(); ++i) {
      const Segment& segment = trace_.segments[trace_.processes[i].segment];
      if (segment.counted || kernels_.of(i).empty()) continue;
      if (!are_comparable(segment, trace_.segments[wanted.segment])) continue;
      if (is_same_program(trace_.processes[i], wanted) && place_in_segment(i) == place) runs.push_back(i);
    }
    if (runs.empty()) runs.push_back(counted);
    return runs;
  }

  /// Which of the processes of one run with the same command and rank it is.
  size_t place_in_segment(uint32_t process) const {
    const Process& wanted = trace_.processes[process];
    size_t place = 0;
    for (uint32_t i = 0; i < process; ++i) {
      const Process& other = trace_.processes[i];
      place += other.segment == wanted.segment && is_same_program(other, wanted) ? 1 : 0;
    }
    return place;
  }

  uint32_t name_of(uint32_t execution) const { return trace_.spans.name[trace_.executions.row[execution]]; }

  void join_by_ordinal(const CounterBatch& batch, const std::vector<uint32_t>& order, std::vector<Joined>* joined) {
    size_t i = 0;
    for (; i < batch.size(); ++i) {
      const uint64_t ordinal = batch.ordinal[i];
      if (ordinal >= order.size() || name_of(order[ordinal]) != batch.name[i]) break;
      joined->push_back({i, order[ordinal]});
    }
    if (i == batch.size()) return;
    if (!diverged_ || batch.ordinal[i] < join_.first_difference) join_.first_difference = batch.ordinal[i];
    diverged_ = true;
    join_by_name(batch, i, order, joined);
  }

  /// Behind a divergence: kernels of a name that both sequences still have as many of.
  void join_by_name(const CounterBatch& batch, size_t first, const std::vector<uint32_t>& order,
                    std::vector<Joined>* joined) {
    struct Occurrences {
      std::vector<size_t> counted;
      std::vector<uint32_t> executed;
    };
    std::map<uint32_t, Occurrences> by_name;
    for (size_t i = first; i < batch.size(); ++i) {
      const uint64_t ordinal = batch.ordinal[i];
      if (ordinal >= order.size() || name_of(order[ordinal]) != batch.name[i]) ++diverging_;
      by_name[batch.name[i]].counted.push_back(i);
    }
    for (uint64_t i = batch.ordinal[first]; i < order.size(); ++i)
      by_name[name_of(order[i])].executed.push_back(order[i]);
    for (const auto& [name, occurrences] : by_name) {
      if (occurrences.counted.size() != occurrences.executed.size()) continue;
      for (size_t i = 0; i < occurrences.counted.size(); ++i) {
        joined->push_back({occurrences.counted[i], occurrences.executed[i]});
      }
    }
  }

  const Trace& trace_;
  const ExecutedKernels kernels_;
  CounterJoin& join_;
  uint64_t diverging_ = 0;  // counted kernels of a batch in one run
  bool diverged_ = false;
  std::vector<KernelMetrics> metrics_;
};

}  // namespace

std::vector<KernelMetrics> counter_metrics(const Trace& trace, CounterJoin* join) {
  *join = {};
  return CounterJoining(trace, join).metrics();
}

}  // namespace xsp::analysis
