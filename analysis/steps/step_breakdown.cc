#include "analysis/steps/step_breakdown.h"
#include "proto/communication_kernels.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace xsp::analysis {
namespace {

constexpr size_t kNoPlace = SIZE_MAX;

/// How long the kernels of each evaluation that move data between ranks run, and how much of that no other kernel
/// hides. Kernels come in order of begin; intervals that may hide them come once they can grow no more, so that all
/// that these may hide has come by then.
class CommunicationTimes {
 public:
  /// Adds to sums by place.
  CommunicationTimes(std::vector<double>* all, std::vector<double>* exposed) : all_(*all), exposed_(*exposed) {}

  void add(TimeInterval kernel, size_t place) {
    int64_t& until = until_[place];
    kernel.begin = std::max(kernel.begin, until);  // overlapping kernels count once
    if (kernel.end <= kernel.begin) return;
    until = kernel.end;
    const auto length = static_cast<double>(kernel.end - kernel.begin);
    all_[place] += length;
    exposed_[place] += length;
    open_.push_back({kernel, place});
  }

  void hide_behind(const TimeInterval& other) {
    for (const auto& [kernel, place] : open_) {
      const int64_t hidden = std::min(kernel.end, other.end) - std::max(kernel.begin, other.begin);
      if (hidden > 0) exposed_[place] -= static_cast<double>(hidden);
    }
    std::erase_if(open_, [&](const auto& one) { return one.first.end <= other.end; });
  }

 private:
  std::vector<double>& all_;
  std::vector<double>& exposed_;
  std::unordered_map<size_t, int64_t> until_;
  std::vector<std::pair<TimeInterval, size_t>> open_;
};

/// Copies and memsets that no kernel waits for: in a gap between kernels, those before the launch of the kernel that
/// ends it. Without them this kernel would begin no sooner.
class UnawaitedCopies {
 public:
  void add(const TimeInterval& copy) { copies_.push_back(copy); }

  /// Kernels come in order of begin. `report` takes disjoint intervals in order.
  template <typename Report>
  void end_gap(const TimeInterval& kernel, int64_t launched, Report report) {
    const TimeInterval gap{kernels_until_, std::min(kernel.begin, launched)};
    int64_t reported_until = gap.begin;
    for (const TimeInterval& copy : copies_) {
      const TimeInterval part{std::max(copy.begin, reported_until), std::min(copy.end, gap.end)};
      if (part.begin >= part.end) continue;
      report(part);
      reported_until = part.end;
    }
    kernels_until_ = std::max(kernels_until_, kernel.end);
    std::erase_if(copies_, [&](const TimeInterval& copy) { return copy.end <= kernels_until_; });
  }

 private:
  std::vector<TimeInterval> copies_;  // in order of begin, since the last kernel
  int64_t kernels_until_ = INT64_MIN;
};

/// What happens on one device in the windows of one process.
class DeviceSweep {
 public:
  /// `waits`: input and synchronisation united.
  DeviceSweep(const StepWindows& windows, const TimeIntervals& input, const TimeIntervals& synchronisation,
              const TimeIntervals& waits, StepBreakdown* sums, std::vector<double>* communication,
              std::vector<double>* exposed)
      : windows_(windows.windows),
        process_(windows.process),
        waits_(waits),
        sums_(*sums),
        communication_(communication, exposed),
        busy_(windows_),
        busy_input_(input),
        busy_synchronisation_(synchronisation),
        unowned_(windows_),
        moving_(windows_),
        working_(windows_),
        working_input_(input),
        working_synchronisation_(synchronisation),
        idle_(windows_),
        idle_input_(input),
        idle_synchronisation_(synchronisation),
        unawaited_(windows_),
        unawaited_input_(input),
        unawaited_synchronisation_(synchronisation),
        launching_(windows_),
        launching_input_(input),
        launching_synchronisation_(synchronisation) {
    const int64_t step = length_of(windows_) / std::max<int64_t>(1, static_cast<int64_t>(windows.evaluations.size()));
    long_gap_ns_ = std::clamp(step / 50, kLeastLongGapNs, kLongGapNs);
  }

