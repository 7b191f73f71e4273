#include "analysis/iterations/iteration_metrics.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "analysis/timeline/intervals.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {
namespace {

/// When a process did what is not recorded: model calls that were not sampled, and gaps.
class UnrecordedTimes {
 public:
  UnrecordedTimes(const Trace& trace, uint32_t process);

  /// Whether any of them lies, in part, between two times.
  bool is_between(int64_t from, int64_t to) const;

 private:
  TimeIntervals times_;
};

UnrecordedTimes::UnrecordedTimes(const Trace& trace, uint32_t process) {
  const SpanTable& spans = trace.spans;
  for (Row row = 0; row < spans.shallow.size(); ++row) {
    if (spans.is_shallow(row) && trace.process_of(row) == process) times_.push_back({spans.begin[row], spans.end[row]});
  }
  for (const Gap& gap : trace.gaps) {
    const bool is_left_out = gap.reason == GapReason::kNotStored || gap.reason == GapReason::kNotSampled;
    if (is_left_out && gap.process == process) times_.push_back({gap.begin, gap.end == 0 ? INT64_MAX : gap.end});
  }
  times_ = united(std::move(times_));
}

bool UnrecordedTimes::is_between(int64_t from, int64_t to) const {
  const auto first =
      std::upper_bound(times_.begin(), times_.end(), from,
                       [](int64_t time, const TimeInterval& unrecorded) { return time < unrecorded.end; });
  return first != times_.end() && first->begin < to;
}

bool is_host_copy(SymbolRole role) { return role == SymbolRole::kToDevice || role == SymbolRole::kToHost; }

/// Everything that ran or began before a moment.
struct Totals {
  int64_t compute = 0;
  int64_t to_device = 0;
  int64_t to_host = 0;
  int64_t copy = 0;
  int64_t all = 0;
  uint64_t bytes_to_device = 0;
  uint64_t bytes_to_host = 0;
  uint32_t copies = 0;
};

/// Where a moment of an iteration's time ranks among all of them.
struct Moment {
  int64_t time = 0;
  uint32_t iteration = 0;
  bool is_end = false;
};

struct IterationTotals {
  Totals at_begin, at_end;
};

std::vector<Moment> moments(const std::vector<IterationTime>& times) {
  std::vector<Moment> moments;
  moments.reserve(2 * times.size());
  for (uint32_t i = 0; i < times.size(); ++i) {
    moments.push_back({times[i].begin, i, false});
    moments.push_back({times[i].end, i, true});
  }
  std::sort(moments.begin(), moments.end(), [](const Moment& a, const Moment& b) { return a.time < b.time; });
  return moments;
}

/// The totals at the begin and the end of each iteration.
std::vector<IterationTotals> totals_of(const Trace& trace, const FoundIterations& found,
                                       const std::vector<IterationTime>& times) {
  const Operations& operations = found.operations;
  std::vector<IterationTotals> result(times.size());
  UnionLength compute;
  UnionLength to_device;
  UnionLength to_host;
  UnionLength copy;
  UnionLength all;
  Totals counted;
  size_t next = 0;
  auto beside = found.beside.begin();
  const auto add_beside_before = [&](int64_t time) {
    for (; beside != found.beside.end() && beside->begin < time; ++beside) {
      compute.add(beside->begin, beside->end);
      all.add(beside->begin, beside->end);
    }
  };
  for (const Moment& moment : moments(times)) {
    for (; next < operations.size(); ++next) {
      const Row row = operations.row(next);
      const int64_t begin = trace.spans.begin[row];
      if (begin >= moment.time) break;
      add_beside_before(begin);
      const int64_t end = std::max(begin, trace.spans.end[row]);
      const SymbolRole role = operations.roles[operations.symbols[next]];
      all.add(begin, end);
      if (!is_host_copy(role)) {
        compute.add(begin, end);
        continue;
      }
      const uint64_t known = trace.spans.bytes[row];
      const uint64_t bytes = known == SpanTable::kUnknownBytes ? 0 : known;
      copy.add(begin, end);
      ++counted.copies;
      if (role == SymbolRole::kToDevice) {
        to_device.add(begin, end);
        counted.bytes_to_device += bytes;
      } else {
        to_host.add(begin, end);
        counted.bytes_to_host += bytes;
      }
    }
    add_beside_before(moment.time);
    counted.compute = compute.until(moment.time);
    counted.to_device = to_device.until(moment.time);
    counted.to_host = to_host.until(moment.time);
    counted.copy = copy.until(moment.time);
    counted.all = all.until(moment.time);
    IterationTotals& totals = result[moment.iteration];
    (moment.is_end ? totals.at_end : totals.at_begin) = counted;
  }
  return result;
}

/// Which iteration of `loop` holds each iteration of a loop within it; one entry by iteration of that loop.
std::vector<uint32_t> parents_of(const Loop& loop, const Loop* parent) {
  std::vector<uint32_t> parents(loop.iterations.size(), 0);
  if (parent == nullptr) return parents;
  uint32_t at = 0;
  for (size_t i = 0; i < parents.size(); ++i) {
    while (at < parent->iterations.size() && parent->iterations[at].end <= loop.iterations[i].begin) ++at;
    parents[i] = at;
  }
  return parents;
}

bool is_around(const Loops& loops, uint32_t outer, uint32_t inner) {
  while (inner != kNoLoop && inner < loops.loops.size()) {
    if (inner == outer) return true;
    inner = loops.loops[inner].parent;
  }
  return false;
}

/// Whether an iteration follows the one before it without another loop between, by iteration.
std::vector<bool> follows(const Loops& loops, uint32_t index) {
  const Loop& loop = loops.loops[index];
  std::vector<bool> follows(loop.iterations.size(), true);
  if (follows.empty()) return follows;
  follows[0] = false;
  const std::vector<uint32_t> parents =
      parents_of(loop, loop.parent < loops.loops.size() ? &loops.loops[loop.parent] : nullptr);
  for (size_t i = 1; i < follows.size(); ++i) follows[i] = parents[i] == parents[i - 1];
  for (uint32_t other = 0; other < loops.loops.size(); ++other) {
    if (is_around(loops, other, index) || is_around(loops, index, other)) continue;
    const auto& theirs = loops.loops[other].iterations;
    size_t at = 0;
    for (size_t i = 1; i < follows.size(); ++i) {
      while (at < theirs.size() && theirs[at].end <= loop.iterations[i - 1].end) ++at;
      if (at < theirs.size() && theirs[at].begin < loop.iterations[i].begin) follows[i] = false;
    }
  }
  return follows;
}

/// Metrics from the iteration's own operations alone: how many gaps there are, the longest, and, for an iteration
/// without an interval, the bytes of copies before its begin.
void look_inside(const Trace& trace, const Operations& operations, const LoopIteration& iteration,
                 IterationMetrics* metrics) {
  uint32_t inside = 0;
  int64_t busy_until = metrics->time.begin;
  for (uint32_t i = iteration.begin; i < iteration.end; ++i) {
    const Row row = operations.row(i);
    const int64_t begin = trace.spans.begin[row];
    if (begin < metrics->time.begin) {
      const SymbolRole role = operations.roles[operations.symbols[i]];
      const uint64_t bytes = trace.spans.bytes[row];
      if (!metrics->has_interval && bytes != SpanTable::kUnknownBytes) {
        if (role == SymbolRole::kToDevice) metrics->bytes_to_device += bytes;
        if (role == SymbolRole::kToHost) metrics->bytes_to_host += bytes;
      }
    } else if (begin < metrics->time.end || trace.spans.end[row] <= metrics->time.end) {
      ++inside;
      metrics->longest_gap = std::max(metrics->longest_gap, begin - busy_until);
    }
    busy_until = std::max(busy_until, trace.spans.end[row]);
  }
  metrics->longest_gap = std::min(metrics->longest_gap, metrics->idle);
  metrics->gaps = inside == 0 ? 0 : inside - 1;
}

}  // namespace

