#include "analysis/timeline/joined_layers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "analysis/timeline/iteration_kind.h"
#include "analysis/trace/recorded_levels.h"

namespace xsp::analysis {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// What layers of the same ordinal are compared by: (name, type), of an iteration's the type alone where it has one.
uint64_t key_of(const SpanTable& spans, const Evaluations& all, uint32_t evaluation, Row layer) {
  const bool by_type = spans.kind[all.root[evaluation]] == kIterationKind && spans.type[layer] != 0;
  return uint64_t{by_type ? 0 : spans.name[layer]} << 32 | spans.type[layer];
}

/// Identifies the sequence of the keys of an evaluation's layers, by FNV-1a over them.
uint64_t sequence_of(const SpanTable& spans, const Evaluations& all, uint32_t evaluation) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < all.layer_count(evaluation); ++i) {
    hash = (hash ^ key_of(spans, all, evaluation, all.layer(evaluation, i))) * 1099511628211u;
  }
  return hash;
}

size_t first_difference(const SpanTable& spans, const Evaluations& all, uint32_t a, uint32_t b) {
  const size_t common = std::min(all.layer_count(a), all.layer_count(b));
  for (size_t i = 0; i < common; ++i) {
    if (key_of(spans, all, a, all.layer(a, i)) != key_of(spans, all, b, all.layer(b, i))) return i;
  }
  return common;
}

/// The evaluations of the most frequent sequence (of equally frequent ones: the first seen).
std::vector<uint32_t> majority(const SpanTable& spans, const Evaluations& all, const std::vector<uint32_t>& evaluations,
                               JoinedLayers* joined) {
  std::unordered_map<uint64_t, std::vector<uint32_t>> by_sequence;
  std::vector<uint64_t> order;
  for (const uint32_t evaluation : evaluations) {
    if (all.layer_count(evaluation) == 0) {
      ++joined->without_layers;
      continue;
    }
    auto& same = by_sequence[sequence_of(spans, all, evaluation)];
    if (same.empty()) order.push_back(sequence_of(spans, all, evaluation));
    same.push_back(evaluation);
  }
  if (order.empty()) return {};
  const uint64_t best = *std::max_element(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
    return by_sequence[a].size() < by_sequence[b].size();
  });
  std::vector<uint32_t> chosen = by_sequence[best];
  uint32_t other = kNoEvaluation;
  for (const uint64_t sequence : order) {
    if (sequence == best) continue;
    joined->diverging += by_sequence[sequence].size();
    other = std::min(other, by_sequence[sequence].front());
  }
  if (other != kNoEvaluation) joined->first_difference = first_difference(spans, all, chosen.front(), other);
  return chosen;
}

/// Values of all ordinals over the evaluations, ordinal by ordinal, so that each span is read once and in order.
/// `value` takes an index in Evaluations::layers.
template <typename Value>
std::vector<double> transpose(const Evaluations& all, const std::vector<uint32_t>& evaluations, size_t layers,
                              Value&& value) {
  std::vector<double> matrix(layers * evaluations.size());
  for (size_t column = 0; column < evaluations.size(); ++column) {
    for (size_t ordinal = 0; ordinal < layers; ++ordinal) {
      matrix[ordinal * evaluations.size() + column] = value(all.first_layer[evaluations[column]] + ordinal);
    }
  }
  return matrix;
}

/// Calls `use(ordinal, values)` for each ordinal's values.
template <typename Use>
void by_ordinal(const std::vector<double>& matrix, size_t evaluations, Use&& use) {
  std::vector<double> values(evaluations);
  for (size_t first = 0; first < matrix.size(); first += evaluations) {
    std::copy_n(matrix.begin() + static_cast<ptrdiff_t>(first), evaluations, values.begin());
    use(first / evaluations, values);
  }
}

using Intervals = std::vector<std::pair<int64_t, int64_t>>;

/// By ordinal, the times at which the layers of an evaluation run.
std::vector<Intervals> times_of_layers(const Trace& trace, const Evaluations& all, const Executions& executions,
                                       uint32_t evaluation) {
  const SpanTable& spans = trace.spans;
  std::vector<Intervals> times(all.layer_count(evaluation));
  for (size_t i = 0; i < times.size(); ++i) {
    const Row row = all.layer(evaluation, i);
    times[i].emplace_back(spans.begin[row], spans.end[row]);
  }
  for (size_t i = executions.first_of[evaluation]; i < executions.first_of[evaluation + 1]; ++i) {
    const uint32_t execution = executions.in_evaluation[i];
    const Row row = trace.executions.row[execution];
    const size_t layer = layer_of(trace, all, executions.placed[execution]);
    if (layer == SIZE_MAX || !is_work(spans.kind[row])) continue;
    times[layer - all.first_layer[evaluation]].emplace_back(spans.begin[row], spans.end[row]);
  }
  return times;
}

