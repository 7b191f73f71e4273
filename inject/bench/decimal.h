#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xsp::bench {

/// A number as a user writes it, exact: -12, 0.25, 1000. At most nine digits on each side of the point.
struct Decimal {
  int64_t billionths = 0;
  int digits = 0;  ///< behind the point

  bool operator==(const Decimal& other) const { return billionths == other.billionths; }
};

/// Nothing for any other text: exponents, units, words.
std::optional<Decimal> parse_decimal(std::string_view text);

/// With as many digits behind the point as `digits` says, or as the value needs.
std::string text_of(const Decimal& decimal);

inline double value_of(const Decimal& decimal) { return static_cast<double>(decimal.billionths) / 1e9; }

}  // namespace xsp::bench
