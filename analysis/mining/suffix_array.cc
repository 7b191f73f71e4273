#include "analysis/mining/suffix_array.h"

#include <algorithm>
#include <cassert>

namespace xsp::analysis {
namespace {

/// Of an entry of the array: the suffix one before it is not to be induced from it in this pass.
constexpr uint32_t kMark = uint32_t{1} << 31;

/// How far ahead the text of an entry is prefetched: a pass jumps about in the text, and each jump would be a cache
/// miss.
constexpr size_t kAhead = 24;

/// A suffix is *smaller* or *larger* than the one that begins behind its first character (behind the last stands an end
/// marker that is below all characters, so the last suffix is larger). The *leftmost smaller* ones, behind a larger
/// one, are sorted by a recursion over the stretches between them; two passes derive the order of all others from
/// theirs. Everything happens in `order`, in which 0 also stands for an empty place: as nothing precedes suffix 0,
/// neither induces anything.
template <typename Character>
class InducedSorting {
 public:
  InducedSorting(std::span<const Character> text, uint32_t alphabet, std::span<uint32_t> order)
      : text_(text.data()), order_(order.data()), size_(text.size()), counts_(alphabet), places_(alphabet) {
    for (const Character character : text) ++counts_[character];
  }

  void sort() {
    const size_t count = sort_stretches();
    if (count > 1) sort_leftmost(count, name_stretches(count));
    place_leftmost(count);
    induce<true>();
  }

 private:
  /// Calls with the leftmost smaller suffixes, the last one first.
  template <typename Visit>
  void for_each_leftmost(Visit visit) const {
    bool smaller = false;
    for (size_t i = size_ - 1; i > 0; --i) {
      if (text_[i - 1] < text_[i]) {
        smaller = true;
      } else if (text_[i - 1] > text_[i]) {
        if (smaller) visit(static_cast<uint32_t>(i));
        smaller = false;
      }
    }
  }

  void set_places_to_begins() {
    uint32_t sum = 0;
    for (size_t i = 0; i < counts_.size(); ++i) {
      places_[i] = sum;
      sum += counts_[i];
    }
  }

  void set_places_to_ends() {
    uint32_t sum = 0;
    for (size_t i = 0; i < counts_.size(); ++i) places_[i] = sum += counts_[i];
  }

  void put_larger(uint32_t position) {
    const Character character = text_[position];
    const bool stops = position > 0 && text_[position - 1] < character;
    order_[places_[character]++] = stops ? position | kMark : position;
  }

  void put_smaller(uint32_t position) {
    const Character character = text_[position];
    const bool stops = position > 0 && text_[position - 1] > character;
    order_[--places_[character]] = stops ? position | kMark : position;
  }

  void ask_for_text(size_t i) const {
    if (i < size_) __builtin_prefetch(text_ + (order_[i] & ~kMark));
  }

  /// From the leftmost smaller suffixes in their places: the larger ones from the front, then all smaller ones from the
  /// back. kAll: every suffix comes to its place; otherwise only the leftmost smaller ones stay, marked.
  template <bool kAll>
  void induce() {
    set_places_to_begins();
    put_larger(static_cast<uint32_t>(size_ - 1));
    for (size_t i = 0; i < size_; ++i) {
      ask_for_text(i + kAhead);
      const uint32_t entry = order_[i];
      if (entry == 0) continue;
      if (entry & kMark) {
        order_[i] = entry & ~kMark;  // before it is a smaller one: for the second pass
      } else {
        order_[i] = kAll ? entry | kMark : 0;
        put_larger(entry - 1);
      }
    }
    set_places_to_ends();
    for (size_t i = size_; i-- > 0;) {
      if (i >= kAhead) ask_for_text(i - kAhead);
      const uint32_t entry = order_[i];
      if (entry == 0) continue;
      if (entry & kMark) {
        if (kAll) order_[i] = entry & ~kMark;
      } else {
        if (!kAll) order_[i] = 0;
        put_smaller(entry - 1);
      }
    }
  }

