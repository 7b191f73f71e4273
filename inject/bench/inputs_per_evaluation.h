#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inject/bench/sweep_parameter.h"

namespace xsp::bench {

/// How many inputs one evaluation has, as the user says: --inputs N, {batch}, or a product {batch}*{sequence}*2.
/// Without that xsp-report finds them: by the parameter batch, else by the input's shape.
class InputsPerEvaluation {
 public:
  /// Whatever cannot be a number of inputs at a point is told here.
  static Status parse(const std::string& text, const std::vector<SweepParameter>& parameters,
                      InputsPerEvaluation* inputs);

  /// 0: not told.
  double at(const launch::Parameters& point) const;

  /// The parameters that inputs are counted by: those of the product, else the one that xsp-report would take.
  const std::vector<std::string>& parameters() const { return parameters_; }

 private:
  std::vector<std::string> factors_;
  std::vector<std::string> parameters_;
};

}  // namespace xsp::bench