std::vector<IterationMetrics> iteration_metrics(const Trace& trace, const FoundIterations& found, uint32_t loop) {
  const std::vector<IterationTime>& times = found.times[loop];
  const std::vector<LoopIteration>& iterations = found.loops.loops[loop].iterations;
  const std::vector<IterationTotals> totals = totals_of(trace, found, times);
  const std::vector<bool> follow = follows(found.loops, loop);
  const UnrecordedTimes unrecorded(trace, found.operations.process);
  std::vector<IterationMetrics> result(times.size());
  for (size_t i = 0; i < times.size(); ++i) {
    IterationMetrics& metrics = result[i];
    const Totals& begin = totals[i].at_begin;
    const Totals& end = totals[i].at_end;
    metrics.time = times[i];
    metrics.has_interval = follow[i] && !unrecorded.is_between(times[i - 1].end, times[i].begin);
    metrics.operations = iterations[i].size();
    metrics.inserted = iterations[i].inserted;
    metrics.missing = iterations[i].missing;
    metrics.compute = end.compute - begin.compute;
    metrics.copy = end.copy - begin.copy;
    metrics.idle = metrics.duration() - (end.all - begin.all);
    metrics.both = metrics.compute + metrics.copy - (end.all - begin.all);
    metrics.operation_gaps = metrics.idle;
    // Copies that begin before the end of the previous iteration belong to that one.
    const Totals* since = &begin;
    if (metrics.has_interval) {
      metrics.period = std::max<int64_t>(times[i].begin - times[i - 1].begin, 0);
      const Totals& before = totals[i - 1].at_end;
      if (times[i - 1].end < times[i].begin) {
        metrics.interval = times[i].begin - times[i - 1].end;
        metrics.to_device_in_interval = begin.to_device - before.to_device;
        metrics.to_host_in_interval = begin.to_host - before.to_host;
        metrics.copy_in_interval = begin.copy - before.copy;
        metrics.busy_in_interval = begin.all - before.all;
        metrics.copies_in_interval = begin.copies - before.copies;
      }
      since = &before;
    }
    if (end.bytes_to_device > since->bytes_to_device) {
      metrics.bytes_to_device = end.bytes_to_device - since->bytes_to_device;
    }
    if (end.bytes_to_host > since->bytes_to_host) metrics.bytes_to_host = end.bytes_to_host - since->bytes_to_host;
    look_inside(trace, found.operations, iterations[i], &metrics);
  }
  return result;
}

