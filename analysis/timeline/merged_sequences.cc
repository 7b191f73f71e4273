#include "analysis/timeline/merged_sequences.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace xsp::analysis {
namespace {

/// Twice the median of the lengths.
size_t twice_median_length(const std::vector<CountedSequence>& sequences) {
  std::vector<std::pair<size_t, size_t>> lengths;
  size_t all = 0;
  for (const CountedSequence& sequence : sequences) {
    lengths.emplace_back(sequence.places.size(), sequence.count);
    all += sequence.count;
  }
  std::sort(lengths.begin(), lengths.end());
  const auto length_at = [&](size_t number) {
    for (const auto& [length, count] : lengths) {
      if (number < count) return length;
      number -= count;
    }
    return size_t{0};
  };
  return all == 0 ? 0 : length_at((all - 1) / 2) + length_at(all / 2);
}

size_t reference_of(const std::vector<CountedSequence>& sequences) {
  const size_t twice_median = twice_median_length(sequences);
  const auto distance = [&](const CountedSequence& sequence) {
    const size_t twice = 2 * sequence.places.size();
    return twice < twice_median ? twice_median - twice : twice - twice_median;
  };
  // An empty one has nothing in common with any other.
  const auto found =
      std::min_element(sequences.begin(), sequences.end(), [&](const CountedSequence& a, const CountedSequence& b) {
        if (a.places.empty() != b.places.empty()) return b.places.empty();
        return a.count != b.count ? a.count > b.count : distance(a) < distance(b);
      });
  return static_cast<size_t>(found - sequences.begin());
}

class Merge {
 public:
  Merge(const std::vector<CountedSequence>& sequences, Renamed renamed) : sequences_(sequences), renamed_(renamed) {}

  MergedSequences run() {
    const size_t count = sequences_.size();
    merged_.slots.resize(count);
    merged_.left_out.assign(count, 0);
    if (count == 0) return std::move(merged_);
    merged_.reference = reference_of(sequences_);
    take_reference();
    for (const size_t sequence : by_frequency()) add(sequence);
    sort_slots();
    return std::move(merged_);
  }

 private:
  /// Where what only some sequences have stands: behind a place of the reference (0: before all, else 1 + place), the
  /// n-th of its key there.
  using Extra = std::tuple<uint32_t, uint64_t, uint32_t>;

  struct Slot {
    uint32_t behind = 0;  // as in Extra; of the reference its own place
    uint32_t order = 0;   // among those behind one place; 0: the reference's
    bool is_alternative = false;
  };

  const std::vector<SequencePlace>& reference() const { return sequences_[merged_.reference].places; }

  void take_reference() {
    const auto length = static_cast<uint32_t>(reference().size());
    auto& own = merged_.slots[merged_.reference];
    own.resize(length);
    std::iota(own.begin(), own.end(), 0u);
    for (uint32_t i = 0; i < length; ++i) slots_.push_back({.behind = i + 1});
    merged_.n.assign(length, sequences_[merged_.reference].count);
    merged_.first.assign(length, static_cast<uint32_t>(merged_.reference));
    counted_ = sequences_[merged_.reference].count;
  }

  std::vector<size_t> by_frequency() const {
    std::vector<size_t> order(sequences_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::erase(order, merged_.reference);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return sequences_[a].count > sequences_[b].count; });
    return order;
  }

  /// Of sequences alike but for their keys there is nothing to align.
  bool has_kinds_of_reference(const std::vector<SequencePlace>& places) const {
    return renamed_ == Renamed::kSame &&
           std::equal(places.begin(), places.end(), reference().begin(), reference().end(),
                      [](const SequencePlace& a, const SequencePlace& b) { return a.kind == b.kind; });
  }

