#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bound/shapes/operator_call.h"

namespace xsp::bound {

/// How the facts of an operator's outputs follow from those of its inputs.
struct OperatorRule {
  enum Trait : uint8_t {
    kNone = 0,
    kRandom = 1,        // the outputs are no constants though all inputs are
    kOfShapeAlone = 2,  // the outputs are constants wherever the input has a shape
    kAnyInput = 4,      // `shapes` is called where inputs have no shapes, too
  };

  std::string_view domain;
  std::string_view type;
  size_t inputs;  // so many leading ones must be there
  /// The element type of each output, blanks between; the last one is that of all that follow. Each is a list of
  /// alternatives with ":" between, of which the first that is there counts: a digit is the type of that input, "@to"
  /// what the attribute `to` says (a number, or the type of a tensor), a name ("i64") itself. "*": the function sets
  /// it.
  std::string_view elements;
  Finding (*shapes)(OperatorCall& call);
  /// Fills the values of the outputs, which have shapes, where it can; may be null.
  void (*values)(OperatorCall& call) = nullptr;
  uint8_t traits = kNone;
};

/// Null for an operator that is not known. `domain` is "" for ONNX's own.
const OperatorRule* find_rule(std::string_view domain, std::string_view type);

/// Sets the element types of all outputs.
void set_elements(const OperatorRule& rule, OperatorCall* call);

// The rules by family, each beside its functions.
std::span<const OperatorRule> elementwise_rules();
std::span<const OperatorRule> convolution_rules();
std::span<const OperatorRule> pooling_rules();
std::span<const OperatorRule> product_rules();
std::span<const OperatorRule> attention_rules();
std::span<const OperatorRule> reshaping_rules();
std::span<const OperatorRule> selection_rules();
std::span<const OperatorRule> joining_rules();
std::span<const OperatorRule> resize_rules();
std::span<const OperatorRule> creation_rules();
std::span<const OperatorRule> reduction_rules();
std::span<const OperatorRule> normalization_rules();
std::span<const OperatorRule> recurrent_rules();
std::span<const OperatorRule> quantization_rules();
std::span<const OperatorRule> signal_rules();
std::span<const OperatorRule> learning_rules();
std::span<const OperatorRule> data_dependent_rules();

/// Output 0 has the shape of input 0; for operators of which nothing else is to be said.
Finding same_shape(OperatorCall& call);
/// Output 0 is the broadcast of all inputs.
Finding broadcast_shape(OperatorCall& call);

}  // namespace xsp::bound
