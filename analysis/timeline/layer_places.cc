#include "analysis/timeline/layer_places.h"

#include <algorithm>
#include <map>

#include "analysis/timeline/bookkeeping_operators.h"
#include "analysis/timeline/iteration_kind.h"
#include "analysis/timeline/merged_sequences.h"

namespace xsp::analysis {
namespace {

/// A layer without executions that takes less is no difference between evaluations: the resolution of profiles' clocks,
/// or this share of the evaluation.
constexpr double kTrivialNs = 1000;
constexpr double kTrivialShare = 1e-4;

/// Layers by what distinguishes them, computed once for each different (name, type).
class LayerKeys {
 public:
  LayerKeys(const Trace& trace, const Evaluations& all) : trace_(trace), spans_(trace.spans), all_(all) {}

  /// (name, type), of an iteration the type alone where it has one.
  SequencePlace of(uint32_t evaluation, Row layer) const {
    const bool by_type = spans_.kind[all_.root[evaluation]] == kIterationKind && spans_.type[layer] != 0;
    const SequencePlace place = layer_place(by_type ? 0 : spans_.name[layer], spans_.type[layer]);
    return {place.key, place.key};
  }

  bool is_bookkeeping(Row layer) {
    const uint32_t type = spans_.type[layer];
    if (type >= bookkeeping_.size()) bookkeeping_.resize(type + size_t{1}, kNotAsked);
    if (bookkeeping_[type] == kNotAsked) bookkeeping_[type] = trace_.text(type) == kBookkeeping ? kYes : kNo;
    return bookkeeping_[type] == kYes;
  }

 private:
  enum : uint8_t { kNotAsked, kNo, kYes };

  const Trace& trace_;
  const SpanTable& spans_;
  const Evaluations& all_;
  std::vector<uint8_t> bookkeeping_;  // by string id of the type
};

uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 1099511628211u; }

constexpr uint64_t kHashBegin = 14695981039346656037u;  // FNV-1a
constexpr uint64_t kBookkeepingKey = UINT64_MAX;

class LayerPlaceSearch {
 public:
  LayerPlaceSearch(const Trace& trace, const Evaluations& all, const DeviceLatencies& latencies)
      : trace_(trace), spans_(trace.spans), all_(all), latencies_(latencies), keys_(trace, all) {}

  LayerPlaces run(const std::vector<uint32_t>& evaluations, const std::vector<uint32_t>& others) {
    for (const uint32_t evaluation : evaluations) add(evaluation, 1);
    for (const uint32_t evaluation : others) add(evaluation, 0);
    std::vector<CountedSequence> sequences;
    for (const Alike& alike : alike_) sequences.push_back({places_of(alike.first), alike.count});
    merged_ = merge_sequences(sequences, Renamed::kSame);
    take_places();
    find_differences(sequences);
    choose(evaluations);
    measure_left_out();
    return std::move(found_);
  }

 private:
  /// Evaluations whose layers but for bookkeeping are the same.
  struct Alike {
    uint32_t first = 0;
    size_t count = 0;
    bool differs = false;  // from the reference, in what takes time
  };

  /// Evaluations with equal sequences of layers and bookkeeping.
  struct Shape {
    uint32_t first = 0;
    uint32_t alike = 0;
    size_t count = 0;
    bool is_reordered = false;  // the layers are those of its Alike in another order
  };

