#include "analysis/statistics/student.h"

#include <cmath>
#include <numbers>

namespace xsp::analysis {
namespace {

/// Abramowitz and Stegun, 26.7.5; good above three degrees of freedom.
double expansion(double degrees) {
  constexpr double z = kNormalQuantile;
  constexpr double z2 = z * z;
  const double v = degrees;
  return z + z * (z2 + 1) / (4 * v) + z * ((5 * z2 + 16) * z2 + 3) / (96 * v * v) +
         z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * v * v * v);
}

/// Between two quantiles, linear in 1/degrees.
double between(double degrees, double a, double at_a, double b, double at_b) {
  return at_b + (at_a - at_b) * (1 / degrees - 1 / b) / (1 / a - 1 / b);
}

}  // namespace

double student_quantile(double degrees) {
  const double at_1 = std::tan(std::numbers::pi * kConfidence / 2);
  const double at_2 = kConfidence * std::sqrt(2 / (1 - kConfidence * kConfidence));
  if (!(degrees > 1)) return at_1;
  if (degrees < 2) return between(degrees, 1, at_1, 2, at_2);
  if (degrees < 3) return between(degrees, 2, at_2, 3, expansion(3));
  return expansion(degrees);
}

}  // namespace xsp::analysis
