#include "analysis/mining/remainder.h"

#include <algorithm>
#include <utility>

namespace xsp::analysis {
namespace {

constexpr uint32_t kLeastPiece = 4;  // operations: shorter ones are deviations

}  // namespace

Remainder::Remainder(std::span<const Symbol> all) : all_(all) {
  for (const Symbol symbol : all) separators_end_ = std::max(separators_end_, symbol + 1);
}

uint32_t Remainder::original(uint32_t position) const {
  if (pieces_.empty()) return position;
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), position,
                                [](uint32_t sought, const Piece& p) { return sought < p.position; });
  if (piece == pieces_.begin()) return pieces_.front().original;
  --piece;
  // The last operation of a piece stands before a separator.
  const auto next = std::next(piece);
  if (next != pieces_.end() && position + 1 == next->position) return next->original;
  return piece->original + (position - piece->position);
}

uint32_t Remainder::first_separator(uint32_t begin, uint32_t end) const {
  const auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), begin,
                                      [](uint32_t sought, const Piece& p) { return sought < p.position; });
  return piece == pieces_.end() ? end : std::min(end, piece->position - 1);
}

Remainder Remainder::without(const std::vector<OperationRange>& covered) const {
  Remainder rest(std::span<const Symbol>{});
  rest.all_ = {};
  rest.separators_end_ = separators_end_;
  const std::span<const Symbol> here = symbols();
  uint32_t from = 0;
  const auto keep = [&](uint32_t to) {
    if (to < from + kLeastPiece) return;
    if (!rest.own_.empty()) rest.own_.push_back(rest.separators_end_++);
    rest.pieces_.push_back({static_cast<uint32_t>(rest.own_.size()), original(from)});
    // A piece of pieces: each goes on at its own place.
    for (const Piece& piece : pieces_) {
      if (piece.position > from && piece.position < to) {
        rest.pieces_.push_back({static_cast<uint32_t>(rest.own_.size()) + (piece.position - from), piece.original});
      }
    }
    rest.own_.insert(rest.own_.end(), here.begin() + from, here.begin() + to);
  };
  for (const OperationRange& range : covered) {
    keep(range.begin);
    from = range.end;
  }
  keep(static_cast<uint32_t>(here.size()));
  return rest;
}

}  // namespace xsp::analysis
