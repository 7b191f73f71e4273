#include "bound/tables/drawing_columns.h"

#include <algorithm>

namespace xsp::bound {
namespace {

constexpr double kWidestDrawing = 1160;
/// A very deep one is rather made smaller than left to be that long.
constexpr double kWidestDeepDrawing = 1560;
constexpr size_t kDeepRanks = 80;
/// Fewer ranks are no reason for another column.
constexpr size_t kLeastRanks = 12;
constexpr size_t kMostColumns = 8;

/// The rank at which the next column begins: near `ideal`, where the fewest links cross.
size_t best_cut(const std::vector<RankExtent>& ranks, size_t first, size_t ideal, size_t reach) {
  size_t best = ideal;
  for (size_t distance = 1; distance <= reach; ++distance) {
    for (const size_t cut : {ideal - std::min(ideal, distance), ideal + distance}) {
      if (cut > first && cut < ranks.size() && ranks[cut].links_above < ranks[best].links_above) best = cut;
    }
  }
  return best;
}

std::vector<DrawingColumn> cut_into(const std::vector<RankExtent>& ranks, size_t count, double gutter) {
  std::vector<DrawingColumn> columns;
  double at = 0;
  size_t begin = 0;
  for (size_t column = 1; column <= count; ++column) {
    const size_t ideal = ranks.size() * column / count;
    const size_t end = column == count ? ranks.size() : best_cut(ranks, begin, ideal, ranks.size() / count / 6);
    double left = ranks[begin].left, right = ranks[begin].right;
    for (size_t rank = begin; rank < end; ++rank) {
      left = std::min(left, ranks[rank].left);
      right = std::max(right, ranks[rank].right);
    }
    columns.push_back({begin, end, at - left, at + right - left});
    at += right - left + gutter;
    begin = end;
  }
  return columns;
}

}  // namespace

std::vector<DrawingColumn> columns_of(const std::vector<RankExtent>& ranks, double gutter) {
  if (ranks.empty()) return {};
  std::vector<DrawingColumn> columns = cut_into(ranks, 1, gutter);
  const double widest = ranks.size() > kDeepRanks ? kWidestDeepDrawing : kWidestDrawing;
  for (size_t count = 2; count <= std::min(kMostColumns, ranks.size() / kLeastRanks); ++count) {
    std::vector<DrawingColumn> more = cut_into(ranks, count, gutter);
    if (more.back().right <= widest) columns = std::move(more);
  }
  return columns;
}

}  // namespace xsp::bound
