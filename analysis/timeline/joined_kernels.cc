#include "analysis/timeline/joined_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "analysis/timeline/majority.h"

namespace xsp::analysis {
namespace {

/// The executions of one evaluation in their joined_order.
using Sequence = std::vector<uint32_t>;

Row row_of(const Trace& trace, uint32_t execution) { return trace.executions.row[execution]; }

constexpr std::array kJoinedValues = {&KernelMetrics::flops, &KernelMetrics::dram_read_bytes,
                                      &KernelMetrics::dram_write_bytes, &KernelMetrics::occupancy_pct,
                                      &KernelMetrics::algorithmic_flops};

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Whether there is nothing to evaluate: most kernels do the same work each time.
bool is_same(const KernelMetrics& a, const KernelMetrics& b) {
  return a.type == b.type && a.flags == b.flags && a.source == b.source &&
         std::all_of(kJoinedValues.begin(), kJoinedValues.end(),
                     [&](double KernelMetrics::*value) { return is_same(a.*value, b.*value); });
}

/// Metrics that are not the same in all evaluations.
KernelMetrics join_metrics(const std::vector<const KernelMetrics*>& all, const Statistic& statistic) {
  KernelMetrics joined = *all.front();
  bool takes_turns = false;
  for (const KernelMetrics* other : all) {
    takes_turns |= ((joined.flags ^ other->flags) & kAuxiliary) != 0;
    if (joined.type == DataType::kUnknown) joined.type = other->type;
    if (joined.source == MetricSource::kNone) joined.source = other->source;
  }
  if (takes_turns) return *all.front();
  std::vector<double> known;
  for (double KernelMetrics::*value : kJoinedValues) {
    known.clear();
    for (const KernelMetrics* one : all) {
      if (!std::isnan(one->*value)) known.push_back(one->*value);
    }
    joined.*value = evaluate(statistic, known);
  }
  for (const KernelMetrics* other : all) joined.flags |= other->flags;
  return joined;
}

void add_work(const KernelMetrics& metrics, JoinedKernels* joined) {
  if (!std::isnan(metrics.flops)) joined->flops += metrics.flops;
  const double bytes = metrics.dram_read_bytes + metrics.dram_write_bytes;
  if (!std::isnan(bytes)) joined->dram_bytes += bytes;
}

class Join {
 public:
  Join(const Trace& trace, const Executions& executions, Executed what, const Metrics& metrics)
      : trace_(trace), executions_(executions), what_(what), metrics_(metrics) {}

  JoinedKernels run(const std::vector<uint32_t>& evaluations, const Statistic& statistic) {
    for (const uint32_t evaluation : evaluations) add_sequence(evaluation);
    joined_.without_kernels = evaluations.size() - sequences_.size();
    if (sequences_.empty()) return std::move(joined_);
    Majority majority = find_majority(
        sequences_.size(), [&](size_t sequence) { return sequences_[sequence].size(); },
        [&](size_t sequence, size_t place) { return key(sequences_[sequence][place]); });
    joined_.diverging = majority.diverging;
    joined_.first_difference = majority.first_difference;
    for (const size_t sequence : majority.chosen) joined_.evaluations.push_back(evaluation_of_[sequence]);
    join(majority.chosen, statistic);
    if (!metrics_.of.empty()) join_metrics_of(majority.chosen, statistic);
    measure_busy(majority.chosen, statistic);
    restore_order(sequences_[majority.chosen.front()], joined_.evaluations.front());
    return std::move(joined_);
  }

 private:
  void add_sequence(uint32_t evaluation) {
    Sequence sequence = joined_order(trace_, executions_, what_, evaluation);
    if (sequence.empty()) return;
    sequences_.push_back(std::move(sequence));
    evaluation_of_.push_back(evaluation);
  }

  std::array<uint32_t, 3> key(uint32_t execution) const {
    const Row row = row_of(trace_, execution);
    return {executions_.placed[execution].layer_ordinal, trace_.spans.name[row],
            static_cast<uint32_t>(trace_.spans.kind[row])};
  }

