#include <algorithm>

#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

using Arguments = OperatorArguments;
using Result = std::optional<Work>;

/// The type of an output: as told, else that of the first operand.
double output_bytes(const Arguments& arguments, double elements, std::string_view element) {
  if (const TensorShape* output = arguments.output(0)) return output->bytes();
  return elements * element_bytes(element);
}

/// Batch, rows and columns of an operand; one of a single dimension is a row or a column.
struct Matrices {
  double batch = 1;
  double rows = 0;
  double columns = 0;
};

Matrices matrices_of(const TensorShape& shape, bool is_left) {
  Matrices matrices;
  if (shape.rank() == 1) {
    matrices.rows = is_left ? 1 : static_cast<double>(shape.dimension(0));
    matrices.columns = is_left ? static_cast<double>(shape.dimension(0)) : 1;
    return matrices;
  }
  matrices.rows = static_cast<double>(shape.dimension(-2));
  matrices.columns = static_cast<double>(shape.dimension(-1));
  for (size_t i = 0; i + 2 < shape.rank(); ++i) matrices.batch *= static_cast<double>(shape.dimensions[i]);
  return matrices;
}

/// The batch that two operands are broadcast to.
std::optional<double> broadcast_batch(const TensorShape& a, const TensorShape& b) {
  double batch = 1;
  const int most = static_cast<int>(std::max(a.rank(), b.rank()));
  for (int i = 3; i <= most; ++i) {
    const int64_t in_a = static_cast<int>(a.rank()) >= i ? a.dimension(-i) : 1;
    const int64_t in_b = static_cast<int>(b.rank()) >= i ? b.dimension(-i) : 1;
    if (in_a != in_b && in_a != 1 && in_b != 1) return {};
    batch *= static_cast<double>(in_a == 1 ? in_b : in_a);
  }
  return batch;
}

/// Products of matrices of `a` and `b`. `addend` is added to the result unless it is null.
Result product(const Arguments& arguments, const TensorShape* a, const TensorShape* b, const TensorShape* addend) {
  if (a == nullptr || b == nullptr || a->rank() == 0 || b->rank() == 0) return {};
  const Matrices left = matrices_of(*a, true);
  const Matrices right = matrices_of(*b, false);
  const auto batch = broadcast_batch(*a, *b);
  if (!batch || left.columns != right.rows) return {};
  const double results = *batch * left.rows * right.columns;
  const double flops = (2 * results * left.columns) * complex_factor(a->element) + (addend == nullptr ? 0 : results);
  const bool is_vector = a->rank() == 1 || b->rank() == 1;
  return work_of(is_vector ? FormulaId::kMatrixVector : FormulaId::kMatrixProduct, flops,
                 a->bytes() + b->bytes() + bytes_of(addend), output_bytes(arguments, results, a->element),
                 data_type_of(a->element));
}

/// self, mat2.
Result two_operands(const Arguments& arguments, double) {
  return product(arguments, arguments.input(0), arguments.input(1), nullptr);
}

/// self, a, b, beta, alpha: beta·self + alpha·a·b. Also addmv.
Result added_product(const Arguments& arguments, double) {
  const bool has_addend = arguments.number(3).value_or(1) != 0;
  return product(arguments, arguments.input(1), arguments.input(2), has_addend ? arguments.input(0) : nullptr);
}

/// self, batch1, batch2: the products of a batch are added up.
Result added_batches(const Arguments& arguments, double) {
  const TensorShape* a = arguments.input(1);
  const TensorShape* b = arguments.input(2);
  auto work = product(arguments, a, b, nullptr);
  if (!work || arguments.input(0) == nullptr) return {};
  const double results = static_cast<double>(a->dimension(-2)) * static_cast<double>(b->dimension(-1));
  return work_of(FormulaId::kMatrixProduct, work->flops + results,
                 a->bytes() + b->bytes() + bytes_of(arguments.input(0)), output_bytes(arguments, results, a->element),
                 work->type);
}

/// input[…, I], weight[O, I], bias[O].
Result linear(const Arguments& arguments, double) {
  const TensorShape* input = arguments.input(0);
  const TensorShape* weight = arguments.input(1);
  if (input == nullptr || weight == nullptr || weight->rank() > 2 || weight->rank() == 0 || input->rank() == 0)
    return {};
  const auto inner = static_cast<double>(weight->dimension(-1));
  if (static_cast<double>(input->dimension(-1)) != inner || inner == 0) return {};
  const double results = input->elements / inner * (weight->elements / inner);
  const TensorShape* bias = arguments.input(2);
  return work_of(FormulaId::kMatrixProduct, 2 * results * inner + (bias == nullptr ? 0 : results),
                 input->bytes() + weight->bytes() + bytes_of(bias), output_bytes(arguments, results, input->element),
                 data_type_of(input->element));
}

