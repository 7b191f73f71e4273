#include "analysis/timeline/joined_layers.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "analysis/timeline/intervals.h"
#include "analysis/timeline/iteration_kind.h"
#include "analysis/trace/recorded_levels.h"

namespace xsp::analysis {
namespace {

/// Calls of libraries that stand for layers are told by their function: all of one library are of no use as a type.
uint32_t type_of(const SpanTable& spans, Row layer) {
  return spans.kind[layer] == Kind::kLibraryCall ? spans.name[layer] : spans.type[layer];
}

/// Values of all places over the evaluations, evaluation by evaluation, so that each span is read once and in order.
/// `value` takes an index in Evaluations::layers.
template <typename Value>
std::vector<double> gather(const Evaluations& all, const LayerPlaces& places, Value&& value) {
  std::vector<double> matrix(places.rows * places.joined.size());
  std::vector<double> own;
  for (size_t column = 0; column < places.joined.size(); ++column) {
    layer_values(all, places, places.joined[column], value, &own);
    for (size_t place = 0; place < places.rows; ++place) matrix[place * places.joined.size() + column] = own[place];
  }
  return matrix;
}

/// Calls `use(place, values)` with the values of each place in the evaluations that have it.
template <typename Use>
void by_place(const std::vector<double>& matrix, size_t evaluations, Use&& use) {
  std::vector<double> values;
  for (size_t first = 0; first < matrix.size(); first += evaluations) {
    values.clear();
    std::copy_if(matrix.begin() + static_cast<ptrdiff_t>(first),
                 matrix.begin() + static_cast<ptrdiff_t>(first + evaluations), std::back_inserter(values),
                 [](double value) { return value != kAbsent; });
    if (!values.empty()) use(first / evaluations, values);
  }
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// What layers are called, and how often they are there.
std::vector<JoinedLayer> name_layers(const Trace& trace, const Evaluations& all, const LayerPlaces& places) {
  const SpanTable& spans = trace.spans;
  std::vector<JoinedLayer> layers(places.rows);
  for (const uint32_t evaluation : places.joined) {
    for (size_t ordinal = 0; ordinal < all.layer_count(evaluation); ++ordinal) {
      const uint32_t place = places.of(evaluation, ordinal);
      if (place >= places.rows) continue;
      const Row row = all.layer(evaluation, ordinal);
      JoinedLayer& layer = layers[place];
      if (layer.row == kNoRow) {
        layer = {.name = trace.layer_name(row), .type = type_of(spans, row), .shape = spans.shape[row]};
        layer.row = row;
        layer.calls = places.n[place];
      }
      layer.shape_varies |= spans.shape[row] != layer.shape;
      if (trace.layer_name(row) != layer.name) layer.name = layer.type;
    }
  }
  for (JoinedLayer& layer : layers) {
    if (layer.row == kNoRow || !is_bookkeeping(trace, layer.row)) continue;
    layer.name = layer.type;
    layer.shape = 0;
    layer.shape_varies = false;
  }
  return layers;
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
                         const std::vector<uint32_t>& evaluations, const Statistic& statistic,
                         const std::vector<uint32_t>& others) {
  const SpanTable& spans = trace.spans;
  JoinedLayers joined;
  joined.places = find_layer_places(trace, all, latencies, evaluations, others);
  const LayerPlaces& places = joined.places;
  joined.joined = places.joined;
  joined.evaluations = joined.joined.size();
  if (joined.joined.empty()) return joined;

  joined.layers = name_layers(trace, all, places);
  const size_t columns = joined.evaluations;
  const auto join = [&](double JoinedLayer::*to, auto&& value) {
    by_place(gather(all, places, value), columns, [&](size_t place, std::vector<double>& values) {
      joined.layers[place].*to = evaluate(statistic, values);
    });
  };
  const auto host_ns = [&](size_t layer) { return static_cast<double>(spans.duration(all.layers[layer])); };
  const auto latency_ns = [&](size_t layer) {
    return latencies.layers.empty() ? host_ns(layer) : static_cast<double>(latencies.layers[layer].latency_ns);
  };
  by_place(gather(all, places, latency_ns), columns, [&](size_t place, std::vector<double>& values) {
    joined.layers[place].latency_ns = evaluate(statistic, values);
    joined.layers[place].spread_ns = interquartile_range(values);
  });
  by_place(gather(all, places, [](size_t) { return 1.0; }), columns,
           [&](size_t place, std::vector<double>& values) { joined.layers[place].count = mean(values); });
  if (!latencies.layers.empty()) {
    join(&JoinedLayer::host_ns, host_ns);
    join(&JoinedLayer::gpu_ns, [&](size_t layer) { return static_cast<double>(latencies.layers[layer].gpu_ns); });
    join(&JoinedLayer::kernel_ns, [&](size_t layer) { return static_cast<double>(latencies.layers[layer].kernel_ns); });
    const auto kernels = [&](size_t layer) { return static_cast<double>(latencies.layers[layer].kernels); };
    by_place(gather(all, places, kernels), columns,
             [&](size_t place, std::vector<double>& values) { joined.layers[place].kernels = mean(values); });
    if (std::none_of(joined.joined.begin(), joined.joined.end(), [&](uint32_t evaluation) {
          return records(trace, trace.process_of(all.root[evaluation]), Level::kDevice);
        })) {
      for (JoinedLayer& layer : joined.layers) layer.gpu_ns = layer.kernel_ns = layer.kernels = kUnknownValue;
    }
  }
  const auto bytes = [&](size_t layer) {
    const Row row = all.layers[layer];
    return spans.bytes[row] == SpanTable::kUnknownBytes ? kUnknownValue : static_cast<double>(spans.bytes[row]);
  };
  by_place(gather(all, places, bytes), columns, [&](size_t place, std::vector<double>& values) {
    if (std::none_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) {
      joined.layers[place].bytes = evaluate(statistic, values);
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
    const bool bookkeeping = is_bookkeeping(trace_, row);
    const Key key =
        bookkeeping ? Key(SIZE_MAX, 0, SIZE_MAX, 0, spans_.type[row])
                    : Key(group, sequence, ordinal, loose ? trace_.layer_name(row) : 0, loose ? spans_.type[row] : 0);
    const auto [found, added] = numbers_.try_emplace(key, layers_.size());
    if (added) {
      layers_.push_back({.name = bookkeeping ? spans_.type[row] : trace_.layer_name(row),
                         .type = type_of(spans_, row),
                         .row = row,
                         .shape = bookkeeping ? 0 : spans_.shape[row],
                         .spread_ns = kUnknownValue,
                         .bytes = 0.0});
      if (bookkeeping) bookkeeping_ = static_cast<uint32_t>(found->second);
    }
    members_.emplace_back(row, static_cast<uint32_t>(found->second));
    JoinedLayer& layer = layers_[found->second];
    layer.shape_varies |= !bookkeeping && layer.shape != spans_.shape[row];
    if (!bookkeeping && trace_.layer_name(row) != layer.name) layer.name = spans_.name[row];
    layer.latency_ns += latency_ns(row, number);
    ++layer.calls;
    if (!latencies_.layers.empty()) {
      const LayerLatency& sum = latencies_.layers[number];
      layer.host_ns += static_cast<double>(spans_.duration(row));
      const bool known = records(trace_, trace_.process_of(row), Level::kDevice);
      layer.gpu_ns += known ? static_cast<double>(sum.gpu_ns) : kUnknownValue;
      layer.kernel_ns += known ? static_cast<double>(sum.kernel_ns) : kUnknownValue;
      layer.kernels += known ? static_cast<double>(sum.kernels) : kUnknownValue;
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
    put_bookkeeping_last();
    joined->layers = std::move(layers_);
    joined->members = std::move(members_);
  }

 private:
  using Key = std::tuple<size_t, uint64_t, size_t, uint32_t, uint32_t>;

  void put_bookkeeping_last() {
    if (bookkeeping_ == kNoPlace) return;
    const auto last = static_cast<uint32_t>(layers_.size() - 1);
    std::rotate(layers_.begin() + bookkeeping_, layers_.begin() + bookkeeping_ + 1, layers_.end());
    for (auto& [row, layer] : members_) {
      if (layer == bookkeeping_) {
        layer = last;
      } else if (layer > bookkeeping_) {
        --layer;
      }
    }
  }

  const Trace& trace_;
  const SpanTable& spans_;
  const DeviceLatencies& latencies_;
  std::map<Key, size_t> numbers_;
  std::vector<JoinedLayer> layers_;
  std::vector<std::pair<Row, uint32_t>> members_;
  uint32_t bookkeeping_ = kNoPlace;  // in layers_
};

/// Identifies the sequence of (name, type) of an evaluation's layers but for bookkeeping, by FNV-1a over them.
uint64_t sequence_of(const Trace& trace, const Evaluations& all, uint32_t evaluation) {
  const SpanTable& spans = trace.spans;
  const bool by_type = spans.kind[all.root[evaluation]] == kIterationKind;
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < all.layer_count(evaluation); ++i) {
    const Row layer = all.layer(evaluation, i);
    if (is_bookkeeping(trace, layer)) continue;
    const bool is_named = !by_type || spans.type[layer] == 0;
    hash = (hash ^ (uint64_t{is_named ? spans.name[layer] : 0} << 32 | spans.type[layer])) * 1099511628211u;
  }
  return hash;
}

}  // namespace

JoinedLayers total_layers(const Trace& trace, const Evaluations& all, const DeviceLatencies& latencies,
                          const std::vector<uint32_t>& groups, const std::function<bool(Row)>& is_wanted) {
  JoinedLayers joined;
  Totals totals(trace, latencies);
  for (const uint32_t group : groups) {
    for (const uint32_t evaluation : all.groups[group].evaluations) {
      ++joined.evaluations;
      joined.joined.push_back(evaluation);
      const uint64_t sequence = sequence_of(trace, all, evaluation);
      size_t ordinal = 0;
      for (size_t i = 0; i < all.layer_count(evaluation); ++i) {
        const Row row = all.layer(evaluation, i);
        totals.add(group, sequence, ordinal, row, all.first_layer[evaluation] + i);
        ordinal += is_bookkeeping(trace, row) ? 0 : 1;
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
  for (const auto& [row, layer] : joined->members) {
    joined->layers[layer].*to += static_cast<double>(ns[all.number[row]]);
  }
  if (joined->joined.empty() || !joined->members.empty()) return;
  const auto value = [&](size_t layer) { return static_cast<double>(ns[layer]); };
  by_place(gather(all, joined->places, value), joined->joined.size(),
           [&](size_t place, std::vector<double>& values) { joined->layers[place].*to = evaluate(statistic, values); });
}

}  // namespace xsp::analysis
