#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bound/problems/plain_values.h"
#include "bound/problems/problem.h"

namespace xsp::bound {

/// What a result must be, at some positions of it.
struct ExpectedResult {
  size_t elements = 0;
  std::vector<double> values;  // at checked_positions(elements)

  bool is_known() const { return !values.empty(); }
};

/// At most 256 positions all over a result, its first and last among them; the same ones in every process.
std::vector<size_t> checked_positions(size_t elements);

/// Compares results of a problem by value with the plain reference or, for kinds without one, with the first result.
class ResultCheck {
 public:
  /// `earlier`: what a process before this one found for the problem.
  ResultCheck(const Problem& problem, const std::vector<PlainTensor>& operands, ExpectedResult earlier);

  /// "wrong result: 3.2 instead of 1.5 at 17", or nothing. The first result of a kind without reference is right by
  /// definition, if it is there at all.
  std::string fault_of(const std::vector<float>& result);
  const ExpectedResult& expected() const { return expected_; }

 private:
  Tolerance tolerance_;
  ExpectedResult expected_;
};

}  // namespace xsp::bound
