#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inject/bench/decimal.h"

namespace xsp::bench {

/// What a point of a sweep gave.
struct PointThroughput {
  std::string value;  ///< of the swept parameter
  double per_second = 0;
};

/// Why a doubling ends behind the last of `points`, for the user, with what was seen: the paper's rule, a rise of no
/// more than 5 % over the point before. Empty: it goes on.
std::string end_by_rule(const std::string& parameter, const std::vector<PointThroughput>& points);

/// Twice `value`; nothing beyond `most`, and beyond what a number of ours can be.
std::optional<Decimal> doubled(const Decimal& value, const std::optional<Decimal>& most);

}  // namespace xsp::bench
