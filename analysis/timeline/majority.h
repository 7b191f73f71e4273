#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace xsp::analysis {

/// Which of several sequences can be joined place by place.
struct Majority {
  std::vector<size_t> chosen;   // those like the most frequent one (of equally frequent ones: the first), in order
  size_t diverging = 0;         // the others
  size_t first_difference = 0;  // place, of the first one that diverges
};

/// Compares `count` sequences of `length(sequence)` places, whose keys `key(sequence, place)` are arrays of integers.
template <typename Length, typename Key>
Majority find_majority(size_t count, Length&& length, Key&& key) {
  std::unordered_map<uint64_t, std::vector<size_t>> by_identity;
  std::vector<uint64_t> order;
  for (size_t sequence = 0; sequence < count; ++sequence) {
    uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (size_t place = 0; place < length(sequence); ++place) {
      for (const uint64_t value : key(sequence, place)) hash = (hash ^ value) * 1099511628211u;
    }
    auto& same = by_identity[hash];
    if (same.empty()) order.push_back(hash);
    same.push_back(sequence);
  }
  Majority majority;
  if (order.empty()) return majority;
  const uint64_t best = *std::max_element(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
    return by_identity[a].size() < by_identity[b].size();
  });
  majority.chosen = by_identity[best];
  majority.diverging = count - majority.chosen.size();
  const auto other = std::find_if(order.begin(), order.end(), [&](uint64_t id) { return id != best; });
  if (other == order.end()) return majority;
  const size_t a = majority.chosen.front();
  const size_t b = by_identity[*other].front();
  const size_t common = std::min(length(a), length(b));
  size_t& place = majority.first_difference;
  while (place < common && key(a, place) == key(b, place)) ++place;
  return majority;
}

}  // namespace xsp::analysis
