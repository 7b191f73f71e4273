#include "analysis/tables/kernel_times.h"

#include <algorithm>
#include <limits>

#include "analysis/study/study_levels.h"

namespace xsp::analysis {
namespace {

/// One run of a kernel.
struct KernelRun {
  int64_t begin = 0;
  int64_t end = 0;
  uint32_t kernel = 0;   // index of Study::kernels; kNoPlace: of none, though it runs
  bool computes = true;  // or moves data between ranks, beside others
};

/// What is found of the runs of one evaluation.
struct SharedTime {
  double own_ns = 0;       // its share
  int64_t idle_begin = 0;  // time without a kernel before its begin, and before its end
  int64_t idle_end = 0;
};

/// Shares the time in which several compute equally. `runs` come in order of begin.
std::vector<SharedTime> shared_times(const std::vector<KernelRun>& runs) {
  std::vector<SharedTime> shared(runs.size());
  std::vector<uint32_t> by_end;  // heap of those that run, the first end on top
  const auto later = [&](uint32_t a, uint32_t b) { return runs[a].end > runs[b].end; };
  double each = 0;  // what a kernel that ran all the time would have by `now`
  size_t computing = 0;
  int64_t idle = 0;
  int64_t now = runs.empty() ? 0 : runs.front().begin;
  const auto advance = [&](int64_t to) {
    if (by_end.empty()) {
      idle += to - now;
    } else if (computing != 0) {
      each += static_cast<double>(to - now) / static_cast<double>(computing);
    }
    now = to;
  };
  const auto end_until = [&](int64_t time) {
    while (!by_end.empty() && runs[by_end.front()].end <= time) {
      const uint32_t run = by_end.front();
      advance(runs[run].end);
      if (runs[run].computes) {
        shared[run].own_ns += each;
        --computing;
      }
      shared[run].idle_end = idle;
      std::pop_heap(by_end.begin(), by_end.end(), later);
      by_end.pop_back();
    }
  };
  for (uint32_t i = 0; i < runs.size(); ++i) {
    end_until(runs[i].begin);
    advance(runs[i].begin);
    if (runs[i].computes) {
      shared[i].own_ns = -each;
      ++computing;
    }
    shared[i].idle_begin = idle;
    by_end.push_back(i);
    std::push_heap(by_end.begin(), by_end.end(), later);
  }
  end_until(std::numeric_limits<int64_t>::max());
  return shared;
}

class TimesOfKernels {
 public:
  TimesOfKernels(const Study& study, const std::vector<uint32_t>& layer_of, KernelRoles* roles)
      : study_(study), layer_of_(layer_of), roles_(*roles), whole_(layer_of.size()), own_(layer_of.size()) {}

  KernelTimes run() {
    const JoinedKernels& joined = study_.kernels;
    KernelTimes times;
    times.layer_gap_ns.assign(study_.joined.layers.size(), kUnknownValue);
    if (joined.evaluations.empty()) {
      add_singles(&times);
    } else {
      add_evaluations(&times);
    }
    times.own_ns.reserve(whole_.size());
    for (size_t i = 0; i < whole_.size(); ++i) {
      const bool computes = roles_.of(joined.kernels[i]) != KernelRole::kCommunicates;
      const double part = !computes ? 0 : whole_[i] > 0 ? own_[i] / whole_[i] : 1;
      times.own_ns.push_back(joined.kernels[i].latency_ns * part);
    }
    times.overlap = overlap_;
    return times;
  }

 private:
  int64_t begin_of(uint32_t execution) const {
    return study_.trace.spans.begin[study_.trace.executions.row[execution]];
  }
  int64_t end_of(uint32_t execution) const { return study_.trace.spans.end[study_.trace.executions.row[execution]]; }

  KernelRun run_of(uint32_t execution, uint32_t kernel) {
    const int64_t begin = begin_of(execution);
    return {.begin = begin,
            .end = std::max(begin, end_of(execution)),
            .kernel = kernel,
            .computes = roles_.of_execution(execution) != KernelRole::kCommunicates};
  }

