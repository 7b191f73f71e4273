#include "analysis/timeline/sequence_alignment.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace xsp::analysis {
namespace {

using Keys = std::vector<uint64_t>;
using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

/// Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), section 4b: in linear space by the middle snake.
class CommonSubsequence {
 public:
  CommonSubsequence(const Keys& a, const Keys& b)
      : a_(a), b_(b), forward_(a.size() + b.size() + 3), backward_(a.size() + b.size() + 3) {}

  Pairs find() {
    std::vector<Box> boxes = {{0, size(a_), 0, size(b_)}};
    while (!boxes.empty()) {
      Box box = boxes.back();
      boxes.pop_back();
      while (!box.empty() && a_[box.a_begin] == b_[box.b_begin]) pair(box.a_begin++, box.b_begin++);
      while (!box.empty() && a_[box.a_end - 1] == b_[box.b_end - 1]) pair(--box.a_end, --box.b_end);
      if (box.empty()) continue;
      const auto [x, y] = split(box);
      boxes.push_back({box.a_begin, x, box.b_begin, y});
      boxes.push_back({x, box.a_end, y, box.b_end});
    }
    std::sort(pairs_.begin(), pairs_.end());
    return std::move(pairs_);
  }

 private:
  /// Half-open ranges of both sequences.
  struct Box {
    int64_t a_begin, a_end, b_begin, b_end;

    bool empty() const { return a_begin == a_end || b_begin == b_end; }
  };
  using Point = std::pair<int64_t, int64_t>;

  /// Differences beyond which the sequences are split where the search has come farthest: if they share much in another
  /// order, each step of the search costs as much as all before.
  static constexpr int64_t kSearched = 2000;

  static int64_t size(const Keys& keys) { return static_cast<int64_t>(keys.size()); }

  void pair(int64_t x, int64_t y) { pairs_.emplace_back(static_cast<uint32_t>(x), static_cast<uint32_t>(y)); }

  /// The diagonals k = x - y that d differences lead to within a box: every second from low to high.
  struct Diagonals {
    int64_t low, high;

    Diagonals(int64_t d, int64_t n, int64_t m)
        : low(d <= m ? -d : -m + ((d - m) & 1)), high(d <= n ? d : n - ((d - n) & 1)) {}
    bool have(int64_t k) const { return low <= k && k <= high; }
  };

  /// How far one difference more leads on diagonal k, where `reached` is what one less did.
  static int64_t step(const int64_t* reached, const Diagonals& before, int64_t k) {
    const bool down = before.have(k + 1) && (!before.have(k - 1) || reached[-1] < reached[1]);
    return down ? reached[1] : reached[-1] + 1;
  }

  /// A point of a shortest path from the box's first corner to its last that is neither of them.
  Point split(const Box& box) {
    const int64_t n = box.a_end - box.a_begin;
    const int64_t m = box.b_end - box.b_begin;
    const int64_t delta = n - m;
    const bool odd = (delta & 1) != 0;
    int64_t* forward = forward_.data() + size(b_) + 1;
    int64_t* backward = backward_.data() + size(b_) + 1;
    for (int64_t d = 0;; ++d) {
      const Diagonals now(d, n, m);
      const Diagonals before(d - 1, n, m);
      for (int64_t k = now.low; k <= now.high; k += 2) {
        int64_t x = d == 0 ? 0 : step(forward + k, before, k);
        const Point begin = {box.a_begin + x, box.b_begin + x - k};
        while (x < n && x - k < m && a_[box.a_begin + x] == b_[box.b_begin + x - k]) ++x;
        forward[k] = x;
        const int64_t other = delta - k;  // the same diagonal, counted from the last corner
        if (odd && d > 0 && before.have(other) && x + backward[other] >= n) return begin;
      }
      for (int64_t k = now.low; k <= now.high; k += 2) {
        int64_t x = d == 0 ? 0 : step(backward + k, before, k);
        const Point begin = {box.a_end - x, box.b_end - x + k};
        while (x < n && x - k < m && a_[box.a_end - 1 - x] == b_[box.b_end - 1 - x + k]) ++x;
        backward[k] = x;
        const int64_t other = delta - k;
        if (!odd && now.have(other) && x + forward[other] >= n) return begin;
      }
      if (d >= kSearched) return farthest(box, now);
    }
  }

  /// Where the longer of both searches ended.
  Point farthest(const Box& box, const Diagonals& searched) const {
    const int64_t n = box.a_end - box.a_begin;
    const int64_t m = box.b_end - box.b_begin;
    const int64_t middle = size(b_) + 1;
    Point best = {box.a_begin, box.b_begin};
    int64_t most = 0;
    for (int64_t k = searched.low; k <= searched.high; k += 2) {
      const int64_t x = std::min({forward_[middle + k], n, m + k});
      if (2 * x - k > most) {
        most = 2 * x - k;
        best = {box.a_begin + x, box.b_begin + x - k};
      }
      const int64_t back = std::min({backward_[middle + k], n, m + k});
      if (2 * back - k > most) {
        most = 2 * back - k;
        best = {box.a_end - back, box.b_end - back + k};
      }
    }
    return best;
  }

