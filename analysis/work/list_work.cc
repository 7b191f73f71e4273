#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

using Arguments = OperatorArguments;
using Result = std::optional<Work>;

constexpr auto kOptimizerFormula = FormulaId::kOptimizer;

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
  return work_of(kOptimizerFormula, flops * elements, read, written * bytes_of_list(first),
                 data_type_of(first.front().element));
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

constexpr NamedOperator kListOperators[] = {
    {"_foreach_add", kOptimizerFormula, two_lists, 1},
    {"_foreach_sub", kOptimizerFormula, two_lists, 1},
    {"_foreach_mul", kOptimizerFormula, two_lists, 1},
    {"_foreach_div", kOptimizerFormula, two_lists, 1},
    {"_foreach_pow", kOptimizerFormula, two_lists, 1},
    {"_foreach_maximum", kOptimizerFormula, two_lists, 0},
    {"_foreach_minimum", kOptimizerFormula, two_lists, 0},
    {"_foreach_copy", kOptimizerFormula, two_lists, 0},
    {"_foreach_lerp", kOptimizerFormula, two_lists, 3},
    {"_foreach_addcmul", kOptimizerFormula, three_lists, 3},
    {"_foreach_addcdiv", kOptimizerFormula, three_lists, 3},
    {"_foreach_sqrt", kOptimizerFormula, one_list, 1},
    {"_foreach_reciprocal", kOptimizerFormula, one_list, 1},
    {"_foreach_exp", kOptimizerFormula, one_list, 1},
    {"_foreach_neg", kOptimizerFormula, one_list, 0},
    {"_foreach_abs", kOptimizerFormula, one_list, 0},
    {"_foreach_norm", kOptimizerFormula, reduced, 2},
    {"_foreach_zero", kOptimizerFormula, zeroed, 0},
    {"_amp_foreach_non_finite_check_and_unscale", kOptimizerFormula, one_list, 1},
    {"_fused_adam", kOptimizerFormula, adam, 13},
    {"_fused_adamw", kOptimizerFormula, adam, 15},
    {"_fused_sgd", kOptimizerFormula, sgd, 4},
};

}  // namespace

std::span<const NamedOperator> list_operators() { return kListOperators; }

}  // namespace xsp::analysis
