#pragma once

#include <cmath>

namespace xsp::analysis {

/// The logarithm of the binomial coefficient: in how many ways k of n can be chosen.
inline double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

}  // namespace xsp::analysis