  const Keys& a_;
  const Keys& b_;
  std::vector<int64_t> forward_;  // x reached, by diagonal
  std::vector<int64_t> backward_;
  Pairs pairs_;
};

/// Some keys of a sequence, and where they are.
struct PlacedKeys {
  Keys keys;
  std::vector<uint32_t> place;
};

/// Keys that the other sequence has too.
PlacedKeys shared_keys(const Keys& keys, const Keys& other) {
  const std::unordered_set<uint64_t> known(other.begin(), other.end());
  PlacedKeys shared;
  for (uint32_t i = 0; i < keys.size(); ++i) {
    if (!known.contains(keys[i])) continue;
    shared.keys.push_back(keys[i]);
    shared.place.push_back(i);
  }
  return shared;
}

/// A longest common subsequence. Keys that only one side has are in none and only cost time.
Pairs common_subsequence(const Keys& a, const Keys& b) {
  const PlacedKeys in_a = shared_keys(a, b);
  const PlacedKeys in_b = shared_keys(b, a);
  Pairs pairs = CommonSubsequence(in_a.keys, in_b.keys).find();
  for (auto& [x, y] : pairs) {
    x = in_a.place[x];
    y = in_b.place[y];
  }
  return pairs;
}

/// The partner of every place, as far as it is known.
struct Partners {
  std::vector<uint32_t> of_a;
  std::vector<uint32_t> of_b;
  std::vector<Alignment> how;  // by place of b

  Partners(size_t a, size_t b) : of_a(a, kNoPlace), of_b(b, kNoPlace), how(b, Alignment::kAdded) {}

  void add(uint32_t x, uint32_t y, Alignment alignment) {
    of_a[x] = y;
    of_b[y] = x;
    how[y] = alignment;
  }
};

void find_moved(std::span<const SequencePlace> a, std::span<const SequencePlace> b, Partners* partners) {
  std::unordered_map<uint64_t, std::vector<uint32_t>> left;  // by key, the first at the back
  for (uint32_t i = static_cast<uint32_t>(a.size()); i-- > 0;) {
    if (partners->of_a[i] == kNoPlace) left[a[i].key].push_back(i);
  }
  for (uint32_t j = 0; j < b.size(); ++j) {
    if (partners->of_b[j] != kNoPlace) continue;
    const auto found = left.find(b[j].key);
    if (found == left.end() || found->second.empty()) continue;
    partners->add(found->second.back(), j, Alignment::kMoved);
    found->second.pop_back();
  }
}

/// Kinds by how many more of them are left in a range of one sequence than of the other.
using KindSurplus = std::unordered_map<uint64_t, int64_t>;

void count_left(std::span<const SequencePlace> places, const std::vector<uint32_t>& partners, uint32_t begin,
                uint32_t end, int64_t each, KindSurplus* surplus) {
  for (uint32_t i = begin; i < end; ++i) {
    if (partners[i] == kNoPlace) (*surplus)[places[i].kind] += each;
  }
}

/// Places without partner in a range of one sequence, of kinds that both have equally often: with three convolutions
/// for two, none is known to be another under a new name.
PlacedKeys left_kinds(std::span<const SequencePlace> places, const std::vector<uint32_t>& partners, uint32_t begin,
                      uint32_t end, const KindSurplus& surplus) {
  PlacedKeys left;
  for (uint32_t i = begin; i < end; ++i) {
    if (partners[i] != kNoPlace || places[i].kind == 0 || surplus.at(places[i].kind) != 0) continue;
    left.keys.push_back(places[i].kind);
    left.place.push_back(i);
  }
  return left;
}

/// Between two neighbouring places of `same`, the common subsequence of what is left by kind.
void find_renamed(std::span<const SequencePlace> a, std::span<const SequencePlace> b, Pairs same, Partners* partners) {
  same.emplace_back(static_cast<uint32_t>(a.size()), static_cast<uint32_t>(b.size()));
  uint32_t a_begin = 0;
  uint32_t b_begin = 0;
  for (const auto& [a_end, b_end] : same) {
    if (a_begin != a_end && b_begin != b_end) {
      KindSurplus surplus;
      count_left(a, partners->of_a, a_begin, a_end, 1, &surplus);
      count_left(b, partners->of_b, b_begin, b_end, -1, &surplus);
      const PlacedKeys in_a = left_kinds(a, partners->of_a, a_begin, a_end, surplus);
      const PlacedKeys in_b = left_kinds(b, partners->of_b, b_begin, b_end, surplus);
      for (const auto& [x, y] : common_subsequence(in_a.keys, in_b.keys)) {
        partners->add(in_a.place[x], in_b.place[y], Alignment::kRenamed);
      }
    }
    a_begin = a_end + 1;
    b_begin = b_end + 1;
  }
}

std::vector<AlignedPlace> in_order_of_b(const Partners& partners) {
  std::vector<AlignedPlace> result;
  const auto append_removed_from = [&](size_t i) {
    for (; i < partners.of_a.size() && partners.of_a[i] == kNoPlace; ++i) {
      result.push_back({.a = static_cast<uint32_t>(i), .how = Alignment::kRemoved});
    }
  };
  append_removed_from(0);
  for (uint32_t j = 0; j < partners.of_b.size(); ++j) {
    const uint32_t i = partners.of_b[j];
    result.push_back({.a = i, .b = j, .how = partners.how[j]});
    if (i != kNoPlace) append_removed_from(i + 1);
  }
  return result;
}

Keys keys_of(std::span<const SequencePlace> places) {
  Keys keys;
  keys.reserve(places.size());
  for (const SequencePlace& place : places) keys.push_back(place.key);
  return keys;
}

}  // namespace

std::vector<AlignedPlace> align_sequences(std::span<const SequencePlace> a, std::span<const SequencePlace> b) {
  Partners partners(a.size(), b.size());
  const Pairs same = common_subsequence(keys_of(a), keys_of(b));
  for (const auto& [x, y] : same) partners.add(x, y, Alignment::kSame);
  find_moved(a, b, &partners);
  find_renamed(a, b, same, &partners);
  return in_order_of_b(partners);
}

}  // namespace xsp::analysis
