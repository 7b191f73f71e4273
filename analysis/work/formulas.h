#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xsp::analysis {

/// Of nested operators of one kind only the innermost has work of its own: the outer ones are names for the same
/// computation.
enum class FormulaKind : uint8_t {
  kNone,
  kProduct,
  kNormalization,
  kSoftmax,
  kPooling,
  kElementwise,
  kReduction,
  kMovement,
  kCollective,
};

/// Row of the table of formulas; Work::formula.
enum class FormulaId : uint16_t {
  kMatrixProduct,
  kMatrixVector,
  kConvolution,
  kTransposedConvolution,
  kConvolutionBackward,
  kAttention,
  kAttentionBackward,
  kRecurrent,
  kBatchNormInference,
  kNormalization,
  kNormalizationBackward,
  kRmsNorm,
  kSoftmax,
  kSoftmaxBackward,
  kMaxPooling,
  kAveragePooling,
  kPoolingBackward,
  kElementwise,
  kOptimizer,
  kReduction,
  kMovement,
  kSelection,
  kFill,
  kCollective,
  kFusedPlan,
};
inline constexpr size_t kFormulas = 25;

struct Formula {
  FormulaId id;
  FormulaKind kind;
  std::string_view name;
  std::string_view flops;
  std::string_view bytes;
  std::string_view source;
};

const Formula& formula_of(FormulaId id);
const Formula& formula_of(uint16_t number);

}  // namespace xsp::analysis