  void add(size_t sequence) {
    const auto& places = sequences_[sequence].places;
    auto& slots = merged_.slots[sequence];
    slots.assign(places.size(), kNoPlace);
    if (has_kinds_of_reference(places)) {
      std::iota(slots.begin(), slots.end(), 0u);
      count(sequence);
      return;
    }
    if (steps_ > kMaxAlignmentSteps) {
      merged_.left_out[sequence] = 1;
      ++merged_.not_aligned;
      return;
    }
    const std::vector<AlignedPlace> aligned = align_sequences(reference(), places);
    const auto is_shared = [&](const AlignedPlace& place) {
      return place.a != kNoPlace && place.b != kNoPlace &&
             (place.how != Alignment::kRenamed || renamed_ == Renamed::kSame);
    };
    const auto shared = static_cast<size_t>(std::count_if(aligned.begin(), aligned.end(), is_shared));
    const size_t both = reference().size() + places.size();
    steps_ += both * (1 + std::min<uint64_t>(both - 2 * shared, 4000));
    const bool alike = 2 * shared >= std::max(reference().size(), places.size());
    merged_.left_out[sequence] = alike ? 0 : 1;
    const bool adds = alike && sequences_[sequence].count != 0;
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> seen;
    uint32_t behind = 0;
    for (const AlignedPlace& place : aligned) {
      if (place.b == kNoPlace) continue;
      if (is_shared(place)) {
        slots[place.b] = place.a;
        if (place.how != Alignment::kMoved) behind = place.a + 1;
        continue;
      }
      const uint64_t what = renamed_ == Renamed::kSame ? places[place.b].kind : places[place.b].key;
      const Extra extra(behind, what, seen[{behind, what}]++);
      slots[place.b] = slot_of(extra, place.how == Alignment::kRenamed, adds, sequence);
    }
    if (alike) count(sequence);
  }

  uint32_t slot_of(const Extra& extra, bool is_alternative, bool adds, size_t sequence) {
    const auto found = extras_.find(extra);
    if (found != extras_.end()) return found->second;
    if (!adds) return kNoPlace;
    const auto slot = static_cast<uint32_t>(slots_.size());
    extras_.emplace(extra, slot);
    slots_.push_back({std::get<0>(extra), slot, is_alternative});
    merged_.n.push_back(0);
    merged_.first.push_back(static_cast<uint32_t>(sequence));
    return slot;
  }

  void count(size_t sequence) {
    const size_t own = sequences_[sequence].count;
    if (own == 0) return;
    counted_ += own;
    for (const uint32_t slot : merged_.slots[sequence]) merged_.n[slot] += own;
  }

  bool is_row(uint32_t slot) const {
    const size_t twice = 2 * merged_.n[slot];
    return merged_.n[slot] != 0 && (twice > counted_ || (twice == counted_ && !slots_[slot].is_alternative));
  }

  void sort_slots() {
    std::vector<uint32_t> order(slots_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      if (is_row(a) != is_row(b)) return is_row(a);
      return std::tie(slots_[a].behind, slots_[a].order) < std::tie(slots_[b].behind, slots_[b].order);
    });
    std::vector<uint32_t> sorted(order.size());
    std::vector<size_t> n(order.size());
    std::vector<uint32_t> first(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
      sorted[order[i]] = i;
      n[i] = merged_.n[order[i]];
      first[i] = merged_.first[order[i]];
      merged_.rows += is_row(order[i]) ? 1 : 0;
    }
    for (auto& slots : merged_.slots) {
      for (uint32_t& slot : slots) {
        if (slot != kNoPlace) slot = sorted[slot];
      }
    }
    merged_.n = std::move(n);
    merged_.first = std::move(first);
  }

  const std::vector<CountedSequence>& sequences_;
  Renamed renamed_;
  MergedSequences merged_;
  std::vector<Slot> slots_;
  std::map<Extra, uint32_t> extras_;
  size_t counted_ = 0;  // of the sequences that are not left out
  uint64_t steps_ = 0;
};

}  // namespace

MergedSequences merge_sequences(const std::vector<CountedSequence>& sequences, Renamed renamed) {
  return Merge(sequences, renamed).run();
}

}  // namespace xsp::analysis
