#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep_parameter.h"

namespace xsp::bench {

/// How many inputs one evaluation has, as the user says: --inputs N, {batch}, or a product {batch}*{sequence}*2.
class InputsPerEvaluation {
 public:
  /// Without a text, {batch} where there is such a parameter with numbers, else what the model's input shape says; that
  /// always with "shape". Whatever cannot be a number of inputs at a point is told here.
  static std::optional<launch::Failure> parse(const std::string& text, const std::vector<SweepParameter>& parameters,
                                              InputsPerEvaluation* inputs);

  /// 0: as the input shape says.
  double at(const launch::Parameters& point) const;

  /// Those that are factors of it.
  std::vector<std::string> parameters() const;

  /// For a reader: "batch", "batch*2", "input shape".
  const std::string& description() const { return description_; }

 private:
  std::vector<std::string> factors_;
  std::string description_ = "input shape";
};

}  // namespace xsp::bench
