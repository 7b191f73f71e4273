#include "analysis/steps/step_breakdown.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "analysis/steps/communication_kernels.h"

namespace xsp::analysis {
namespace {

/// What happens on one device in the windows of one process.
class DeviceSweep {
 public:
  DeviceSweep(const StepWindows& windows, const TimeIntervals& input, const TimeIntervals& synchronisation,
              StepBreakdown* sums)
      : windows_(windows.windows),
        sums_(*sums),
        busy_(windows_),
        busy_input_(input),
        busy_synchronisation_(synchronisation),
        computing_(windows_),
        communicating_(windows_),
        unowned_(windows_),
        copying_(windows_),
        working_(windows_),
        working_input_(input),
        working_synchronisation_(synchronisation),
        idle_(windows_),
        idle_input_(input),
        idle_synchronisation_(synchronisation) {
    const int64_t step = length_of(windows_) / std::max<int64_t>(1, static_cast<int64_t>(windows.evaluations.size()));
    long_gap_ns_ = std::max(kLeastLongGapNs, step / 50);
  }

  void add_kernel(const TimeInterval& kernel, bool communicates, bool is_unowned) {
    const auto busy = [&](const TimeInterval& i) { count_busy(i); };
    kernels_.add(kernel.begin, kernel.end, busy);
    auto& of_class = communicates ? communication_ : computation_;
    of_class.add(kernel.begin, kernel.end, [&](const TimeInterval& i) { count_class(communicates, i); });
    if (is_unowned) strangers_.add(kernel.begin, kernel.end, [&](const TimeInterval& i) { count_unowned(i); });
    add_work(kernel);
    if (lies_in_window(kernel.begin)) {
      ++sums_.kernels;
      sums_.kernel_ns += kernel.end - kernel.begin;
    }
  }

  void add_copy(const TimeInterval& copy) {
    copies_.add(copy.begin, copy.end, [&](const TimeInterval& i) { sums_.copy_ns += copying_.overlap(i); });
    add_work(copy);
  }

  void finish(int64_t windows_ns, int64_t input_ns, int64_t synchronisation_ns) {
    kernels_.finish([&](const TimeInterval& i) { count_busy(i); });
    computation_.finish([&](const TimeInterval& i) { count_class(false, i); });
    communication_.finish([&](const TimeInterval& i) { count_class(true, i); });
    strangers_.finish([&](const TimeInterval& i) { count_unowned(i); });
    copies_.finish([&](const TimeInterval& i) { sums_.copy_ns += copying_.overlap(i); });
    work_.finish([&](const TimeInterval& i) { count_work(i); });
    if (!windows_.empty()) count_gap({busy_until_, std::max(busy_until_, windows_.back().end)});

    ++sums_.devices;
    sums_.device_windows_ns += windows_ns;
    sums_.busy_ns += busy_ns_;
    sums_.exposed_communication_ns += busy_ns_ - computing_ns_;
    sums_.copy_only_ns += working_ns_ - busy_ns_;
    sums_.idle_input_ns += input_ns - busy_input_ns_;
    sums_.idle_synchronisation_ns += synchronisation_ns - busy_synchronisation_ns_;
    const int64_t copy_in_waits =
        working_input_ns_ - busy_input_ns_ + working_synchronisation_ns_ - busy_synchronisation_ns_;
    sums_.idle_synchronisation_copy_ns += working_synchronisation_ns_ - busy_synchronisation_ns_;
    sums_.idle_copy_ns += working_ns_ - busy_ns_ - copy_in_waits;
    sums_.idle_host_ns +=
        windows_ns - working_ns_ - (input_ns - working_input_ns_) - (synchronisation_ns - working_synchronisation_ns_);
  }

 private:
  void add_work(const TimeInterval& interval) {
    work_.add(interval.begin, interval.end, [&](const TimeInterval& i) { count_work(i); });
  }

  void count_busy(const TimeInterval& interval) {
    const int64_t in_windows = busy_.overlap(interval);
    busy_ns_ += in_windows;
    busy_input_ns_ += busy_input_.overlap(interval);
    busy_synchronisation_ns_ += busy_synchronisation_.overlap(interval);
    if (in_windows > 0) ++runs_;
  }

  void count_class(bool communicates, const TimeInterval& interval) {
    if (communicates) {
      sums_.communication_ns += communicating_.overlap(interval);
    } else {
      computing_ns_ += computing_.overlap(interval);
    }
  }

  void count_unowned(const TimeInterval& interval) { sums_.unowned_ns += unowned_.overlap(interval); }

  void count_work(const TimeInterval& interval) {
    working_ns_ += working_.overlap(interval);
    working_input_ns_ += working_input_.overlap(interval);
    working_synchronisation_ns_ += working_synchronisation_.overlap(interval);
    count_gap({busy_until_, interval.begin});
    busy_until_ = std::max(busy_until_, interval.end);
  }

