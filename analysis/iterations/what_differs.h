#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/iterations/iteration_series.h"

namespace xsp::analysis {

/// What some iterations have that others have not, per iteration.
struct Difference {
  struct Operation {
    Symbol symbol = 0;
    double more = 0;    // of them
    double longer = 0;  // ns
    double other = 0;   // ns in the other iterations
  };
  double host = 0;                    // ns that the host time of the interval is longer
  double gaps = 0;                    // ns that the gaps inside are longer
  std::vector<Operation> operations;  // that are more or take longer, the longest first
};

/// Compares means of at most a few of `odd` with those of some of `others`; cost follows the operations of those.
Difference difference_of(const DiagnosedLoop& loop, const std::vector<uint32_t>& odd,
                         const std::vector<uint32_t>& others);

/// "2 more operations (print_kernel, copy to host), 3.1 ms longer; the interval before is 4 ms longer": what makes up
/// at least a fifth of the difference, at most three things; empty where nothing does.
std::string difference_text(const DiagnosedLoop& loop, const Difference& difference);

/// Operations of an iteration and behind it up to the next one of its loop: [first, second).
std::pair<uint32_t, uint32_t> operations_with_rest(const DiagnosedLoop& loop, size_t iteration);

/// A name of an operation in a sentence.
std::string operation_name(const DiagnosedLoop& loop, Symbol symbol);

}  // namespace xsp::analysis
