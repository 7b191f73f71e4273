#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inject/bench/sweep_parameter.h"

namespace xsp::bench {

/// How many inputs one call has, as the user says: --inputs N, {batch}, or a product {batch}*{sequence}*2. Without that
/// xsp-report works it out: by the parameter batch, else by the input's shape.
class InputsPerEvaluation {
 public:
  /// Reports here whatever cannot be the number of inputs at a point.
  static Status parse(const std::string& text, const std::vector<SweepParameter>& parameters,
                      InputsPerEvaluation* inputs);

  /// 0: not given.
  double at(const launch::Parameters& point) const;

  /// The parameters that inputs are counted by: those of the product, else the one that xsp-report would take.
  const std::vector<std::string>& parameters() const { return parameters_; }

 private:
  std::vector<std::string> factors_;
  std::vector<std::string> parameters_;
};

}  // namespace xsp::bench