  void add(uint32_t evaluation, size_t count) {
    const size_t layers = all_.layer_count(evaluation);
    if (layers == 0) {
      found_.without_layers += count;
      return;
    }
    uint64_t all = kHashBegin;
    uint64_t without_bookkeeping = kHashBegin;
    for (size_t i = 0; i < layers; ++i) {
      const Row layer = all_.layer(evaluation, i);
      if (keys_.is_bookkeeping(layer)) {
        all = mix(all, kBookkeepingKey);
        continue;
      }
      const uint64_t kind = keys_.of(evaluation, layer).kind;
      all = mix(all, kind);
      without_bookkeeping = mix(without_bookkeeping, kind);
    }
    const auto [same, is_new] = alike_by_hash_.try_emplace(without_bookkeeping, static_cast<uint32_t>(alike_.size()));
    if (is_new) same->second = alike_of_new_order(evaluation);
    alike_[same->second].count += count;
    const auto [shape, is_new_shape] = shape_by_hash_.try_emplace(all, static_cast<uint32_t>(shapes_.size()));
    if (is_new_shape) {
      shapes_.push_back({.first = evaluation, .alike = same->second});
      const uint32_t first = alike_[same->second].first;
      shapes_.back().is_reordered =
          first != evaluation && uses_other_threads(evaluation) && !have_same_order(evaluation, first);
    }
    shapes_[shape->second].count += count;
    found_.sequence_of[evaluation] = shape->second;
  }

  /// Layers that several threads run begin in another order each time. Where no two layers of an evaluation have the
  /// same name and type, the order is no difference between evaluations.
  uint32_t alike_of_new_order(uint32_t evaluation) {
    const auto own = static_cast<uint32_t>(alike_.size());
    if (uses_other_threads(evaluation)) {
      std::vector<uint64_t> kinds;
      for (const SequencePlace& place : places_of(evaluation)) kinds.push_back(place.kind);
      std::sort(kinds.begin(), kinds.end());
      if (std::adjacent_find(kinds.begin(), kinds.end()) == kinds.end()) {
        const auto [found, is_new] = alike_by_set_.try_emplace(std::move(kinds), own);
        if (!is_new) return found->second;
      }
    }
    alike_.push_back({.first = evaluation});
    return own;
  }

  bool uses_other_threads(uint32_t evaluation) const {
    const auto track = [&](Row row) { return spans_.track[row]; };
    const uint32_t caller = track(all_.root[evaluation]);
    for (size_t i = 0; i < all_.layer_count(evaluation); ++i) {
      if (track(all_.layer(evaluation, i)) != caller) return true;
    }
    return false;
  }

  bool have_same_order(uint32_t a, uint32_t b) {
    const std::vector<SequencePlace> places_of_a = places_of(a);
    const std::vector<SequencePlace> places_of_b = places_of(b);
    return std::equal(places_of_a.begin(), places_of_a.end(), places_of_b.begin(), places_of_b.end(),
                      [](const SequencePlace& x, const SequencePlace& y) { return x.kind == y.kind; });
  }

  /// The slots of an evaluation's layers but bookkeeping, in its own order.
  std::vector<uint32_t> slots_of(const Shape& shape) {
    const auto& slots = merged_.slots[shape.alike];
    if (!shape.is_reordered) return {slots.begin(), slots.end()};
    std::unordered_map<uint64_t, uint32_t> slot_of;
    size_t next = 0;
    for (const SequencePlace& place : places_of(alike_[shape.alike].first)) slot_of[place.kind] = slots[next++];
    std::vector<uint32_t> own;
    for (const SequencePlace& place : places_of(shape.first)) own.push_back(slot_of.at(place.kind));
    return own;
  }

  std::vector<SequencePlace> places_of(uint32_t evaluation) {
    std::vector<SequencePlace> places;
    places.reserve(all_.layer_count(evaluation));
    for (size_t i = 0; i < all_.layer_count(evaluation); ++i) {
      const Row layer = all_.layer(evaluation, i);
      if (!keys_.is_bookkeeping(layer)) places.push_back(keys_.of(evaluation, layer));
    }
    return places;
  }