  /// Time without a kernel in all.
  int64_t add(std::vector<KernelRun>* runs, std::vector<SharedTime>* shared) {
    std::stable_sort(runs->begin(), runs->end(),
                     [](const KernelRun& a, const KernelRun& b) { return a.begin < b.begin; });
    *shared = shared_times(*runs);
    int64_t idle = 0;
    int64_t end = std::numeric_limits<int64_t>::min();
    for (size_t i = 0; i < runs->size(); ++i) {
      const KernelRun& run = (*runs)[i];
      if (run.computes) {
        overlap_ = overlap_ || run.begin < end;
        end = std::max(end, run.end);
      }
      idle = std::max(idle, (*shared)[i].idle_end);
      if (run.kernel == kNoPlace) continue;
      whole_[run.kernel] += static_cast<double>(run.end - run.begin);
      own_[run.kernel] += (*shared)[i].own_ns;
    }
    return idle;
  }

  void add_singles(KernelTimes* times) {
    std::vector<KernelRun> runs;
    runs.reserve(layer_of_.size());
    for (uint32_t i = 0; i < layer_of_.size(); ++i) {
      runs.push_back(run_of(study_.kernels.kernels[i].execution, i));
    }
    std::vector<SharedTime> shared;
    if (!runs.empty()) times->gap_ns = static_cast<double>(add(&runs, &shared));
  }

  void add_evaluations(KernelTimes* times) {
    const JoinedKernels& joined = study_.kernels;
    const LayerOfKernel layer_of = layers_of_kernels(study_, study_.levels, study_.joined);
    std::vector<double> gaps;
    std::vector<std::vector<double>> layer_gaps(times->layer_gap_ns.size());
    std::vector<KernelRun> runs;
    std::vector<SharedTime> shared;
    for (size_t i = 0; i < joined.evaluations.size(); ++i) {
      const std::vector<uint32_t> order =
          joined_order(study_.trace, study_.executions, Executed::kKernels, joined.evaluations[i], layer_of);
      const std::vector<uint32_t>& rows = joined.rows_of(i);
      runs.clear();
      for (size_t k = 0; k < order.size(); ++k) {
        runs.push_back(run_of(order[k], rows[k]));
      }
      gaps.push_back(static_cast<double>(add(&runs, &shared)));
      add_layer_gaps(runs, shared, &layer_gaps);
    }
    times->gap_ns = evaluate(study_.options.statistic, gaps);
    for (const JoinedKernel& kernel : joined.kernels) {
      const size_t number = static_cast<size_t>(&kernel - joined.kernels.data());
      if (!study_.executions.placed[kernel.execution].backward || layer_of_[number] >= layer_gaps.size()) continue;
      layer_gaps[layer_of_[number]].clear();
    }
    for (size_t layer = 0; layer < layer_gaps.size(); ++layer) {
      times->layer_gap_ns[layer] = evaluate(study_.options.statistic, layer_gaps[layer]);
    }
  }

  void add_layer_gaps(const std::vector<KernelRun>& runs, const std::vector<SharedTime>& shared,
                      std::vector<std::vector<double>>* layer_gaps) {
    ranges_.assign(layer_gaps->size(), {});
    for (size_t i = 0; i < runs.size(); ++i) {
      if (runs[i].kernel == kNoPlace || layer_of_[runs[i].kernel] >= ranges_.size()) continue;
      auto& [first, last] = ranges_[layer_of_[runs[i].kernel]];
      first = std::min(first, shared[i].idle_begin);
      last = std::max(last, shared[i].idle_end);
    }
    for (size_t layer = 0; layer < ranges_.size(); ++layer) {
      const auto& [first, last] = ranges_[layer];
      if (last >= first) (*layer_gaps)[layer].push_back(static_cast<double>(last - first));
    }
  }

  /// Idle time before the first begin and the last end.
  struct IdleRange {
    int64_t first = std::numeric_limits<int64_t>::max();
    int64_t last = -1;
  };

  const Study& study_;
  const std::vector<uint32_t>& layer_of_;
  KernelRoles& roles_;
  std::vector<double> whole_;  // by kernel, over all evaluations
  std::vector<double> own_;
  std::vector<IdleRange> ranges_;
  bool overlap_ = false;
};

}  // namespace

KernelTimes kernel_times(const Study& study, const std::vector<uint32_t>& layer_of, KernelRoles* roles) {
  return TimesOfKernels(study, layer_of, roles).run();
}

}  // namespace xsp::analysis
