#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

using Arguments = OperatorArguments;
using Result = std::optional<Work>;

constexpr auto kFormula = FormulaId::kOptimizer;

double bytes_of_list(const TensorArgument& list) {
  double bytes = 0;
  for (const TensorShape& tensor : list) bytes += tensor.bytes();
  return bytes;
}

/// Reads the first `lists` arguments and writes as much as `written` of them.
Result of_lists(const Arguments& arguments, size_t lists, double written, double flops) {
  const TensorArgument& first = arguments.inputs_of(0);
  if (first.empty()) return {};
  double elements = 0;
  for (const TensorShape& tensor : first) elements += tensor.elements;
  double read = 0;
  for (size_t i = 0; i < lists; ++i) read += bytes_of_list(arguments.inputs_of(i));
  return work_of(kFormula, flops * elements, read, written * bytes_of_list(first), data_type_of(first.front().element));
}

Result one_list(const Arguments& arguments, double flops) { return of_lists(arguments, 1, 1, flops); }
Result two_lists(const Arguments& arguments, double flops) { return of_lists(arguments, 2, 1, flops); }
Result three_lists(const Arguments& arguments, double flops) { return of_lists(arguments, 3, 1, flops); }
Result reduced(const Arguments& arguments, double flops) { return of_lists(arguments, 1, 0, flops); }
/// Zeroed without being read.
Result zeroed(const Arguments& arguments, double flops) { return of_lists(arguments, 0, 1, flops); }
/// Parameters, gradients, both moments: all but the gradients are written.
Result adam(const Arguments& arguments, double flops) { return of_lists(arguments, 4, 3, flops); }
/// Parameters, gradients, momentum (or none).
Result sgd(const Arguments& arguments, double flops) {
  const bool has_momentum = !arguments.inputs_of(2).empty();
  return of_lists(arguments, 3, has_momentum ? 2 : 1, has_momentum ? flops : flops - 2);
}

constexpr NamedOperator kOperators[] = {
    {"_foreach_add", kFormula, two_lists, 1},
    {"_foreach_sub", kFormula, two_lists, 1},
    {"_foreach_mul", kFormula, two_lists, 1},
    {"_foreach_div", kFormula, two_lists, 1},
    {"_foreach_pow", kFormula, two_lists, 1},
    {"_foreach_maximum", kFormula, two_lists, 0},
    {"_foreach_minimum", kFormula, two_lists, 0},
    {"_foreach_copy", kFormula, two_lists, 0},
    {"_foreach_lerp", kFormula, two_lists, 3},
    {"_foreach_addcmul", kFormula, three_lists, 3},
    {"_foreach_addcdiv", kFormula, three_lists, 3},
    {"_foreach_sqrt", kFormula, one_list, 1},
    {"_foreach_reciprocal", kFormula, one_list, 1},
    {"_foreach_exp", kFormula, one_list, 1},
    {"_foreach_neg", kFormula, one_list, 0},
    {"_foreach_abs", kFormula, one_list, 0},
    {"_foreach_norm", kFormula, reduced, 2},
    {"_foreach_zero", kFormula, zeroed, 0},
    {"_amp_foreach_non_finite_check_and_unscale", kFormula, one_list, 1},
    {"_fused_adam", kFormula, adam, 13},
    {"_fused_adamw", kFormula, adam, 15},
    {"_fused_sgd", kFormula, sgd, 4},
};

}  // namespace

std::span<const NamedOperator> list_operators() { return kOperators; }

}  // namespace xsp::analysis