/// self, vec1, vec2: with 3 forms addr, with 2 outer.
Result outer(const Arguments& arguments, double forms) {
  const size_t first = forms == 3 ? 1 : 0;
  const TensorShape* a = arguments.input(first);
  const TensorShape* b = arguments.input(first + 1);
  if (a == nullptr || b == nullptr || a->rank() != 1 || b->rank() != 1) return {};
  const double results = a->elements * b->elements;
  return work_of(FormulaId::kMatrixVector, results * (forms == 3 ? 2 : 1),
                 a->bytes() + b->bytes() + (forms == 3 ? bytes_of(arguments.input(0)) : 0),
                 output_bytes(arguments, results, a->element), data_type_of(a->element));
}

/// Numbers of PyTorch's scalar types.
std::string_view element_of_scalar_type(int64_t number) {
  constexpr std::string_view kNames[] = {"u8",  "i8",  "i16",  "i32",  "i64", "f16", "f32", "f64",
                                         "c32", "c64", "c128", "bool", "",    "",    "",    "bf16"};
  return number < 0 || number >= static_cast<int64_t>(std::size(kNames)) ? "" : kNames[number];
}

/// self, mat2, scale_a, scale_b, bias, scale_result, out_dtype; of older versions self, mat2, bias, out_dtype, …
Result scaled_product(const Arguments& arguments, double) {
  const TensorShape* a = arguments.input(0);
  const TensorShape* b = arguments.input(1);
  auto work = product(arguments, a, b, nullptr);
  if (!work) return {};
  double read = 0;
  double results = static_cast<double>(a->dimension(-2)) * static_cast<double>(b->dimension(-1));
  bool has_bias = false;
  for (size_t i = 0; i < arguments.inputs(); ++i) {
    const TensorShape* input = arguments.input(i);
    read += bytes_of(input);
    has_bias |= i >= 2 && input != nullptr && input->rank() == 1 && input->element != "f32" &&
                input->dimension(0) == b->dimension(-1);
  }
  std::string_view out = "bf16";
  for (const size_t at : {size_t{6}, size_t{3}}) {
    const auto type = arguments.integer(at);
    if (type && !element_of_scalar_type(*type).empty()) {
      out = element_of_scalar_type(*type);
      break;
    }
  }
  return work_of(FormulaId::kMatrixProduct, work->flops + (has_bias ? results : 0), read,
                 output_bytes(arguments, results, out), work->type);
}

/// i8 by i8 to i32.
Result integer_product(const Arguments& arguments, double) {
  auto work = product(arguments, arguments.input(0), arguments.input(1), nullptr);
  if (!work) return {};
  const double results =
      static_cast<double>(arguments.input(0)->dimension(-2)) * static_cast<double>(arguments.input(1)->dimension(-1));
  return work_of(FormulaId::kMatrixProduct, work->flops, work->read_bytes, results * 4, DataType::kI8Tensor);
}

/// Rows of a, or the inner dimension, are divided among groups: the sum of the products is as of one.
Result grouped_product(const Arguments& arguments, double) {
  const TensorShape* a = arguments.input(0);
  const TensorShape* b = arguments.input(1);
  if (a == nullptr || b == nullptr) return {};
  if (a->rank() == 3 && b->rank() == 3) return product(arguments, a, b, nullptr);
  if (a->rank() == 2 && b->rank() == 2) {  // [M, ΣK] × [ΣK, N] to [groups, M, N]
    const TensorShape* offsets = arguments.input(2);
    if (a->dimension(1) != b->dimension(0)) return {};
    const double results = static_cast<double>(a->dimension(0)) * static_cast<double>(b->dimension(1));
    return work_of(FormulaId::kMatrixProduct, 2 * results * static_cast<double>(a->dimension(1)),
                   a->bytes() + b->bytes() + bytes_of(offsets),
                   output_bytes(arguments, results * std::max(1.0, elements_of(offsets)), a->element),
                   data_type_of(a->element));
  }
  const bool rows_divided = a->rank() == 2 && b->rank() == 3;  // [ΣM, K] × [groups, K, N]
  if (!rows_divided && !(a->rank() == 3 && b->rank() == 2)) return {};
  if (a->dimension(-1) != b->dimension(-2)) return {};
  const double results = rows_divided ? static_cast<double>(a->dimension(0)) * static_cast<double>(b->dimension(2))
                                      : static_cast<double>(a->dimension(1)) * static_cast<double>(b->dimension(1));
  return work_of(FormulaId::kMatrixProduct, 2 * results * static_cast<double>(a->dimension(-1)),
                 a->bytes() + b->bytes() + bytes_of(arguments.input(2)), output_bytes(arguments, results, a->element),
                 data_type_of(a->element));
}