  /// Reads evaluation by evaluation, in which spans lie together, and evaluates place by place.
  void join(const std::vector<size_t>& chosen, const Statistic& statistic) {
    const Sequence& first = sequences_[chosen.front()];
    joined_.kernels.resize(first.size());
    std::vector<double> durations(first.size() * chosen.size());
    for (size_t column = 0; column < chosen.size(); ++column) {
      for (size_t place = 0; place < first.size(); ++place) {
        const Row row = row_of(trace_, sequences_[chosen[column]][place]);
        JoinedKernel& kernel = joined_.kernels[place];
        durations[place * chosen.size() + column] = static_cast<double>(trace_.spans.duration(row));
        kernel.bytes += bytes_of(row) / static_cast<double>(chosen.size());
        kernel.configuration_varies |= trace_.spans.shape[row] != trace_.spans.shape[row_of(trace_, first[place])];
      }
    }
    std::vector<double> values;
    for (size_t place = 0; place < first.size(); ++place) {
      const auto begin = durations.begin() + static_cast<ptrdiff_t>(place * chosen.size());
      values.assign(begin, begin + static_cast<ptrdiff_t>(chosen.size()));
      JoinedKernel& kernel = joined_.kernels[place];
      kernel.execution = first[place];
      kernel.latency_ns = evaluate(statistic, values);
      kernel.spread_ns = interquartile_range(values);
      joined_.latency_ns += kernel.latency_ns;
    }
  }

  /// Evaluation by evaluation too; only what differs is gathered.
  void join_metrics_of(const std::vector<size_t>& chosen, const Statistic& statistic) {
    const Sequence& first = sequences_[chosen.front()];
    std::vector<uint8_t> varies(first.size());
    for (const size_t sequence : chosen) {
      for (size_t place = 0; place < first.size(); ++place) {
        const KernelMetrics& own = metrics_.of[sequences_[sequence][place]];
        if (!is_same(metrics_.of[first[place]], own)) varies[place] = 1;
      }
    }
    std::vector<const KernelMetrics*> all;
    for (size_t place = 0; place < first.size(); ++place) {
      KernelMetrics& joined = joined_.kernels[place].metrics;
      joined = metrics_.of[first[place]];
      if (varies[place] != 0) {
        all.clear();
        for (const size_t sequence : chosen) all.push_back(&metrics_.of[sequences_[sequence][place]]);
        joined = join_metrics(all, statistic);
      }
      add_work(joined, &joined_);
    }
  }

  double bytes_of(Row row) const {
    const uint64_t bytes = trace_.spans.bytes[row];
    return bytes == SpanTable::kUnknownBytes ? 0 : static_cast<double>(bytes);
  }

  void measure_busy(const std::vector<size_t>& chosen, const Statistic& statistic) {
    std::vector<double> busy;
    std::vector<std::pair<int64_t, int64_t>> intervals;
    for (const size_t sequence : chosen) {
      intervals.clear();
      for (const uint32_t execution : sequences_[sequence]) {
        const Row row = row_of(trace_, execution);
        intervals.emplace_back(trace_.spans.begin[row], trace_.spans.end[row]);
      }
      busy.push_back(static_cast<double>(union_length(&intervals)));
    }
    joined_.busy_ns = evaluate(statistic, busy);
  }

  /// Rows stand in order of launch, whatever the layer.
  void restore_order(const Sequence& sequence, uint32_t evaluation) {
    std::unordered_map<uint32_t, size_t> place;
    place.reserve(sequence.size());
    for (size_t i = 0; i < sequence.size(); ++i) place[sequence[i]] = i;
    std::vector<JoinedKernel> ordered;
    ordered.reserve(sequence.size());
    Row launch = kNoRow;
    for (size_t i = executions_.first_of[evaluation]; i < executions_.first_of[evaluation + 1]; ++i) {
      const uint32_t execution = executions_.in_evaluation[i];
      const auto found = place.find(execution);
      if (found == place.end()) continue;
      ordered.push_back(joined_.kernels[found->second]);
      const Row own = executions_.placed[execution].launch;
      joined_.launches += own != launch && own != kNoRow ? 1 : 0;  // those of one launch follow each other
      launch = own;
    }
    joined_.kernels = std::move(ordered);
  }