  /// Sorts the stretches from one leftmost smaller suffix through the first character of the next, into the front of
  /// the array. Returns how many there are: at most half of the characters.
  size_t sort_stretches() {
    std::fill_n(order_, size_, 0);
    set_places_to_ends();
    size_t count = 0;
    for_each_leftmost([&](uint32_t position) {
      order_[--places_[text_[position]]] = position;
      ++count;
    });
    induce<false>();
    size_t kept = 0;
    for (size_t i = 0; kept < count; ++i) {
      if (order_[i] & kMark) order_[kept++] = order_[i] & ~kMark;
    }
    return count;
  }

  /// Numbers the sorted stretches, equal ones alike, and leaves the numbers in order of position at the array's end.
  /// Returns how many numbers there are. Leftmost ones are at least two apart, so that half their position tells them
  /// apart.
  uint32_t name_stretches(size_t count) {
    uint32_t* const by_position = order_ + count;
    std::fill(by_position, order_ + size_, 0);
    // The last stretch reaches to the end, which is in no other.
    size_t next = size_;
    for_each_leftmost([&](uint32_t position) {
      by_position[position / 2] = static_cast<uint32_t>(next - position + 1);
      next = position;
    });
    uint32_t names = 0;
    size_t before = 0;
    size_t length_before = 0;
    for (size_t i = 0; i < count; ++i) {
      const size_t position = order_[i];
      const size_t length = by_position[position / 2];
      const bool same = length == length_before && position + length <= size_ && before + length <= size_ &&
                        std::equal(text_ + position, text_ + position + length, text_ + before);
      if (!same) ++names;
      by_position[position / 2] = names;
      before = position;
      length_before = length;
    }
    uint32_t* to = order_ + size_;
    for (uint32_t* from = order_ + size_; from != by_position;) {
      if (*--from != 0) *--to = *from - 1;
    }
    return names;
  }

  /// Replaces the sorted stretches at the array's front by the sorted leftmost smaller suffixes.
  void sort_leftmost(size_t count, uint32_t names) {
    uint32_t* const numbers = order_ + size_ - count;
    if (names == count) {
      for (size_t i = 0; i < count; ++i) order_[numbers[i]] = static_cast<uint32_t>(i);
    } else {
      InducedSorting<uint32_t>({numbers, count}, names, {order_, count}).sort();
    }
    uint32_t* position_of = order_ + size_;
    for_each_leftmost([&](uint32_t position) { *--position_of = position; });
    for (size_t i = 0; i < count; ++i) order_[i] = position_of[order_[i]];
  }

  /// Moves the sorted leftmost smaller suffixes from the array's front to the ends of their characters' places.
  void place_leftmost(size_t count) {
    std::fill(order_ + count, order_ + size_, 0);
    set_places_to_ends();
    for (size_t i = count; i-- > 0;) {
      const uint32_t position = order_[i];
      order_[i] = 0;
      order_[--places_[text_[position]]] = position;
    }
  }

  const Character* text_;
  uint32_t* order_;
  size_t size_;
  std::vector<uint32_t> counts_;  // by character
  std::vector<uint32_t> places_;  // by character: where its next suffix goes
};

/// Fewer bytes a character make fewer cache misses.
template <typename Character>
void sort_narrowed(std::span<const Symbol> symbols, uint32_t alphabet, std::span<uint32_t> order) {
  const std::vector<Character> text(symbols.begin(), symbols.end());
  InducedSorting<Character>(text, alphabet, order).sort();
}

}  // namespace

std::vector<uint32_t> suffix_array(std::span<const Symbol> symbols) {
  assert(symbols.size() <= kMostSuffixes);
  std::vector<uint32_t> order(symbols.size());
  if (symbols.empty()) return order;
  const uint32_t largest = *std::max_element(symbols.begin(), symbols.end());
  if (largest <= UINT8_MAX) {
    sort_narrowed<uint8_t>(symbols, largest + 1, order);
  } else if (largest <= UINT16_MAX) {
    sort_narrowed<uint16_t>(symbols, largest + 1, order);
  } else {
    InducedSorting<Symbol>(symbols, largest + 1, order).sort();
  }
  return order;
}

}  // namespace xsp::analysis