  /// `launch`: the call that launched it; long ago where that is not known. `place`: of its evaluation among those of
  /// the run; kNoPlace: in none of them.
  void add_kernel(const TimeInterval& kernel, const TimeInterval& launch, bool communicates, bool is_unowned,
                  size_t place) {
    unawaited_copies_.end_gap(kernel, launch.begin, [&](const TimeInterval& i) { count_unawaited(i); });
    count_launch({std::max(launch.begin, runs_until_), std::min(launch.end, kernel.begin)});
    const auto busy = [&](const TimeInterval& i) { count_busy(i); };
    kernels_.add(kernel.begin, kernel.end, busy);
    if (communicates) {
      if (place != kNoPlace) communication_.add(kernel, place);
    } else {
      computation_.add(kernel.begin, kernel.end, [&](const TimeInterval& i) { communication_.hide_behind(i); });
    }
    if (is_unowned) strangers_.add(kernel.begin, kernel.end, [&](const TimeInterval& i) { count_unowned(i); });
    add_move(kernel);
    add_work(kernel);
    if (lies_in_window(kernel.begin)) {
      ++sums_.kernels;
      sums_.kernel_ns += kernel.end - kernel.begin;
    }
  }

  void add_copy(const TimeInterval& copy) {
    add_move(copy);
    add_memset(copy);
  }

  void add_memset(const TimeInterval& memset) {
    add_work(memset);
    unawaited_copies_.add(memset);
  }

  void finish(int64_t windows_ns, int64_t input_ns, int64_t synchronisation_ns) {
    kernels_.finish([&](const TimeInterval& i) { count_busy(i); });
    computation_.finish([&](const TimeInterval& i) { communication_.hide_behind(i); });
    strangers_.finish([&](const TimeInterval& i) { count_unowned(i); });
    moves_.finish([&](const TimeInterval& i) { moving_ns_ += moving_.overlap(i); });
    work_.finish([&](const TimeInterval& i) { count_work(i); });
    if (!windows_.empty()) count_gap({busy_until_, std::max(busy_until_, windows_.back().end)});

    if (!long_gaps_.empty()) sums_.long_gaps.push_back({process_, without(common(long_gaps_, windows_), waits_)});
    ++sums_.devices;
    sums_.device_windows_ns += windows_ns;
    sums_.busy_ns += busy_ns_;
    sums_.copy_only_ns += moving_ns_ - busy_ns_;
    sums_.idle_input_ns += input_ns - busy_input_ns_;
    sums_.idle_synchronisation_ns += synchronisation_ns - busy_synchronisation_ns_;
    const int64_t copy_in_waits =
        working_input_ns_ - busy_input_ns_ + working_synchronisation_ns_ - busy_synchronisation_ns_;
    sums_.idle_synchronisation_copy_ns += working_synchronisation_ns_ - busy_synchronisation_ns_;
    sums_.idle_copy_ns += working_ns_ - busy_ns_ - copy_in_waits - unawaited_ns_;
    const int64_t nothing_runs_ns =
        windows_ns - working_ns_ - (input_ns - working_input_ns_) - (synchronisation_ns - working_synchronisation_ns_);
    sums_.idle_host_ns += nothing_runs_ns + unawaited_ns_;
  }

 private:
  void add_move(const TimeInterval& interval) {
    moves_.add(interval.begin, interval.end, [&](const TimeInterval& i) { moving_ns_ += moving_.overlap(i); });
  }

  void add_work(const TimeInterval& interval) {
    runs_until_ = std::max(runs_until_, interval.end);
    work_.add(interval.begin, interval.end, [&](const TimeInterval& i) { count_work(i); });
  }

  void count_busy(const TimeInterval& interval) {
    busy_ns_ += busy_.overlap(interval);
    busy_input_ns_ += busy_input_.overlap(interval);
    busy_synchronisation_ns_ += busy_synchronisation_.overlap(interval);
  }

  void count_unowned(const TimeInterval& interval) { sums_.unowned_ns += unowned_.overlap(interval); }

  void count_unawaited(const TimeInterval& interval) {
    unawaited_ns_ += unawaited_.overlap(interval) - unawaited_input_.overlap(interval) -
                     unawaited_synchronisation_.overlap(interval);
  }

  /// A part of a call in which nothing runs.
  void count_launch(const TimeInterval& part) {
    if (part.end <= part.begin) return;
    sums_.launch_idle_ns +=
        launching_.overlap(part) - launching_input_.overlap(part) - launching_synchronisation_.overlap(part);
  }

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
    if (idle - waiting < long_gap_ns_) return;
    sums_.long_idle_host_ns += idle - waiting;
    long_gaps_.push_back(gap);
  }

  bool lies_in_window(int64_t time) {
    while (window_ < windows_.size() && windows_[window_].end <= time) ++window_;
    return window_ < windows_.size() && windows_[window_].begin <= time;
  }

  const TimeIntervals& windows_;
  uint32_t process_;
  const TimeIntervals& waits_;
  StepBreakdown& sums_;
  int64_t long_gap_ns_ = 0;
  TimeIntervals long_gaps_;
  size_t window_ = 0;