LoopMetrics loop_metrics(const std::vector<IterationMetrics>& iterations, bool has_device) {
  LoopMetrics result;
  result.iterations = static_cast<uint32_t>(iterations.size());
  double intervals = 0;
  double interval_ns = 0;
  double period_ns = 0;
  double longest = 0;
  double overlap = 0;
  double overlaps = 0;
  double gap_ns = 0;
  double gaps = 0;
  double bytes = 0;
  double iteration_ns = 0;
  for (const IterationMetrics& iteration : iterations) {
    iteration_ns += static_cast<double>(iteration.duration());
    gap_ns += static_cast<double>(iteration.operation_gaps);
    gaps += iteration.gaps;
    bytes += static_cast<double>(iteration.bytes_to_device);
    result.compute += static_cast<double>(iteration.compute);
    result.copy += static_cast<double>(iteration.copy);
    result.both += static_cast<double>(iteration.both);
    result.idle += static_cast<double>(iteration.idle);
    if (!iteration.has_interval) continue;
    const auto interval = static_cast<double>(iteration.interval);
    period_ns += static_cast<double>(iteration.period);
    ++intervals;
    interval_ns += interval;
    longest = std::max(longest, interval);
    if (iteration.interval == 0) continue;
    ++overlaps;
    overlap += static_cast<double>(iteration.to_device_in_interval) / interval;
  }
  if (intervals != 0) {
    result.avg_interval_ns = interval_ns / intervals;
    result.max_interval_ns = longest;
    result.avg_period_ns = period_ns / intervals;
  }
  if (has_device && overlaps != 0) result.avg_overlap = overlap / overlaps;
  if (gaps != 0) result.avg_operation_ns = gap_ns / gaps;
  if (iterations.empty()) return result;
  if (has_device) result.avg_size_bytes = bytes / static_cast<double>(iterations.size());
  result.avg_iteration_ns = iteration_ns / static_cast<double>(iterations.size());
  const double total = iteration_ns + interval_ns;
  if (!(total > 0)) return result;
  for (double* share : {&result.compute, &result.copy, &result.both, &result.idle}) *share /= total;
  result.intervals = interval_ns / total;
  return result;
}

}  // namespace xsp::analysis