  /// A time in which nothing runs.
  void count_gap(const TimeInterval& gap) {
    if (gap.end <= gap.begin) return;
    const int64_t idle = idle_.overlap(gap);
    if (idle == 0) return;
    const int64_t waiting = idle_input_.overlap(gap) + idle_synchronisation_.overlap(gap);
    ++sums_.gaps;
    if (idle - waiting >= long_gap_ns_) sums_.long_idle_host_ns += idle - waiting;
  }

  bool lies_in_window(int64_t time) {
    while (window_ < windows_.size() && windows_[window_].end <= time) ++window_;
    return window_ < windows_.size() && windows_[window_].begin <= time;
  }

  const TimeIntervals& windows_;
  StepBreakdown& sums_;
  int64_t long_gap_ns_ = 0;
  size_t window_ = 0;

  UnitedStream kernels_, computation_, communication_, strangers_, copies_, work_;
  OverlapCursor busy_, busy_input_, busy_synchronisation_, computing_, communicating_, unowned_, copying_, working_,
      working_input_, working_synchronisation_, idle_, idle_input_, idle_synchronisation_;
  int64_t busy_ns_ = 0;
  int64_t busy_input_ns_ = 0;
  int64_t busy_synchronisation_ns_ = 0;
  int64_t computing_ns_ = 0;
  int64_t working_ns_ = 0;
  int64_t working_input_ns_ = 0;
  int64_t working_synchronisation_ns_ = 0;
  int64_t busy_until_ = INT64_MIN;
  size_t runs_ = 0;
};

std::vector<uint32_t> devices_of(const Trace& trace, const Executions& executions, const DeviceOrder& order,
                                 const StepWindows& windows) {
  std::set<uint32_t> used;
  for (const uint32_t evaluation : windows.evaluations) {
    for (size_t i = executions.first_of[evaluation]; i < executions.first_of[evaluation + 1]; ++i) {
      const uint32_t execution = executions.in_evaluation[i];
      if (!is_work(trace.spans.kind[trace.executions.row[execution]])) continue;
      used.insert(trace.queues[trace.executions.queue[execution]].device);
    }
  }
  if (used.empty()) return order.devices_of(windows.process);
  return {used.begin(), used.end()};
}

/// Names of kernels, each looked at once.
class CommunicationNames {
 public:
  explicit CommunicationNames(const Trace& trace) : trace_(trace) {}

  bool holds(uint32_t name) {
    const auto [found, added] = known_.try_emplace(name);
    if (added) found->second = is_communication_kernel(trace_.text(name));
    return found->second;
  }

 private:
  const Trace& trace_;
  std::unordered_map<uint32_t, bool> known_;
};

}  // namespace

StepBreakdown break_down_steps(const Trace& trace, const Executions& executions, const DeviceOrder& order,
                               const HostWaits& waits, const std::vector<StepWindows>& windows) {
  const SpanTable& spans = trace.spans;
  StepBreakdown sums;
  CommunicationNames names(trace);
  for (const StepWindows& of_run : windows) {
    if (of_run.windows.empty()) continue;
    const auto& of_process = waits.processes[of_run.process];
    const TimeIntervals input = common(of_run.windows, of_process.input);
    const TimeIntervals synchronisation = without(common(of_run.windows, of_process.synchronisation), input);
    const int64_t windows_ns = length_of(of_run.windows);
    const int64_t input_ns = length_of(input);
    const int64_t synchronisation_ns = length_of(synchronisation);
    sums.evaluations += of_run.evaluations.size();
    sums.windows_ns += windows_ns;
    for (const TimeInterval& call : of_run.on_host) {
      sums.input_ns.push_back(static_cast<double>(length_of(common({call}, input))));
      sums.synchronisation_ns.push_back(static_cast<double>(length_of(common({call}, synchronisation))));
    }
    for (const uint32_t device : devices_of(trace, executions, order, of_run)) {
      DeviceSweep sweep(of_run, input, synchronisation, &sums);
      const std::vector<uint32_t>& on_device = order.on(of_run.process, device);
      for (size_t i = order.first_at(on_device, of_run.windows.front().begin); i < on_device.size(); ++i) {
        const uint32_t execution = on_device[i];
        const Row row = trace.executions.row[execution];
        const TimeInterval interval{spans.begin[row], spans.end[row]};
        if (interval.begin >= of_run.windows.back().end) break;
        if (spans.kind[row] == Kind::kKernel) {
          const bool is_unowned = executions.placed[execution].evaluation == kNoEvaluation;
          sweep.add_kernel(interval, names.holds(spans.name[row]), is_unowned);
        } else {
          sweep.add_copy(interval);
        }
      }
      sweep.finish(windows_ns, input_ns, synchronisation_ns);
    }
  }
  return sums;
}

}  // namespace xsp::analysis