  const Trace& trace_;
  const Executions& executions_;
  Executed what_;
  const Metrics& metrics_;
  std::vector<Sequence> sequences_;
  std::vector<uint32_t> evaluation_of_;  // by sequence
  JoinedKernels joined_;
};

}  // namespace

bool is_executed(const Trace& trace, uint32_t execution, Executed what) {
  const Kind kind = trace.spans.kind[row_of(trace, execution)];
  return what == Executed::kKernels ? kind == Kind::kKernel : kind == Kind::kMemcpy || kind == Kind::kMemset;
}

std::vector<uint32_t> joined_order(const Trace& trace, const Executions& executions, Executed what,
                                   uint32_t evaluation) {
  struct Place {
    uint32_t layer;
    uint32_t launch;  // counted
    uint64_t node;
    uint32_t execution;
  };
  std::vector<Place> places;
  Row launch = kNoRow;
  uint32_t launches = 0;
  for (size_t i = executions.first_of[evaluation]; i < executions.first_of[evaluation + 1]; ++i) {
    const uint32_t execution = executions.in_evaluation[i];
    if (!is_executed(trace, execution, what)) continue;
    const PlacedExecution& placed = executions.placed[execution];
    launches += placed.launch != launch ? 1 : 0;
    launch = placed.launch;
    places.push_back({placed.layer_ordinal, launches, trace.executions.graph_node[execution], execution});
  }
  const auto before = [](const Place& a, const Place& b) {
    return std::tie(a.layer, a.launch, a.node) < std::tie(b.layer, b.launch, b.node);
  };
  if (!std::is_sorted(places.begin(), places.end(), before)) std::stable_sort(places.begin(), places.end(), before);
  std::vector<uint32_t> order;
  order.reserve(places.size());
  for (const Place& place : places) order.push_back(place.execution);
  return order;
}

JoinedKernels join_kernels(const Trace& trace, const Executions& executions, Executed what,
                           const std::vector<uint32_t>& evaluations, const Statistic& statistic,
                           const Metrics& metrics) {
  return Join(trace, executions, what, metrics).run(evaluations, statistic);
}

JoinedKernels single_kernels(const Trace& trace, const Executions& executions, std::vector<uint32_t> wanted,
                             const Metrics& metrics) {
  const SpanTable& spans = trace.spans;
  const auto earlier = [&](uint32_t a, uint32_t b) {
    const int64_t x = spans.begin[row_of(trace, a)];
    const int64_t y = spans.begin[row_of(trace, b)];
    return x != y ? x < y : a < b;
  };
  if (!std::is_sorted(wanted.begin(), wanted.end(), earlier)) std::sort(wanted.begin(), wanted.end(), earlier);
  JoinedKernels joined;
  joined.kernels.reserve(wanted.size());
  std::vector<std::pair<int64_t, int64_t>> intervals;
  std::vector<Row> launches;
  for (const uint32_t execution : wanted) {
    const Row row = row_of(trace, execution);
    JoinedKernel kernel{.execution = execution, .latency_ns = static_cast<double>(spans.duration(row))};
    if (spans.bytes[row] != SpanTable::kUnknownBytes) kernel.bytes = static_cast<double>(spans.bytes[row]);
    if (!metrics.of.empty()) kernel.metrics = metrics.of[execution];
    add_work(kernel.metrics, &joined);
    joined.latency_ns += kernel.latency_ns;
    joined.kernels.push_back(kernel);
    intervals.emplace_back(spans.begin[row], spans.end[row]);
    if (executions.placed[execution].launch != kNoRow) launches.push_back(executions.placed[execution].launch);
  }
  if (!std::is_sorted(launches.begin(), launches.end())) std::sort(launches.begin(), launches.end());
  joined.launches = static_cast<size_t>(std::unique(launches.begin(), launches.end()) - launches.begin());
  joined.busy_ns = static_cast<double>(union_length(&intervals));
  return joined;
}

}  // namespace xsp::analysis
