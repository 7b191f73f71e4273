#include "analysis/timeline/joined_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "analysis/timeline/intervals.h"
#include "analysis/timeline/merged_sequences.h"

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
  Join(const Trace& trace, const Executions& executions, Executed what, const Metrics& metrics,
       const LayerOfKernel& layer_of)
      : trace_(trace), executions_(executions), what_(what), metrics_(metrics), layer_of_(layer_of) {}

  JoinedKernels run(const std::vector<uint32_t>& evaluations, const Statistic& statistic) {
    for (const uint32_t evaluation : evaluations) add_sequence(evaluation);
    joined_.without_kernels = evaluations.size() - sequences_.size();
    if (sequences_.empty()) return std::move(joined_);
    merge();
    choose();
    join(statistic);
    if (!metrics_.of.empty()) join_metrics_of(statistic);
    measure(statistic);
    restore_order();
    return std::move(joined_);
  }

 private:
  void add_sequence(uint32_t evaluation) {
    Sequence sequence = joined_order(trace_, executions_, what_, evaluation, layer_of_);
    if (sequence.empty()) return;
    const auto found = find_alike(sequence);
    alike_of_.push_back(found);
    sequences_.push_back(std::move(sequence));
    evaluation_of_.push_back(evaluation);
  }

  uint32_t layer(uint32_t execution) const {
    const PlacedExecution& placed = executions_.placed[execution];
    return layer_of_ ? layer_of_(placed) : placed.layer_ordinal;
  }

  /// (layer, name, kind); another kernel of the layer may take its place.
  SequencePlace place(uint32_t execution) const {
    const Row row = row_of(trace_, execution);
    uint64_t hash = 14695981039346656037u;  // FNV-1a
    const auto mix = [&](uint64_t value) { hash = (hash ^ value) * 1099511628211u; };
    mix(layer(execution));
    const uint64_t kind = hash;
    mix(trace_.spans.name[row]);
    mix(static_cast<uint64_t>(trace_.spans.kind[row]));
    return {hash, kind};
  }

  /// The number of the sequences that are like this one.
  uint32_t find_alike(const Sequence& sequence) {
    uint64_t hash = 14695981039346656037u;
    for (const uint32_t execution : sequence) hash = (hash ^ place(execution).key) * 1099511628211u;
    const auto [found, added] = alike_by_hash_.try_emplace(hash, static_cast<uint32_t>(alike_.size()));
    if (added) alike_.push_back({sequences_.size(), 0});
    ++alike_[found->second].count;
    return found->second;
  }

  void merge() {
    std::vector<CountedSequence> counted;
    for (const Alike& alike : alike_) {
      auto& places = counted.emplace_back(CountedSequence{{}, alike.count}).places;
      places.reserve(sequences_[alike.first].size());
      for (const uint32_t execution : sequences_[alike.first]) places.push_back(place(execution));
    }
    merged_ = merge_sequences(counted, Renamed::kAlternative);
    if (counted.size() < 2) return;
    size_t other = SIZE_MAX;
    for (size_t i = 0; i < counted.size(); ++i) {
      if (i == merged_.reference) continue;
      if (other == SIZE_MAX || (merged_.left_out[i] != 0 && merged_.left_out[other] == 0)) other = i;
    }
    const auto& a = counted[merged_.reference].places;
    const auto& b = counted[other].places;
    size_t& place = joined_.first_difference;
    while (place < std::min(a.size(), b.size()) && a[place].key == b[place].key) ++place;
  }

  void choose() {
    for (size_t i = 0; i < sequences_.size(); ++i) {
      if (merged_.left_out[alike_of_[i]] != 0) {
        ++joined_.diverging;
        continue;
      }
      chosen_.push_back(i);
      joined_.evaluations.push_back(evaluation_of_[i]);
      joined_.sequence_of.push_back(alike_of_[i]);
      if (alike_of_[i] == merged_.reference) joined_.same.push_back(evaluation_of_[i]);
    }
    joined_.kernels.resize(merged_.rows);
    joined_.left_out = static_cast<size_t>(std::count_if(merged_.n.begin() + static_cast<ptrdiff_t>(merged_.rows),
                                                         merged_.n.end(), [](size_t n) { return n != 0; }));
  }

  /// Calls `use(row, execution)` for what an evaluation has of the rows.
  template <typename Use>
  void for_each(size_t sequence, Use&& use) const {
    const auto& slots = merged_.slots[alike_of_[sequence]];
    for (size_t i = 0; i < slots.size(); ++i) {
      if (slots[i] < merged_.rows) use(slots[i], sequences_[sequence][i]);
    }
  }

  /// Reads evaluation by evaluation, in which spans lie together, and evaluates place by place.
  void join(const Statistic& statistic) {
    const size_t columns = chosen_.size();
    std::vector<double> durations(merged_.rows * columns, kAbsent);
    for (size_t column = 0; column < columns; ++column) {
      for_each(chosen_[column], [&](uint32_t place, uint32_t execution) {
        const Row row = row_of(trace_, execution);
        JoinedKernel& kernel = joined_.kernels[place];
        if (kernel.execution == kNoExecution) kernel.execution = execution;
        durations[place * columns + column] = static_cast<double>(trace_.spans.duration(row));
        kernel.bytes += bytes_of(row) / static_cast<double>(merged_.n[place]);
        kernel.configuration_varies |= trace_.spans.shape[row] != trace_.spans.shape[row_of(trace_, kernel.execution)];
      });
    }
    std::vector<double> values;
    for (size_t place = 0; place < merged_.rows; ++place) {
      const auto begin = durations.begin() + static_cast<ptrdiff_t>(place * columns);
      values.clear();
      std::copy_if(begin, begin + static_cast<ptrdiff_t>(columns), std::back_inserter(values),
                   [](double value) { return value != kAbsent; });
      JoinedKernel& kernel = joined_.kernels[place];
      kernel.n = static_cast<uint32_t>(values.size());
      kernel.latency_ns = evaluate(statistic, values);
      kernel.spread_ns = interquartile_range(values);
      joined_.latency_ns += kernel.latency_ns;
    }
  }

  /// Evaluation by evaluation too; only what differs is gathered.
  void join_metrics_of(const Statistic& statistic) {
    std::vector<uint8_t> varies(merged_.rows);
    for (const size_t sequence : chosen_) {
      for_each(sequence, [&](uint32_t place, uint32_t execution) {
        if (!is_same(metrics_.of[joined_.kernels[place].execution], metrics_.of[execution])) varies[place] = 1;
      });
    }
    std::unordered_map<uint32_t, std::vector<const KernelMetrics*>> all;
    for (const size_t sequence : chosen_) {
      for_each(sequence, [&](uint32_t place, uint32_t execution) {
        if (varies[place] != 0) all[place].push_back(&metrics_.of[execution]);
      });
    }
    for (uint32_t place = 0; place < merged_.rows; ++place) {
      KernelMetrics& joined = joined_.kernels[place].metrics;
      joined = varies[place] != 0 ? join_metrics(all[place], statistic) : metrics_.of[joined_.kernels[place].execution];
      add_work(joined, &joined_);
    }
  }

  double bytes_of(Row row) const {
    const uint64_t bytes = trace_.spans.bytes[row];
    return bytes == SpanTable::kUnknownBytes ? 0 : static_cast<double>(bytes);
  }

  /// Overlap takes the same share of the sum as in all joined evaluations together: a statistic of the union alone may
  /// just as well be above the sum of the kernels' statistics as below it.
  void measure(const Statistic& statistic) {
    double sum = 0;
    double busy = 0;
    std::vector<double> each;
    std::vector<std::pair<int64_t, int64_t>> intervals;
    for (const size_t sequence : chosen_) {
      intervals.clear();
      const auto& slots = merged_.slots[alike_of_[sequence]];
      for (size_t i = 0; i < slots.size(); ++i) {
        const Row row = row_of(trace_, sequences_[sequence][i]);
        intervals.emplace_back(trace_.spans.begin[row], trace_.spans.end[row]);
        const auto duration = static_cast<double>(trace_.spans.duration(row));
        sum += duration;
        if (slots[i] >= merged_.rows) joined_.left_out_ns += duration / static_cast<double>(chosen_.size());
      }
      each.push_back(static_cast<double>(union_length(&intervals)));
      busy += each.back();
    }
    joined_.busy_ns = sum > 0 ? joined_.latency_ns * (busy / sum) : 0;
    // Where not all have the same kernels the sum has some that are not in each.
    const bool varies = std::any_of(joined_.kernels.begin(), joined_.kernels.end(),
                                    [&](const JoinedKernel& kernel) { return kernel.n != chosen_.size(); });
    if (varies) joined_.busy_ns = std::min(joined_.latency_ns, evaluate(statistic, each));
  }

  /// Rows stand in order of launch, whatever the layer: that of an evaluation of the most frequent sequence. What that
  /// does not have stands behind what was launched before it in the first evaluation that has it.
  void restore_order() {
    const size_t count = merged_.rows;
    std::vector<std::pair<uint32_t, uint32_t>> rank(count, {0, UINT32_MAX});  // launched, behind that
    uint32_t launched = 0;
    const size_t reference = first_like(static_cast<uint32_t>(merged_.reference));
    for_each_launched(reference, true, [&](uint32_t place) { rank[place] = {++launched, 0}; });
    uint32_t behind = 0;
    for (uint32_t alike = 0; alike < alike_.size(); ++alike) {
      if (alike == merged_.reference || merged_.left_out[alike] != 0) continue;
      uint32_t last = 0;
      for_each_launched(first_like(alike), false, [&](uint32_t place) {
        if (rank[place].second == UINT32_MAX) rank[place] = {last, ++behind};
        last = rank[place].first;
      });
    }
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return rank[a] < rank[b]; });
    std::vector<JoinedKernel> ordered;
    ordered.reserve(count);
    std::vector<uint32_t> row_of_place(count);
    for (const uint32_t place : order) {
      row_of_place[place] = static_cast<uint32_t>(ordered.size());
      ordered.push_back(joined_.kernels[place]);
    }
    joined_.kernels = std::move(ordered);
    joined_.rows = std::move(merged_.slots);
    for (auto& rows : joined_.rows) {
      for (uint32_t& row : rows) row = row < count ? row_of_place[row] : kNoPlace;
    }
  }

  size_t first_like(uint32_t alike) const { return alike_[alike].first; }

  /// The places of a sequence in order of their launches, those of one launch in order of begin.
  template <typename Use>
  void for_each_launched(size_t sequence, bool counts_launches, Use&& use) {
    std::unordered_map<uint32_t, uint32_t> place_of;
    for_each(sequence, [&](uint32_t place, uint32_t execution) { place_of[execution] = place; });
    const uint32_t evaluation = evaluation_of_[sequence];
    Row launch = kNoRow;
    for (size_t i = executions_.first_of[evaluation]; i < executions_.first_of[evaluation + 1]; ++i) {
      const uint32_t execution = executions_.in_evaluation[i];
      const auto found = place_of.find(execution);
      if (found == place_of.end()) continue;
      use(found->second);
      const Row own = executions_.placed[execution].launch;
      if (counts_launches && own != launch && own != kNoRow) ++joined_.launches;  // those of one launch stand together
      launch = own;
    }
  }

  /// Sequences with equal places.
  struct Alike {
    size_t first = 0;  // sequence
    size_t count = 0;
  };

  const Trace& trace_;
  const Executions& executions_;
  Executed what_;
  const Metrics& metrics_;
  const LayerOfKernel& layer_of_;
  std::vector<Sequence> sequences_;
  std::vector<uint32_t> evaluation_of_;  // by sequence
  std::vector<uint32_t> alike_of_;       // likewise
  std::vector<Alike> alike_;
  std::unordered_map<uint64_t, uint32_t> alike_by_hash_;
  MergedSequences merged_;
  std::vector<size_t> chosen_;  // sequences
  JoinedKernels joined_;
};

}  // namespace

bool is_executed(const Trace& trace, uint32_t execution, Executed what) {
  const Kind kind = trace.spans.kind[row_of(trace, execution)];
  return what == Executed::kKernels ? kind == Kind::kKernel : kind == Kind::kMemcpy || kind == Kind::kMemset;
}

std::vector<uint32_t> joined_order(const Trace& trace, const Executions& executions, Executed what, uint32_t evaluation,
                                   const LayerOfKernel& layer_of) {
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
    places.push_back({layer_of ? layer_of(placed) : placed.layer_ordinal, launches,
                      trace.executions.graph_node[execution], execution});
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
                           const std::vector<uint32_t>& evaluations, const Statistic& statistic, const Metrics& metrics,
                           const LayerOfKernel& layer_of) {
  return Join(trace, executions, what, metrics, layer_of).run(evaluations, statistic);
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