  /// The row of bookkeeping is behind the others, and moves what is no row.
  void take_places() {
    const bool has_bookkeeping = is_any_bookkeeping();
    const auto bookkeeping = static_cast<uint32_t>(merged_.rows);
    found_.rows = merged_.rows + (has_bookkeeping ? 1 : 0);
    found_.n = merged_.n;
    if (has_bookkeeping) found_.n.insert(found_.n.begin() + bookkeeping, 0);
    for (const Shape& shape : shapes_) {
      auto& places = found_.places.emplace_back();
      places.reserve(all_.layer_count(shape.first));
      const std::vector<uint32_t> slots = slots_of(shape);
      size_t next = 0;
      for (size_t i = 0; i < all_.layer_count(shape.first); ++i) {
        if (keys_.is_bookkeeping(all_.layer(shape.first, i))) {
          places.push_back(has_bookkeeping ? bookkeeping : kNoPlace);
          continue;
        }
        const uint32_t slot = slots[next++];
        const bool moves = has_bookkeeping && slot != kNoPlace && slot >= bookkeeping;
        places.push_back(moves ? slot + 1 : slot);
      }
    }
  }

  bool is_any_bookkeeping() {
    return std::any_of(shapes_.begin(), shapes_.end(), [&](const Shape& shape) {
      if (shape.count == 0 || merged_.left_out[shape.alike] != 0) return false;
      for (size_t i = 0; i < all_.layer_count(shape.first); ++i) {
        if (keys_.is_bookkeeping(all_.layer(shape.first, i))) return true;
      }
      return false;
    });
  }

  bool is_trivial(uint32_t evaluation, size_t index) const {
    const auto host_ns = static_cast<double>(spans_.duration(all_.layers[index]));
    const auto whole_ns = static_cast<double>(spans_.duration(all_.root[evaluation]));
    if (host_ns > std::max(kTrivialNs, kTrivialShare * whole_ns)) return false;
    return latencies_.layers.empty() || (latencies_.layers[index].kernels == 0 &&
                                         static_cast<double>(latencies_.layers[index].latency_ns) == host_ns);
  }

  /// Index in Evaluations::layers of each layer of an evaluation but bookkeeping.
  std::vector<size_t> indices_of(uint32_t evaluation) {
    std::vector<size_t> indices;
    for (size_t i = 0; i < all_.layer_count(evaluation); ++i) {
      const size_t index = all_.first_layer[evaluation] + i;
      if (!keys_.is_bookkeeping(all_.layers[index])) indices.push_back(index);
    }
    return indices;
  }

  void find_differences(const std::vector<CountedSequence>& sequences) {
    if (alike_.size() < 2) return;
    const std::vector<size_t> reference = indices_of(alike_[merged_.reference].first);
    const auto& slots_of_reference = merged_.slots[merged_.reference];
    const std::vector<uint32_t> reference_slots(slots_of_reference.begin(), slots_of_reference.end());
    std::vector<uint8_t> has(merged_.n.size());
    for (size_t i = 0; i < alike_.size(); ++i) {
      if (i == merged_.reference || merged_.left_out[i] != 0) continue;
      const std::vector<size_t> own = indices_of(alike_[i].first);
      const auto& slots = merged_.slots[i];
      std::fill(has.begin(), has.end(), 0);
      for (const uint32_t slot : slots) {
        if (slot != kNoPlace) has[slot] = 1;
      }
      for (size_t k = 0; k < reference_slots.size() && !alike_[i].differs; ++k) {
        alike_[i].differs = has[reference_slots[k]] == 0 && !is_trivial(alike_[merged_.reference].first, reference[k]);
      }
      for (const uint32_t slot : reference_slots) has[slot] = 2;
      uint32_t behind = 0;  // the last row so far: one before it was moved
      for (size_t k = 0; k < slots.size() && !alike_[i].differs; ++k) {
        const bool is_shared = slots[k] != kNoPlace && has[slots[k]] == 2;
        const bool is_moved = slots[k] < behind;
        alike_[i].differs = (!is_shared || is_moved) && !is_trivial(alike_[i].first, own[k]);
        if (slots[k] < merged_.rows) behind = std::max(behind, slots[k]);
      }
    }
    tell_first_difference(sequences);
  }

