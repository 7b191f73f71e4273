#include "analysis/mining/pattern_track.h"

#include <algorithm>
#include <optional>

namespace xsp::analysis {
namespace {

constexpr uint32_t kMostDeviations = 160;  // in a row, without an agreement between
constexpr uint32_t kDeviations = 48;       // of these, whatever the pattern's size
constexpr uint32_t kLongestExtra = 64;     // operations after an iteration that are a deviation of it
constexpr uint32_t kFirstCredit = 24;
constexpr uint32_t kEdge = 96;         // operations at the edge of a stretch that are aligned one by one
constexpr uint32_t kBridged = 128;     // operations of a gap that are
constexpr uint32_t kEdgeShare = 10;    // of a pattern: an iteration beside foreign operations may lack as much
constexpr uint32_t kAgreement = 12;    // operations that end a deviation
constexpr uint32_t kProof = 24;        // operations that begin a stretch
constexpr uint32_t kProofWindow = 64;  // of which most agree, begins one too

class Follower {
 public:
  Follower(const CyclicPattern& pattern, std::span<const Symbol> symbols, OperationRange range,
           const TrackOptions& options)
      : pattern_(pattern), symbols_(symbols), range_(range), options_(options), size_(pattern.size()) {}

  PatternTrack run() {
    uint32_t from = range_.begin;
    while (acquire(from)) {
      follow();
      from = std::max(position_, from + 1);
    }
    if (is_open_) close_stretch(range_.end);
    return std::move(track_);
  }

 private:
  struct Place {
    uint32_t position, phase;
  };

  uint32_t phase() const { return static_cast<uint32_t>(cycle_phase_); }

  // The next place from which the sequence agrees with the pattern; opens a stretch there, or goes on with the open
  // one.
  bool acquire(uint32_t from) {
    const uint32_t run = pattern_.run();
    if (range_.end < run) return false;
    for (uint32_t i = from; i + run <= range_.end; ++i) {
      const Symbol* here = symbols_.data() + i;
      std::optional<uint32_t> best;
      uint32_t best_agreement = 0;
      for (const uint32_t candidate : pattern_.phases(pattern_.hash(here))) {
        const uint32_t agreement = agreeing(i, candidate);
        if (agreement >= run && agreement > best_agreement) {
          best = candidate;
          best_agreement = agreement;
        }
      }
      if (!best || !is_proof(i, *best, best_agreement)) continue;
      enter({i, *best});
      return true;
    }
    return false;
  }

  uint32_t agreeing(uint32_t position, uint32_t phase) const {
    return common_prefix(symbols_.data() + position, pattern_.at(phase),
                         std::min(range_.end - position, CyclicPattern::kAhead));
  }

  bool is_proof(uint32_t position, uint32_t phase, uint32_t agreement) {
    if (agreement >= std::min(kProof, size_ + size_ / 2)) return true;
    if (size_ < 8) return false;
    uint32_t matched = 0, x = position, y = phase;
    const uint32_t end = std::min(range_.end, position + kProofWindow);
    while (x < end) {
      const uint32_t agree = common_prefix(symbols_.data() + x, pattern_.at(y), end - x);
      matched += agree;
      x += agree;
      y = (y + agree) % size_;
      if (x >= end) break;
      if (!way_.find(symbols_.subspan(x, end - x), pattern_.at(y), CyclicPattern::kAhead, 32, 4)) break;
      const MatchedBlock& last = way_.blocks().back();
      for (const MatchedBlock& block : way_.blocks()) matched += block.size;
      x += last.position + last.size;
      y = (y + last.phase + last.size) % size_;
    }
    return matched >= kProofWindow * 6 / 10;
  }

