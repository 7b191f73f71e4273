#include "bound/problems/operand_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bound/problems/post_steps.h"

namespace xsp::bound {
namespace {

using Operands = std::vector<OperandShape>;

struct WholeType {
  std::string_view name;
  WholeLimits limits;
};
constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr WholeType kWholeTypes[] = {
    {"u8", {0, 255}},         {"i8", {-128, 127}},
    {"u16", {0, 65535}},      {"i16", {-32768, 32767}},
    {"u32", {0, 4294967295}}, {"i32", {-2147483648.0, 2147483647}},
    {"u64", {0, kNoLimit}},   {"i64", {-kNoLimit, kNoLimit}},
    {"u4", {0, 15}},          {"i4", {-8, 7}},
    {"bool", {0, 1}},
};

/// Floating point of eight bits holds quarters up to 4, and no sixteenths above 1.
ValueRange range_of_small_float(ValueRange range) {
  switch (range) {
    case ValueRange::kFine:
      return ValueRange::kCoarse;
    case ValueRange::kPositive:
      return ValueRange::kPositiveCount;
    case ValueRange::kDivisor:
      return ValueRange::kPositiveCount;
    default:
      return range;
  }
}

/// What a type can hold of a range.
ValueRange range_for(std::string_view element, ValueRange range) {
  if (element.starts_with("f8")) return range_of_small_float(range);
  if (!is_whole(element)) return range;
  const bool is_signed = whole_limits(element).least < 0;
  if (element == "bool") return ValueRange::kTwoValues;
  if (range == ValueRange::kWeight) return is_signed ? ValueRange::kSparseSign : ValueRange::kSparse;
  if (range == ValueRange::kSign && is_signed) return range;
  if (range == ValueRange::kDivisor || range == ValueRange::kNotZero || range == ValueRange::kSign)
    return ValueRange::kPositiveCount;
  return ValueRange::kCount;
}

/// A destination of integers has its bias in the type of the sums.
std::string bias_type(const Problem& problem) {
  const auto types = problem.types();
  return is_whole(types.source) ? "i32" : types.destination;
}

void add_product_operands(const Problem& problem, Dimensions bias, Operands* operands) {
  const auto types = problem.types();
  operands->push_back({"src", types.source, problem.dimensions("src"), ValueRange::kCoarse});
  operands->push_back({"wei", types.weights, problem.dimensions("wei"), ValueRange::kWeight});
  if (problem.has("bias") && problem.field("bias") != "0")
    operands->push_back({"bias", bias_type(problem), std::move(bias), ValueRange::kFine});
}

void add_convolution_operands(const Problem& problem, const Dimensions& result, Operands* operands) {
  add_product_operands(problem, {result[1]}, operands);
}

void add_matrix_operands(const Problem& problem, const Dimensions&, Operands* operands) {
  add_product_operands(problem, problem.dimensions("bias"), operands);
}

void add_one_source(const Problem& problem, ValueRange range, Operands* operands) {
  operands->push_back({"src", problem.types().source, problem.dimensions("src"), range});
}

void add_fine_source(const Problem& problem, const Dimensions&, Operands* operands) {
  add_one_source(problem, ValueRange::kFine, operands);
}

void add_elementwise_source(const Problem& problem, const Dimensions&, Operands* operands) {
  using Domain = ElementwiseAlgorithm::Domain;
  const Domain domain = elementwise_algorithm(problem.field("alg"))->domain;
  add_one_source(problem,
                 domain == Domain::kPositive  ? ValueRange::kPositive
                 : domain == Domain::kNotZero ? ValueRange::kNotZero
                                              : ValueRange::kFine,
                 operands);
}

void add_binary_operands(const Problem& problem, const Dimensions&, Operands* operands) {
  const std::string_view alg = problem.field("alg");
  const auto types = problem.types();
  const bool is_power = alg == "pow";
  operands->push_back(
      {"src0", types.source, problem.dimensions("src0"), is_power ? ValueRange::kDivisor : ValueRange::kFine});
  operands->push_back({"src1", types.weights, problem.dimensions("src1"),
                       alg == "div" ? ValueRange::kDivisor
                       : is_power   ? ValueRange::kCoarse
                                    : ValueRange::kFine});
}

void add_batch_norm_operands(const Problem& problem, const Dimensions& result, Operands* operands) {
  add_fine_source(problem, result, operands);
  const std::string type = problem.types().source;
  operands->push_back({"scale", type, {result[1]}, ValueRange::kCoarse});
  operands->push_back({"shift", type, {result[1]}, ValueRange::kCoarse});
  operands->push_back({"mean", type, {result[1]}, ValueRange::kCoarse});
  operands->push_back({"variance", type, {result[1]}, ValueRange::kDivisor});
}

void add_layer_norm_operands(const Problem& problem, const Dimensions& result, Operands* operands) {
  add_fine_source(problem, result, operands);
  const std::string type = problem.types().source;
  const Dimensions inner(result.begin() + problem.integer("axis"), result.end());
  operands->push_back({"scale", type, inner, ValueRange::kCoarse});
  if (problem.integer("bias") != 0) operands->push_back({"bias", type, inner, ValueRange::kCoarse});
}

/// Both tensors that are added, and a row that may be, then what the normalization has.
void add_added_norm_operands(const Problem& problem, const Dimensions& result, Operands* operands) {
  add_fine_source(problem, result, operands);
  const std::string type = problem.types().source;
  const Dimensions inner(result.begin() + problem.integer("axis"), result.end());
  operands->push_back({"skip", type, result, ValueRange::kFine});
  operands->push_back({"scale", type, inner, ValueRange::kCoarse});
  if (problem.integer("bias") != 0) operands->push_back({"bias", type, inner, ValueRange::kCoarse});
  if (problem.integer("row") != 0) operands->push_back({"row", type, inner, ValueRange::kCoarse});
}

void add_attention_operands(const Problem& problem, const Dimensions&, Operands* operands) {
  const std::string type = problem.types().source;
  for (const char* const name : {"q", "k", "v"})
    operands->push_back({name, type, problem.dimensions(name), ValueRange::kCoarse});
  if (problem.field("mask") != "0")
    operands->push_back({"mask", type, problem.dimensions("mask"), ValueRange::kCoarse});
}

void add_reduced_source(const Problem& problem, const Dimensions&, Operands* operands) {
  add_one_source(problem, problem.field("alg") == "prod" ? ValueRange::kSign : ValueRange::kCoarse, operands);
}

void add_concatenated(const Problem& problem, const Dimensions&, Operands* operands) {
  const auto sources = concatenated(problem);
  for (size_t i = 0; i < sources.size(); ++i)
    operands->push_back({fmt::format("srcs.{}", i), problem.types().source, sources[i], ValueRange::kFine});
}

void add_cast_source(const Problem& problem, const Dimensions&, Operands* operands) {
  const std::string from(problem.field("from"));
  // Both types can hold what the narrower one can.
  const ValueRange range = range_for(problem.field("to"), ValueRange::kFine);
  operands->push_back({"src", from, problem.dimensions("src"), range});
}

struct OperandsOfKind {
  std::string_view kind;
  void (*add)(const Problem& problem, const Dimensions& result, Operands* operands);
};
constexpr OperandsOfKind kOperandsOfKinds[] = {
    {"conv", add_convolution_operands},
    {"deconv", add_convolution_operands},
    {"matmul", add_matrix_operands},
    {"maxpool", add_fine_source},
    {"avgpool", add_fine_source},
    {"eltwise", add_elementwise_source},
    {"binary", add_binary_operands},
    {"softmax", add_fine_source},
    {"batchnorm", add_batch_norm_operands},
    {"layernorm", add_layer_norm_operands},
    {"addnorm", add_added_norm_operands},
    {"sdpa", add_attention_operands},
    {"lrn", add_fine_source},
    {"reduce", add_reduced_source},
    {"concat", add_concatenated},
    {"transpose", add_fine_source},
    {"resize", add_fine_source},
    {"cast", add_cast_source},
};

}  // namespace

std::string stored_type(std::string element) { return element == "tf32" ? "f32" : element; }

bool is_whole(std::string_view element) {
  return std::ranges::find(kWholeTypes, element, &WholeType::name) != std::end(kWholeTypes);
}

WholeLimits whole_limits(std::string_view element) {
  const auto* const found = std::ranges::find(kWholeTypes, element, &WholeType::name);
  return found == std::end(kWholeTypes) ? WholeLimits{-kNoLimit, kNoLimit} : found->limits;
}

std::vector<OperandShape> operand_shapes(const Problem& problem) {
  const auto result = checked_result_dimensions(problem);
  const auto* const found = std::ranges::find(kOperandsOfKinds, problem.kind(), &OperandsOfKind::kind);
  if (!result || found == std::end(kOperandsOfKinds)) return {};
  Operands operands;
  found->add(problem, *result, &operands);

  size_t added = 0;
  for (const PostStep& step : post_steps(problem.field("post"))) {
    if (!step.is_add()) continue;
    operands.push_back(
        {added == 0 ? "add" : fmt::format("add.{}", added), problem.types().destination, *result, ValueRange::kFine});
    ++added;
  }
  for (OperandShape& operand : operands) {
    operand.range = range_for(operand.element, operand.range);
    operand.element = stored_type(operand.element);
    if (!elements_in(operand.dimensions)) return {};
  }
  return operands;
}

}  // namespace xsp::bound
