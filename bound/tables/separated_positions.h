#pragma once

#include <vector>

namespace xsp::bound {

/// Where a thing in a row would lie by itself.
struct WantedPosition {
  double at = 0;
  double weight = 1;           // greater than 0
  double distance_before = 0;  // at least from the thing before it
};

/// Positions that keep their order and distances, with the least sum of weighted squares of what each is moved.
std::vector<double> separated_positions(const std::vector<WantedPosition>& wanted);

}  // namespace xsp::bound