  // Goes on from the place: with the iteration that was being followed if the place is within it or at the begin of
  // the next, else with a new stretch.
  void enter(Place place) {
    if (is_open_) {
      // A pattern with repeats in it can be entered at the wrong one; what comes after them tells which.
      const uint32_t skipped = (place.phase + size_ - phase()) % size_;
      const bool is_misled = stretch_.iterations == 0 && skipped > kFirstCredit;
      if (!is_misled && bridge(place, skipped)) return;
      if (is_misled && !is_complete_) {
        is_open_ = false;
        if (options_.blocks != nullptr) options_.blocks->resize(blocks_before_);
      } else {
        close_stretch(place.position);
      }
    }
    // Back as far as they agree.
    const uint32_t least = track_.stretches.empty() ? range_.begin : track_.stretches.back().range.end;
    while (place.position > least) {
      const uint32_t before = (place.phase + size_ - 1) % size_;
      if (symbols_[place.position - 1] == pattern_.symbols()[before]) {
        --place.position;
        place.phase = before;
      } else if (!skip_back(place, least)) {
        if (options_.are_edges_aligned) extend_begin(place, least);
        break;
      }
    }
    is_open_ = true;
    if (options_.blocks != nullptr) blocks_before_ = options_.blocks->size();
    credit_ = kFirstCredit;
    stretch_ = {};
    stretch_.range.begin = place.position;
    stretch_.begin_phase = place.phase;
    stretch_.first_iteration = static_cast<uint32_t>(track_.iterations.size());
    position_ = place.position;
    cycle_phase_ = place.phase;
    begin_.reset();
    if (place.phase == 0) {
      open_iteration(place.position);
    } else {
      complete_begin(place, least);
      if (begin_) {
        stretch_.range.begin = *begin_;
        stretch_.begin_phase = 0;
      }
    }
  }

  // Goes on with the open stretch, where what lies between looks like deviations of one iteration or two.
  bool bridge(const Place& place, uint32_t skipped) {
    const uint32_t gap = place.position - position_;
    if (gap > std::max(size_ + size_ / 2, 64u)) return false;
    // If about as much stands there as in a whole iteration, it is a deviating one.
    const uint32_t missing = gap >= skipped + size_ / 2 ? skipped + size_ : skipped;
    const bool is_small = gap <= std::max(size_, 64u) && skipped <= size_ / 2;
    if (std::max(gap, missing) > kBridged) {
      if (is_small) advance_to(place.position, skipped);
      return is_small;
    }
    dense_.join(symbols_.subspan(position_, gap), {pattern_.at(phase()), missing});
    uint32_t matched = 0;
    for (const MatchedBlock& block : dense_.blocks()) matched += block.size;
    const bool is_alike = matched * 2 > std::max(gap, missing);
    if (!is_alike && !is_small) return false;
    if (!is_alike && missing > skipped) {
      advance_to(place.position, skipped);
      return true;
    }
    advance_to(place.position, missing - walk(dense_.blocks()));
    return true;
  }

  // Along what matched from here; returns how far in the pattern that is.
  uint32_t walk(const std::vector<MatchedBlock>& blocks) {
    const uint32_t from = position_;
    uint32_t walked = 0;
    for (const MatchedBlock& block : blocks) {
      if (block.size == 0) continue;
      advance_to(from + block.position, block.phase - walked);
      match(block.size);
      walked = block.phase + block.size;
    }
    return walked;
  }

  // Operations and pattern before a place, backwards.
  void read_back(const Place& place, uint32_t size, uint32_t pattern_size) {
    backwards_.resize(size);
    for (uint32_t i = 0; i < size; ++i) backwards_[i] = symbols_[place.position - 1 - i];
    backwards_pattern_.resize(pattern_size);
    uint32_t phase = place.phase;
    for (uint32_t i = 0; i < pattern_size; ++i) {
      phase = (phase == 0 ? size_ : phase) - 1;
      backwards_pattern_[i] = pattern_.symbols()[phase];
    }
  }

  // Over a deviation, backwards.
  bool skip_back(Place& place, uint32_t least) {
    const uint32_t size = std::min(place.position - least, 4 * kAgreement);
    if (size < kAgreement) return false;
    read_back(place, size, 4 * kAgreement);
    if (!way_.find(backwards_, backwards_pattern_.data(), 4 * kAgreement, kAgreement, 8)) return false;
    const MatchedBlock& last = way_.blocks().back();
    if (last.size < 8) return false;
    go_back(place, last);
    return true;
  }

