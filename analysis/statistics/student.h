#pragma once

namespace xsp::analysis {

inline constexpr double kConfidence = 0.95;

/// The two-sided quantile of the normal distribution at kConfidence.
inline constexpr double kNormalQuantile = 1.959963984540054;

/// That of Student's t: exact at 1 and 2 degrees of freedom, within 1 % elsewhere. Less than one counts as one.
double student_quantile(double degrees);

}  // namespace xsp::analysis
