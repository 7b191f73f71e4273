#include "bound/tables/separated_positions.h"

#include <cstddef>

namespace xsp::bound {
namespace {

/// Things that touch one another, and so move together.
struct TouchingThings {
  double at = 0;  // of the first of the row, if all touched
  double weight = 0;
  size_t count = 0;
};

}  // namespace

// Less the distances ahead of it, each position must only be no smaller than the one before: isotonic regression, which
// pooling of neighbours that violate it solves.
std::vector<double> separated_positions(const std::vector<WantedPosition>& wanted) {
  std::vector<TouchingThings> groups;
  double offset = 0;
  for (const WantedPosition& want : wanted) {
    offset += want.distance_before;
    TouchingThings group = {want.at - offset, want.weight, 1};
    while (!groups.empty() && groups.back().at >= group.at) {
      const TouchingThings& before = groups.back();
      const double weight = before.weight + group.weight;
      group = {(before.at * before.weight + group.at * group.weight) / weight, weight, before.count + group.count};
      groups.pop_back();
    }
    groups.push_back(group);
  }
  std::vector<double> positions;
  positions.reserve(wanted.size());
  offset = 0;
  for (const TouchingThings& group : groups) {
    for (size_t member = 0; member < group.count; ++member) {
      offset += wanted[positions.size()].distance_before;
      positions.push_back(group.at + offset);
    }
  }
  return positions;
}

}  // namespace xsp::bound