  // Back over deviations to where the stretch begins.
  void extend_begin(Place& place, uint32_t least) {
    read_back(place, std::min(place.position - least, kEdge), kEdge);
    dense_.extend(backwards_, backwards_pattern_);
    if (!dense_.blocks().empty()) go_back(place, dense_.blocks().back());
  }

  void go_back(Place& place, const MatchedBlock& last) const {
    const uint32_t walked = last.phase + last.size;
    place.position -= last.position + last.size;
    place.phase = (place.phase + size_ * (walked / size_ + 1) - walked) % size_;
  }

  // On over deviations to where the stretch ends.
  void extend_end(uint32_t limit) {
    dense_.extend(symbols_.subspan(position_, std::min(limit - position_, kEdge)), {pattern_.at(phase()), kEdge});
    walk(dense_.blocks());
  }

  // Whether an iteration is whole though it lacks `lacking` operations, where `foreign` ones stand between it and
  // `limit`. The end of the sequence cuts an iteration if fewer stand there than are lacking.
  bool may_lack(uint32_t lacking, uint32_t matched, uint32_t foreign, bool is_limit_of_sequence) const {
    if (lacking * 2 > size_) return false;
    if (is_limit_of_sequence && foreign < lacking) return lacking - foreign <= options_.tail_tolerance;
    if (lacking <= kEdge / 4 && matched * 2 > lacking) return true;
    const uint32_t allowed = options_.are_edges_aligned ? std::max(size_ / kEdgeShare, 1u) : options_.tail_tolerance;
    return lacking - matched <= allowed;
  }

  // The first operations of the first iteration, where they deviate.
  void complete_begin(const Place& place, uint32_t least) {
    const uint32_t lacking = place.phase;
    EdgeAlignment edge;
    if (lacking <= kEdge / 2) {
      read_back(place, std::min(place.position - least, lacking + lacking / 2), lacking);
      edge = align_edge(backwards_, backwards_pattern_);
    }
    if (!may_lack(lacking, edge.matches, place.position - least, least == range_.begin)) return;
    begin_ = place.position - edge.end;
    matched_ = edge.matches;
    stretch_.matched += edge.matches;
  }

  // The last operations of the last iteration, where they deviate.
  void complete_end(uint32_t limit) {
    if (!begin_ || is_complete_) return;
    const uint32_t lacking = size_ - phase();
    EdgeAlignment edge;
    if (lacking <= kEdge / 2) {
      const uint32_t size = std::min(limit - position_, lacking + lacking / 2);
      edge = align_edge(symbols_.subspan(position_, size), std::span(pattern_.symbols()).subspan(phase()));
    }
    if (!may_lack(lacking, edge.matches, limit - position_, limit == range_.end)) return;
    position_ += edge.end;
    matched_ += edge.matches;
    stretch_.matched += edge.matches;
    cycle_phase_ = 0;
    last_end_ = position_;
    is_complete_ = true;
  }

  void follow() {
    while (true) {
      const uint32_t agree = agreeing(position_, phase());
      if (agree > 0) match(agree);
      if (position_ >= range_.end) return;
      if (agree == CyclicPattern::kAhead) continue;
      const uint32_t window = std::min(range_.end - position_, CyclicPattern::kAhead);
      const Symbol* ahead = pattern_.at(phase());
      if (!way_.find(symbols_.subspan(position_, window), ahead, CyclicPattern::kAhead, credit_, kAgreement)) {
        return;
      }
      credit_ -= std::min(credit_, way_.distance());
      walk(way_.blocks());
      if (way_.blocks().back().size == 0) return;  // the sequence ends in a deviation
    }
  }

  void match(uint32_t size) {
    if (options_.blocks != nullptr) options_.blocks->push_back({position_, phase(), size});
    stretch_.matched += size;
    credit_ = std::min(std::min(kMostDeviations, kDeviations + size_ / 2), credit_ + size);
    if (is_complete_) next_iteration(position_);
    while (size > 0) {
      if (cycle_phase_ == 0 && !begin_) open_iteration(position_);
      const uint32_t step = std::min(size, size_ - phase());
      matched_ += step;
      position_ += step;
      cycle_phase_ += step;
      size -= step;
      if (cycle_phase_ == size_) {
        is_complete_ = true;  // ends where the next begins
        cycle_phase_ = 0;
        last_end_ = position_;
        if (size > 0) next_iteration(position_);
      }
    }
  }

