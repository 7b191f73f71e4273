#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace xsp::analysis {

/// A stretch of an axis with round ends and its ticks. `low` and `high` may be equal; the stretch never is empty.
struct Ticks {
  double low = 0;
  double high = 1;
  std::vector<double> at;
};

/// Round steps (1, 2 or 5 times a power of ten), about `most` of them. 0 is included. `whole`: for counts.
Ticks linear_ticks(double low, double high, size_t most, bool whole = false);
/// Powers of `base`, for positive values; a short range of powers of ten also gets 2 and 5 in between.
Ticks logarithmic_ticks(double low, double high, double base);

/// "0", "0.25", "40", "2000", "1e+06".
std::string tick_label(double value);

}  // namespace xsp::analysis
