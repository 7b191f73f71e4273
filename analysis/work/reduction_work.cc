#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

using Arguments = OperatorArguments;
using Result = std::optional<Work>;

constexpr auto kReductionFormula = FormulaId::kReduction;

/// Elements that are left when the dimensions of argument `at` are reduced; nothing where they are not known.
std::optional<double> reduced(const Arguments& arguments, const TensorShape& input, size_t at) {
  if (arguments.values() == 0) return {};
  if (!arguments.has_value(at)) return 1;
  const auto dimensions = arguments.integers(at);
  if (!dimensions) return {};
  if (dimensions->empty()) return 1;
  double left = input.elements;
  for (const int64_t dimension : *dimensions) {
    const auto rank = static_cast<int64_t>(input.rank());
    const int64_t index = dimension < 0 ? dimension + rank : dimension;
    if (index < 0 || index >= rank) return rank == 0 ? std::optional<double>(1) : std::nullopt;
    const auto size = static_cast<double>(input.dimensions[static_cast<size_t>(index)]);
    if (size == 0) return {};
    left /= size;
  }
  return left;
}

Result reduction(const Arguments& arguments, size_t dimensions_at, double flops) {
  const TensorShape* input = arguments.input(0);
  if (input == nullptr) return {};
  const TensorShape* output = arguments.output(0);
  const auto left = output != nullptr ? output->elements : reduced(arguments, *input, dimensions_at);
  auto work = work_of(kReductionFormula, flops * input->elements, input->bytes(),
                      output != nullptr ? output->bytes() : left.value_or(0) * element_bytes(input->element),
                      data_type_of(input->element));
  if (work && !left) work->has_bytes = false;
  return work;
}

/// sum(self, dim, …); of sum(self, dtype) the second argument is a number too, so that only three or more tell.
Result sum(const Arguments& arguments, double flops) {
  return reduction(arguments, arguments.inputs() > 2 ? 1 : SIZE_MAX, flops);
}
/// self, dim, …
Result at_second(const Arguments& arguments, double flops) { return reduction(arguments, 1, flops); }
/// self, p, dim, …
Result at_third(const Arguments& arguments, double flops) { return reduction(arguments, 2, flops); }
/// Every element of the input has one of the output.
Result scan(const Arguments& arguments, double flops) {
  const TensorShape* input = arguments.input(0);
  if (input == nullptr) return {};
  return work_of(kReductionFormula, flops * input->elements, input->bytes(), input->bytes(),
                 data_type_of(input->element));
}
/// self, target, …: the loss of each row.
Result loss(const Arguments& arguments, double flops) {
  const TensorShape* target = arguments.input(1);
  const TensorShape* input = arguments.input(0);
  if (target == nullptr || input == nullptr) return {};
  const double size = element_bytes(input->element);
  return work_of(kReductionFormula, flops * target->elements, target->bytes() + size * target->elements, size,
                 data_type_of(input->element));
}
/// grad_output, self, target: as large as self.
Result loss_backward(const Arguments& arguments, double flops) {
  const TensorShape* input = arguments.input(1);
  const TensorShape* target = arguments.input(2);
  if (target == nullptr || input == nullptr) return {};
  return work_of(kReductionFormula, flops * target->elements, target->bytes() + bytes_of(arguments.input(0)),
                 input->bytes(), data_type_of(input->element));
}
/// ONNX and TensorFlow: the output is known.
Result reduction_of_graph(const Arguments& arguments, double flops) { return reduction(arguments, SIZE_MAX, flops); }

constexpr NamedOperator kReductionOperators[] = {
    {"sum", kReductionFormula, sum, 1},
    {"mean", kReductionFormula, sum, 1},
    {"nansum", kReductionFormula, sum, 1},
    {"prod", kReductionFormula, at_second, 1},
    {"max", kReductionFormula, at_second, 0},
    {"min", kReductionFormula, at_second, 0},
    {"amax", kReductionFormula, at_second, 0},
    {"amin", kReductionFormula, at_second, 0},
    {"argmax", kReductionFormula, at_second, 0},
    {"argmin", kReductionFormula, at_second, 0},
    {"all", kReductionFormula, at_second, 0},
    {"any", kReductionFormula, at_second, 0},
    {"var", kReductionFormula, at_second, 4},
    {"std", kReductionFormula, at_second, 4},
    {"var_mean", kReductionFormula, at_second, 4},
    {"std_mean", kReductionFormula, at_second, 4},
    {"logsumexp", kReductionFormula, at_second, 3},
    {"norm", kReductionFormula, at_third, 2},
    {"linalg_vector_norm", kReductionFormula, at_third, 2},
    {"cumsum", kReductionFormula, scan, 1},
    {"cumprod", kReductionFormula, scan, 1},
    {"nll_loss_forward", kReductionFormula, loss, 1},
    {"nll_loss2d_forward", kReductionFormula, loss, 1},
    {"nll_loss_backward", kReductionFormula, loss_backward, 1},
    {"nll_loss2d_backward", kReductionFormula, loss_backward, 1},
    {"ReduceSum", kReductionFormula, reduction_of_graph, 1},
    {"ReduceMean", kReductionFormula, reduction_of_graph, 1},
    {"ReduceMax", kReductionFormula, reduction_of_graph, 0},
    {"ReduceMin", kReductionFormula, reduction_of_graph, 0},
    {"ReduceL2", kReductionFormula, reduction_of_graph, 2},
    {"ReduceSumSquare", kReductionFormula, reduction_of_graph, 2},
    {"ArgMax", kReductionFormula, reduction_of_graph, 0},
    {"ArgMin", kReductionFormula, reduction_of_graph, 0},
    {"Mean", kReductionFormula, reduction_of_graph, 1},
    {"BiasAddGrad", kReductionFormula, reduction_of_graph, 1},
    {"L2Loss", kReductionFormula, reduction_of_graph, 2},
};

}  // namespace

std::span<const NamedOperator> reduction_operators() { return kReductionOperators; }

}  // namespace xsp::analysis