/// Weights packed several to an element: their count is that of rows of the packed tensor times `rows`.
Result packed_weights(const Arguments& arguments, double rows) {
  const TensorShape* input = arguments.input(0);
  const TensorShape* weight = arguments.input(1);
  if (input == nullptr || weight == nullptr || input->rank() == 0 || weight->rank() == 0) return {};
  const auto inner = static_cast<double>(input->dimension(-1));
  const double columns = static_cast<double>(weight->dimension(0)) * rows;
  if (inner == 0) return {};
  const double results = input->elements / inner * columns;
  double read = 0;
  for (size_t i = 0; i < arguments.inputs(); ++i) read += bytes_of(arguments.input(i));
  return work_of(FormulaId::kMatrixProduct, 2 * results * inner, read, output_bytes(arguments, results, input->element),
                 data_type_of(input->element));
}

/// ONNX and TensorFlow, where the output tells which operand is transposed.
Result from_output(const Arguments& arguments, const TensorShape* a, const TensorShape* b, const TensorShape* bias) {
  const TensorShape* output = arguments.output(0);
  if (a == nullptr || b == nullptr || a->rank() == 0 || b->rank() == 0) return {};
  if (output == nullptr) return product(arguments, a, b, bias);
  auto inner = static_cast<double>(a->dimension(-1));
  if (output->rank() == 2 && a->rank() > 2) {  // flattened first
    if (output->dimension(0) == 0) return {};
    inner = a->elements / static_cast<double>(output->dimension(0));
  } else if (output->rank() >= 2 && a->rank() >= 2) {
    const auto rows = static_cast<double>(output->dimension(-2));
    const Matrices left = matrices_of(*a, true);
    if (left.rows != rows && left.columns != rows) return {};
    inner = left.rows == rows ? left.columns : left.rows;
  }
  double read = 0;
  for (size_t i = 0; i < arguments.inputs(); ++i) read += bytes_of(arguments.input(i));
  const bool is_byte = a->element == "i8" || a->element == "u8";
  return work_of(FormulaId::kMatrixProduct, 2 * output->elements * inner + (bias == nullptr ? 0 : output->elements),
                 read, output->bytes(), is_byte ? DataType::kI8Tensor : data_type_of(a->element));
}

/// A, B and what is added.
Result with_bias(const Arguments& arguments, double) {
  return from_output(arguments, arguments.input(0), arguments.input(1), arguments.input(2));
}

/// A, B, then what is not added.
Result without_bias(const Arguments& arguments, double second) {
  return from_output(arguments, arguments.input(0), arguments.input(static_cast<size_t>(second)), nullptr);
}

constexpr auto kMatrixFormula = FormulaId::kMatrixProduct;
constexpr auto kVectorFormula = FormulaId::kMatrixVector;

constexpr NamedOperator kMatrixOperators[] = {
    {"mm", kMatrixFormula, two_operands},
    {"bmm", kMatrixFormula, two_operands},
    {"matmul", kMatrixFormula, two_operands},
    {"addmm", kMatrixFormula, added_product},
    {"_addmm_activation", kMatrixFormula, added_product},
    {"baddbmm", kMatrixFormula, added_product},
    {"addbmm", kMatrixFormula, added_batches},
    {"linear", kMatrixFormula, linear},
    {"mkldnn_linear", kMatrixFormula, linear},
    {"_scaled_mm", kMatrixFormula, scaled_product},
    {"_int_mm", kMatrixFormula, integer_product},
    {"_grouped_mm", kMatrixFormula, grouped_product},
    {"_scaled_grouped_mm", kMatrixFormula, grouped_product},
    {"_weight_int8pack_mm", kMatrixFormula, packed_weights, 1},
    {"_weight_int4pack_mm", kMatrixFormula, packed_weights, 8},
    {"mv", kVectorFormula, two_operands},
    {"dot", kVectorFormula, two_operands},
    {"vdot", kVectorFormula, two_operands},
    {"addmv", kVectorFormula, added_product},
    {"outer", kVectorFormula, outer, 2},
    {"ger", kVectorFormula, outer, 2},
    {"addr", kVectorFormula, outer, 3},
    {"MatMul", kMatrixFormula, with_bias},
    {"Gemm", kMatrixFormula, with_bias},
    {"FusedMatMul", kMatrixFormula, without_bias, 1},
    {"FusedGemm", kMatrixFormula, with_bias},
    {"TransposeMatMul", kMatrixFormula, without_bias, 1},
    {"MatMulInteger", kMatrixFormula, without_bias, 1},
    {"QLinearMatMul", kMatrixFormula, without_bias, 3},
    {"BatchMatMul", kMatrixFormula, without_bias, 1},
    {"BatchMatMulV2", kMatrixFormula, without_bias, 1},
    {"BatchMatMulV3", kMatrixFormula, without_bias, 1},
    {"_FusedMatMul", kMatrixFormula, with_bias},
};

}  // namespace

std::span<const NamedOperator> matrix_operators() { return kMatrixOperators; }

}  // namespace xsp::analysis
