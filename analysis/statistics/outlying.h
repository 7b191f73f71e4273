#pragma once

#include <cstddef>
#include <span>

namespace xsp::analysis {

/// The largest values that stand apart from the others.
struct Outlying {
  size_t count = 0;    // of them; 0: none
  double p_value = 1;  // that values of one distribution do so by chance
};

/// How many of the largest values stand apart, `most` at most. Of values whose tail falls exponentially the gaps
/// between neighbours in order of size, each times its rank, are independent and have one mean (Rényi 1953): a gap is
/// compared with those of the `tail` largest values below it. Tails that fall faster make it careful; for ones that
/// fall as a power give logarithms. No standard deviation is estimated, so heavy tails by themselves are not outlying.
/// `alpha` is the chance that any are found where none are.
Outlying outlying_of(std::span<const double> values, size_t tail, size_t most, double alpha);

/// The chance that another value of the same tail would be at least `value`.
double tail_probability(std::span<const double> values, double value);

}  // namespace xsp::analysis
