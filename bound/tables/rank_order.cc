#include "bound/tables/rank_order.h"

#include <algorithm>

namespace xsp::bound {
namespace {

constexpr int kSweeps = 16;

void note_places(const std::vector<std::vector<size_t>>& ranks, std::vector<size_t>* place_of) {
  for (const std::vector<size_t>& rank : ranks) {
    for (size_t place = 0; place < rank.size(); ++place) (*place_of)[rank[place]] = place;
  }
}

/// Sorts a rank by the mean place of what its cells are bound to on one side; what is bound to nothing there stays.
void sort_by_barycentre(const std::vector<RankCell>& cells, bool above, std::vector<size_t>* rank,
                        std::vector<size_t>* place_of) {
  std::vector<std::pair<double, size_t>> by_centre;
  for (const size_t cell : *rank) {
    const std::vector<CellLink>& links = above ? cells[cell].above : cells[cell].below;
    double sum = 0;
    for (const CellLink& link : links) sum += static_cast<double>((*place_of)[link.cell]);
    const double centre =
        links.empty() ? static_cast<double>((*place_of)[cell]) : sum / static_cast<double>(links.size());
    by_centre.emplace_back(centre, cell);
  }
  std::stable_sort(by_centre.begin(), by_centre.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t place = 0; place < rank->size(); ++place) {
    (*rank)[place] = by_centre[place].second;
    (*place_of)[by_centre[place].second] = place;
  }
}

size_t all_crossings(const std::vector<RankCell>& cells, const std::vector<std::vector<size_t>>& ranks,
                     const std::vector<size_t>& place_of) {
  size_t crossings = 0;
  for (const std::vector<size_t>& rank : ranks) crossings += crossings_above(cells, rank, place_of);
  return crossings;
}

}  // namespace

size_t crossings_above(const std::vector<RankCell>& cells, const std::vector<size_t>& rank,
                       const std::vector<size_t>& place_of) {
  // Of links taken from left to right, each crosses those before it that end further to the right above.
  std::vector<size_t> ends;
  size_t crossings = 0;
  for (const size_t cell : rank) {
    const size_t before = ends.size();
    for (const CellLink& link : cells[cell].above) {
      const size_t end = place_of[link.cell];
      const auto last = ends.begin() + static_cast<std::ptrdiff_t>(before);
      crossings += static_cast<size_t>(last - std::upper_bound(ends.begin(), last, end));
      ends.push_back(end);
    }
    std::sort(ends.begin() + static_cast<std::ptrdiff_t>(before), ends.end());
    std::inplace_merge(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(before), ends.end());
  }
  return crossings;
}

void order_ranks(const std::vector<RankCell>& cells, std::vector<std::vector<size_t>>* ranks) {
  std::vector<size_t> place_of(cells.size());
  note_places(*ranks, &place_of);
  std::vector<std::vector<size_t>> best = *ranks;
  size_t fewest = all_crossings(cells, best, place_of);
  for (int sweep = 0; sweep < kSweeps && fewest > 0; ++sweep) {
    const bool down = sweep % 2 == 0;
    for (size_t step = 0; step < ranks->size(); ++step) {
      std::vector<size_t>& rank = (*ranks)[down ? step : ranks->size() - 1 - step];
      sort_by_barycentre(cells, down, &rank, &place_of);
    }
    const size_t crossings = all_crossings(cells, *ranks, place_of);
    if (crossings >= fewest) continue;
    fewest = crossings;
    best = *ranks;
  }
  *ranks = std::move(best);
}

}  // namespace xsp::bound