double overlap_on_devices(const Trace& trace, const Evaluations& all, const Executions& executions,
                          const std::vector<uint32_t>& evaluations) {
  double overlap = 0;
  for (const uint32_t evaluation : evaluations) {
    Intervals together;
    for (Intervals& layer : times_of_layers(trace, all, executions, evaluation)) {
      overlap += static_cast<double>(union_length(&layer));
      together.insert(together.end(), layer.begin(), layer.end());
    }
    overlap -= static_cast<double>(union_length(&together));
  }
  return evaluations.empty() ? 0 : overlap / static_cast<double>(evaluations.size());
}

}  // namespace

double overlap_of_layers(const Trace& trace, const Evaluations& all, const Executions& executions,
                         const std::vector<uint32_t>& evaluations) {
  if (!executions.placed.empty()) return overlap_on_devices(trace, all, executions, evaluations);
  const SpanTable& spans = trace.spans;
  double overlap = 0;
  for (const uint32_t evaluation : evaluations) {
    int64_t busy_until = 0;
    for (size_t i = 0; i < all.layer_count(evaluation); ++i) {
      const Row row = all.layer(evaluation, i);
      const int64_t both = std::min(busy_until, spans.end[row]) - spans.begin[row];
      if (both > 0) overlap += static_cast<double>(both);
      busy_until = std::max(busy_until, spans.end[row]);
    }
  }
  return evaluations.empty() ? 0 : overlap / static_cast<double>(evaluations.size());
}

JoinedLayers join_layers(const Trace& trace, const Evaluations& all, const DeviceLatencies& latencies,
                         const std::vector<uint32_t>& evaluations, const Statistic& statistic) {
  const SpanTable& spans = trace.spans;
  JoinedLayers joined;
  const std::vector<uint32_t> chosen = majority(spans, all, evaluations, &joined);
  joined.evaluations = chosen.size();
  joined.joined = chosen;
  if (chosen.empty()) return joined;

  const size_t count = all.layer_count(chosen.front());
  joined.layers.resize(count);
  for (size_t ordinal = 0; ordinal < count; ++ordinal) {
    const Row row = all.layer(chosen.front(), ordinal);
    JoinedLayer& layer = joined.layers[ordinal];
    layer = {.name = spans.name[row], .type = spans.type[row], .shape = spans.shape[row], .calls = chosen.size()};
  }
  for (const uint32_t evaluation : chosen) {
    for (size_t ordinal = 0; ordinal < count; ++ordinal) {
      const Row row = all.layer(evaluation, ordinal);
      JoinedLayer& layer = joined.layers[ordinal];
      layer.shape_varies |= spans.shape[row] != layer.shape;
      if (spans.name[row] != layer.name) layer.name = layer.type;
    }
  }
  const auto host_ns = [&](size_t layer) { return static_cast<double>(spans.duration(all.layers[layer])); };
  const auto latency_ns = [&](size_t layer) {
    return latencies.layers.empty() ? host_ns(layer) : static_cast<double>(latencies.layers[layer].latency_ns);
  };
  by_ordinal(transpose(all, chosen, count, latency_ns), chosen.size(),
             [&](size_t ordinal, std::vector<double>& values) {
               joined.layers[ordinal].latency_ns = evaluate(statistic, values);
               joined.layers[ordinal].spread_ns = interquartile_range(values);
             });
  if (!latencies.layers.empty()) {
    const auto join = [&](double JoinedLayer::*to, auto&& value) {
      by_ordinal(transpose(all, chosen, count, value), chosen.size(), [&](size_t ordinal, std::vector<double>& values) {
        joined.layers[ordinal].*to = evaluate(statistic, values);
      });
    };
    join(&JoinedLayer::host_ns, host_ns);
    join(&JoinedLayer::gpu_ns, [&](size_t layer) { return static_cast<double>(latencies.layers[layer].gpu_ns); });
    join(&JoinedLayer::kernel_ns, [&](size_t layer) { return static_cast<double>(latencies.layers[layer].kernel_ns); });
    const auto kernels = [&](size_t layer) { return static_cast<double>(latencies.layers[layer].kernels); };
    by_ordinal(transpose(all, chosen, count, kernels), chosen.size(), [&](size_t ordinal, std::vector<double>& values) {
      joined.layers[ordinal].kernels =
          std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    });
    if (std::none_of(chosen.begin(), chosen.end(), [&](uint32_t evaluation) {
          return records(trace, trace.process_of(all.root[evaluation]), Level::kDevice);
        })) {
      for (JoinedLayer& layer : joined.layers) layer.gpu_ns = layer.kernel_ns = layer.kernels = kUnknown;
    }
  }
  const auto bytes = [&](size_t layer) {
    const Row row = all.layers[layer];
    return spans.bytes[row] == SpanTable::kUnknownBytes ? kUnknown : static_cast<double>(spans.bytes[row]);
  };
  by_ordinal(transpose(all, chosen, count, bytes), chosen.size(), [&](size_t ordinal, std::vector<double>& values) {
    if (std::none_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) {
      joined.layers[ordinal].bytes = evaluate(statistic, values);
    }
  });
  return joined;
}