  // To a place with `skipped` operations of the pattern missing before it.
  void advance_to(uint32_t position, uint32_t skipped) {
    const uint32_t inserted = position - position_;
    if (is_complete_) {
      // At a boundary, what replaces missing operations of the next iteration belongs to that one. A lot between two
      // iterations belongs to neither.
      const uint32_t begin = position - std::min(inserted, skipped);
      if (begin_) emit(begin - last_end_ > std::max(kLongestExtra, size_ / 4) ? last_end_ : begin);
      open_iteration(begin);
    } else if (cycle_phase_ + skipped >= size_) {
      const auto after = static_cast<uint32_t>(cycle_phase_ + skipped - size_);
      last_end_ = position - std::min(inserted, after);
      next_iteration(last_end_);
    }
    cycle_phase_ = (cycle_phase_ + skipped) % size_;
    position_ = position;
  }

  void open_iteration(uint32_t position) {
    begin_ = position;
    matched_ = 0;
    is_complete_ = false;
  }

  void next_iteration(uint32_t position) {
    if (begin_) emit(position);
    open_iteration(position);
  }

  void emit(uint32_t end) {
    const uint32_t size = end - *begin_;
    if (matched_ * 5 < size_ * 2) return;
    track_.iterations.push_back({*begin_, end, size - matched_, size_ - matched_});
    track_.deviations += size - matched_ + size_ - matched_;
    ++stretch_.iterations;
  }

  // Before `limit`, where the next begins.
  void close_stretch(uint32_t limit) {
    if (options_.are_edges_aligned) extend_end(limit);
    complete_end(limit);
    if (is_complete_ && begin_) emit(last_end_);
    trim();
    is_complete_ = false;
    begin_.reset();
    stretch_.range.end = position_;
    stretch_.end_phase = phase();
    track_.matched += stretch_.matched;
    track_.stretches.push_back(stretch_);
    is_open_ = false;
  }

  // What looks like a repeat at an edge by chance lacks much more than its neighbour.
  void trim() {
    const uint32_t more = size_ / 6 + 2;
    const auto drop = [this](std::vector<LoopIteration>::iterator iteration) {
      track_.deviations -= iteration->deviations();
      track_.iterations.erase(iteration);
      --stretch_.iterations;
    };
    const auto first = [this] { return track_.iterations.end() - stretch_.iterations; };
    if (stretch_.iterations >= 2 && first()->missing > (first() + 1)->missing + more) drop(first());
    const auto last = [this] { return track_.iterations.end() - 1; };
    if (stretch_.iterations >= 2 && last()->missing > (last() - 1)->missing + more) drop(last());
    if (stretch_.iterations == 1 && last()->missing > size_ / 4 + 1) drop(last());
  }

  const CyclicPattern& pattern_;
  std::span<const Symbol> symbols_;
  OperationRange range_;
  const TrackOptions& options_;
  const uint32_t size_;
  PatternTrack track_;
  Resynchronisation way_;
  DenseAlignment dense_;
  std::vector<Symbol> backwards_, backwards_pattern_;

  bool is_open_ = false;
  size_t blocks_before_ = 0;  // in options_.blocks, the open stretch's
  Stretch stretch_;
  uint32_t credit_ = kFirstCredit;  // deviations that the matches behind allow ahead
  uint32_t position_ = 0;
  uint64_t cycle_phase_ = 0;
  std::optional<uint32_t> begin_;  // of the iteration being followed, where its begin was seen
  bool is_complete_ = false;       // it has all its operations, the next has not begun
  uint32_t last_end_ = 0;
  uint32_t matched_ = 0;
};

}  // namespace

PatternTrack track_pattern(const CyclicPattern& pattern, std::span<const Symbol> symbols, OperationRange range,
                           const TrackOptions& options) {
  return Follower(pattern, symbols, range, options).run();
}

}  // namespace xsp::analysis