  UnitedStream kernels_, computation_, strangers_, moves_, work_;
  CommunicationTimes communication_;
  UnawaitedCopies unawaited_copies_;
  OverlapCursor busy_, busy_input_, busy_synchronisation_, unowned_, moving_, working_, working_input_,
      working_synchronisation_, idle_, idle_input_, idle_synchronisation_, unawaited_, unawaited_input_,
      unawaited_synchronisation_, launching_, launching_input_, launching_synchronisation_;
  int64_t busy_ns_ = 0;
  int64_t busy_input_ns_ = 0;
  int64_t busy_synchronisation_ns_ = 0;
  int64_t moving_ns_ = 0;  // kernels or copies run
  int64_t working_ns_ = 0;
  int64_t working_input_ns_ = 0;
  int64_t working_synchronisation_ns_ = 0;
  int64_t unawaited_ns_ = 0;
  int64_t busy_until_ = INT64_MIN;  // of united work that grows no more
  int64_t runs_until_ = INT64_MIN;
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

/// Of an evaluation among those of a run. Without any everything is of one.
size_t place_of(const StepWindows& run, uint32_t evaluation) {
  if (run.evaluations.empty()) return 0;
  const auto found = std::lower_bound(run.evaluations.begin(), run.evaluations.end(), evaluation);
  if (found == run.evaluations.end() || *found != evaluation) return kNoPlace;
  return static_cast<size_t>(found - run.evaluations.begin());
}

/// Names of kernels, each looked at once.
class CommunicationNames {
 public:
  explicit CommunicationNames(const Trace& trace) : trace_(trace) {}

  bool holds(uint32_t name) {
    const auto [found, added] = known_.try_emplace(name);
    if (added) found->second = wire::is_communication_kernel(trace_.text(name));
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
    TimeIntervals waiting = input;
    waiting.insert(waiting.end(), synchronisation.begin(), synchronisation.end());
    waiting = united(std::move(waiting));
    const int64_t windows_ns = length_of(of_run.windows);
    const int64_t input_ns = length_of(input);
    const int64_t synchronisation_ns = length_of(synchronisation);
    sums.evaluations += of_run.evaluations.size();
    sums.windows_ns += windows_ns;
    for (const TimeInterval& call : of_run.on_host) {
      sums.input_ns.push_back(static_cast<double>(length_of(common({call}, input))));
      sums.synchronisation_ns.push_back(static_cast<double>(length_of(common({call}, synchronisation))));
      sums.host_communication_ns.push_back(static_cast<double>(length_of(common({call}, of_process.communication))));
    }
    const std::vector<uint32_t> devices = devices_of(trace, executions, order, of_run);
    std::vector<double> communication(std::max<size_t>(1, of_run.evaluations.size()));
    std::vector<double> exposed(communication.size());
    for (const uint32_t device : devices) {
      DeviceSweep sweep(of_run, input, synchronisation, waiting, &sums, &communication, &exposed);
      const std::vector<uint32_t>& on_device = order.on(of_run.process, device);
      for (size_t i = order.first_at(on_device, of_run.windows.front().begin); i < on_device.size(); ++i) {
        const uint32_t execution = on_device[i];
        const Row row = trace.executions.row[execution];
        const TimeInterval interval{spans.begin[row], spans.end[row]};
        if (interval.begin >= of_run.windows.back().end) break;
        if (spans.kind[row] == Kind::kKernel) {
          const uint32_t evaluation = executions.placed[execution].evaluation;
          const bool communicates = names.holds(spans.name[row]);
          const size_t place = communicates ? place_of(of_run, evaluation) : kNoPlace;
          const Row launch = executions.placed[execution].launch;
          const TimeInterval call = launch == kNoRow ? TimeInterval{INT64_MIN, INT64_MIN}
                                                     : TimeInterval{spans.begin[launch], spans.end[launch]};
          sweep.add_kernel(interval, call, communicates, evaluation == kNoEvaluation, place);
        } else if (spans.kind[row] == Kind::kMemcpy) {
          sweep.add_copy(interval);
        } else {
          sweep.add_memset(interval);
        }
      }
      sweep.finish(windows_ns, input_ns, synchronisation_ns);
    }
    for (size_t i = 0; i < communication.size(); ++i) {
      const auto count = static_cast<double>(std::max<size_t>(1, devices.size()));
      sums.communication_ns.push_back(communication[i] / count);
      sums.exposed_communication_ns.push_back(exposed[i] / count);
    }
  }
  return sums;
}

}  // namespace xsp::analysis