namespace {

/// Sums of layers that are the same layer: of a group's sequence and ordinal, or outside evaluations of one name.
class Totals {
 public:
  Totals(const Trace& trace, const DeviceLatencies& latencies)
      : trace_(trace), spans_(trace.spans), latencies_(latencies) {}

  /// `number` as in DeviceLatencies::layers.
  void add(size_t group, uint64_t sequence, size_t ordinal, Row row, size_t number) {
    const bool loose = group == SIZE_MAX;
    const Key key(group, sequence, ordinal, loose ? spans_.name[row] : 0, loose ? spans_.type[row] : 0);
    const auto [found, added] = numbers_.try_emplace(key, layers_.size());
    if (added) {
      layers_.push_back({.name = spans_.name[row],
                         .type = spans_.type[row],
                         .shape = spans_.shape[row],
                         .spread_ns = kUnknown,
                         .bytes = 0.0});
    }
    members_.emplace_back(row, static_cast<uint32_t>(found->second));
    JoinedLayer& layer = layers_[found->second];
    layer.shape_varies |= layer.shape != spans_.shape[row];
    layer.latency_ns += latency_ns(row, number);
    ++layer.calls;
    if (!latencies_.layers.empty()) {
      const LayerLatency& sum = latencies_.layers[number];
      layer.host_ns += static_cast<double>(spans_.duration(row));
      const bool known = records(trace_, trace_.process_of(row), Level::kDevice);
      layer.gpu_ns += known ? static_cast<double>(sum.gpu_ns) : kUnknown;
      layer.kernel_ns += known ? static_cast<double>(sum.kernel_ns) : kUnknown;
      layer.kernels += known ? static_cast<double>(sum.kernels) : kUnknown;
    }
    if (spans_.bytes[row] == SpanTable::kUnknownBytes) {
      layer.bytes.reset();
    } else if (layer.bytes) {
      *layer.bytes += static_cast<double>(spans_.bytes[row]);
    }
  }

  double latency_ns(Row row, size_t number) const {
    return static_cast<double>(latencies_.layers.empty() ? spans_.duration(row) : latencies_.layers[number].latency_ns);
  }

  void move_to(JoinedLayers* joined) {
    joined->layers = std::move(layers_);
    joined->members = std::move(members_);
  }

 private:
  using Key = std::tuple<size_t, uint64_t, size_t, uint32_t, uint32_t>;

  const Trace& trace_;
  const SpanTable& spans_;
  const DeviceLatencies& latencies_;
  std::map<Key, size_t> numbers_;
  std::vector<JoinedLayer> layers_;
  std::vector<std::pair<Row, uint32_t>> members_;
};

}  // namespace

JoinedLayers total_layers(const Trace& trace, const Evaluations& all, const DeviceLatencies& latencies,
                          const std::vector<uint32_t>& groups, const std::function<bool(Row)>& is_wanted) {
  JoinedLayers joined;
  Totals totals(trace, latencies);
  for (const uint32_t group : groups) {
    for (const uint32_t evaluation : all.groups[group].evaluations) {
      ++joined.evaluations;
      joined.joined.push_back(evaluation);
      const uint64_t sequence = sequence_of(trace.spans, all, evaluation);
      for (size_t i = 0; i < all.layer_count(evaluation); ++i) {
        totals.add(group, sequence, i, all.layer(evaluation, i), all.first_layer[evaluation] + i);
      }
    }
  }
  size_t number = all.layers.size();
  for (const auto* outside : {&all.loose_layers, &all.failed_layers}) {
    for (const Row row : *outside) {
      if (is_wanted(row)) {
        totals.add(SIZE_MAX, 0, 0, row, number);
        joined.loose_ns += totals.latency_ns(row, number);
      }
      ++number;
    }
  }
  totals.move_to(&joined);
  return joined;
}

void join_layer_times(const Evaluations& all, const std::vector<int64_t>& ns, const Statistic& statistic,
                      double JoinedLayer::*to, JoinedLayers* joined) {
  if (ns.empty()) return;
  for (const auto& [row, layer] : joined->members)
    joined->layers[layer].*to += static_cast<double>(ns[all.number[row]]);
  if (joined->joined.empty() || !joined->members.empty()) return;
  const auto value = [&](size_t layer) { return static_cast<double>(ns[layer]); };
  by_ordinal(
      transpose(all, joined->joined, joined->layers.size(), value), joined->joined.size(),
      [&](size_t ordinal, std::vector<double>& values) { joined->layers[ordinal].*to = evaluate(statistic, values); });
}

}  // namespace xsp::analysis