  void tell_first_difference(const std::vector<CountedSequence>& sequences) {
    size_t other = SIZE_MAX;
    for (size_t i = 0; i < alike_.size(); ++i) {
      if (alike_[i].count == 0 || (merged_.left_out[i] == 0 && !alike_[i].differs)) continue;
      const bool better = other == SIZE_MAX || (merged_.left_out[i] != 0 && merged_.left_out[other] == 0);
      if (better) other = i;
    }
    if (other == SIZE_MAX) return;
    const auto& a = sequences[merged_.reference].places;
    const auto& b = sequences[other].places;
    size_t& place = found_.first_difference;
    while (place < std::min(a.size(), b.size()) && a[place].key == b[place].key) ++place;
  }

  void choose(const std::vector<uint32_t>& evaluations) {
    for (const uint32_t evaluation : evaluations) {
      const auto shape = found_.sequence_of.find(evaluation);
      if (shape == found_.sequence_of.end()) continue;
      const Shape& own = shapes_[shape->second];
      if (merged_.left_out[own.alike] != 0) {
        ++found_.diverging;
        continue;
      }
      found_.joined.push_back(evaluation);
      if (!alike_[own.alike].differs) found_.same.push_back(evaluation);
      if (found_.rows != merged_.rows) count_bookkeeping(shape->second);
    }
    found_.not_aligned = merged_.not_aligned;
  }

  void count_bookkeeping(uint32_t shape) {
    const auto& places = found_.places[shape];
    const auto row = static_cast<uint32_t>(merged_.rows);
    found_.n[row] += std::find(places.begin(), places.end(), row) != places.end() ? 1 : 0;
  }

  void measure_left_out() {
    for (size_t place = found_.rows; place < found_.n.size(); ++place) found_.left_out += found_.n[place] != 0 ? 1 : 0;
    if (found_.left_out == 0) return;
    for (const uint32_t evaluation : found_.joined) {
      for (size_t i = 0; i < all_.layer_count(evaluation); ++i) {
        if (found_.of(evaluation, i) < found_.rows) continue;
        const size_t index = all_.first_layer[evaluation] + i;
        found_.left_out_ns += static_cast<double>(latencies_.layers.empty() ? spans_.duration(all_.layers[index])
                                                                            : latencies_.layers[index].latency_ns);
      }
    }
    found_.left_out_ns /= static_cast<double>(found_.joined.size());
  }

  const Trace& trace_;
  const SpanTable& spans_;
  const Evaluations& all_;
  const DeviceLatencies& latencies_;
  LayerKeys keys_;
  std::vector<Alike> alike_;
  std::vector<Shape> shapes_;
  std::unordered_map<uint64_t, uint32_t> alike_by_hash_;
  std::map<std::vector<uint64_t>, uint32_t> alike_by_set_;  // by sorted kinds, none of which is there twice
  std::unordered_map<uint64_t, uint32_t> shape_by_hash_;
  MergedSequences merged_;
  LayerPlaces found_;
};

}  // namespace

LayerPosition position_of(const Evaluations& all, Row layer) {
  if (layer == kNoRow || all.number[layer] >= all.layers.size()) return {};
  const size_t number = all.number[layer];
  const auto next = std::upper_bound(all.first_layer.begin(), all.first_layer.end(), number);
  const auto evaluation = static_cast<uint32_t>(next - all.first_layer.begin() - 1);
  return {evaluation, static_cast<uint32_t>(number - all.first_layer[evaluation])};
}

bool is_bookkeeping(const Trace& trace, Row layer) { return trace.text(trace.spans.type[layer]) == kBookkeeping; }

LayerPlaces find_layer_places(const Trace& trace, const Evaluations& all, const DeviceLatencies& latencies,
                              const std::vector<uint32_t>& evaluations, const std::vector<uint32_t>& others) {
  return LayerPlaceSearch(trace, all, latencies).run(evaluations, others);
}

}  // namespace xsp::analysis
