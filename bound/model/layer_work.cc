#include "bound/model/layer_work.h"

#include <algorithm>

#include "analysis/work/operator_work.h"
#include "bound/model/layer_class.h"
#include "bound/model/short_text.h"
#include "bound/problems/geometry.h"
#include "bound/problems/plain_values.h"

namespace xsp::bound {
namespace {

/// Flops of operators that analysis has no formula for.
struct RateOfType {
  std::string_view type;
  double flops;
  bool is_of_input = false;  // for each element of the first input, else of the first output
};
constexpr RateOfType kRates[] = {
    {"Acos", 1},
    {"Acosh", 1},
    {"Asin", 1},
    {"Asinh", 1},
    {"Atan", 1},
    {"Atanh", 1},
    {"BitShift", 0},
    {"BitwiseAnd", 0},
    {"BitwiseNot", 0},
    {"BitwiseOr", 0},
    {"BitwiseXor", 0},
    {"Ceil", 0},
    {"Celu", 3},  // exp, − 1, ×
    {"Cosh", 1},
    {"CumSum", 1, true},
    {"DequantizeLinear", 2},  // − zero point, × scale
    {"Floor", 0},
    {"GreaterOrEqual", 0},
    {"Hardmax", 0},
    {"IsInf", 0},
    {"IsNaN", 0},
    {"LessOrEqual", 0},
    {"LpNormalization", 3},            // square, sum, ÷
    {"MeanVarianceNormalization", 5},  // as a normalization without parameters
    {"Mish", 5},
    {"Mod", 1},
    {"QuantizeLinear", 2},  // ÷ scale, + zero point
    {"ReduceL1", 1, true},
    {"ReduceLogSum", 1, true},
    {"ReduceLogSumExp", 3, true},
    {"ReduceProd", 1, true},
    {"Round", 0},
    {"Shrink", 1},
    {"Sign", 0},
    {"Sinh", 1},
    {"Softsign", 2},
    {"Swish", 4},
    {"Tan", 1},
    {"ThresholdedRelu", 0},
    {"TopK", 0},
    {"Xor", 0},
};

/// Of inputs and used outputs; types of less than a byte count as what they are.
double bytes_of_all(const NodeView& view) {
  double bytes = 0;
  for (size_t i = 0; i < view.inputs(); ++i) {
    if (view.input(i) != nullptr) bytes += view.input(i)->elements() * bytes_of(view.input(i)->element);
  }
  for (size_t i = 0; i < view.outputs(); ++i) {
    if (view.output(i) != nullptr && (i == 0 || view.is_output_used(i)))
      bytes += view.output(i)->elements() * bytes_of(view.output(i)->element);
  }
  return bytes;
}

/// Of a tensor no more is read than is written.
double moved_bytes(const NodeView& view) {
  double written = 0;
  for (size_t i = 0; i < view.outputs(); ++i) {
    if (view.output(i) != nullptr) written += view.output(i)->elements() * bytes_of(view.output(i)->element);
  }
  double read = 0;
  for (size_t i = 0; i < view.inputs(); ++i) {
    if (view.input(i) != nullptr)
      read += std::min(written, view.input(i)->elements() * bytes_of(view.input(i)->element));
  }
  return read + written;
}

double elements_of_result(const Problem& problem) {
  return static_cast<double>(elements_in(result_dimensions(problem)).value_or(0));
}

/// Flops of kinds whose settings say what shapes alone do not.
std::optional<double> flops_by_problem(const Problem& problem) {
  const double results = elements_of_result(problem);
  if (problem.kind() == "matmul") return 2 * multiply_adds_of(problem) + (problem.field("bias") == "0" ? 0 : results);
  // R·S − 1 additions and a division.
  if (problem.kind() == "avgpool")
    return results * static_cast<double>(elements_in(problem.dimensions("kernel")).value_or(0));
  // Squares, the sum of a window, × alpha and + bias, the power, ÷.
  if (problem.kind() == "lrn") return results * static_cast<double>(problem.integer("size") + 5);
  // A multiply-add for each corner that a result lies between.
  if (problem.kind() == "resize" && problem.field("alg") == "linear") {
    double corners = 1;
    const Dimensions source = problem.dimensions("src");
    const Dimensions result = problem.dimensions("dst");
    for (size_t i = 0; i < source.size(); ++i) corners *= source[i] == result[i] ? 1 : 2;
    return 2 * corners * results;
  }
  return {};
}

std::optional<double> flops_by_type(const NodeView& view) {
  if (!view.node().domain.empty()) return {};
  const auto* const rate = std::ranges::find(kRates, view.node().type, &RateOfType::type);
  if (rate == std::end(kRates)) return {};
  const ValueFacts* counted = rate->is_of_input ? view.input(0) : view.output(0);
  return counted == nullptr ? std::nullopt : std::optional(rate->flops * counted->elements());
}

std::optional<analysis::Work> listed_work(const NodeView& view) {
  if (!view.node().domain.empty() && view.node().domain != "com.microsoft") return {};
  // Longer texts are cut: a cut one says nothing of the work.
  constexpr size_t kMostText = 4096;
  const std::string inputs = inputs_text(view, kMostText);
  const std::string outputs = outputs_text(view, kMostText);
  if (is_cut(inputs) || is_cut(outputs)) return {};
  return analysis::operator_work({.name = view.node().type, .inputs = inputs, .outputs = outputs, .values = ""});
}

}  // namespace

LayerWork work_of(const NodeView& view, const Problem& problem) {
  const bool moves = classify(view).layer_class == LayerClass::kMovement;
  LayerWork work;
  if (const auto listed = listed_work(view)) {
    work.flops = listed->flops;
    // Types that analysis does not know have no bytes there.
    if (listed->has_bytes && listed->read_bytes > 0 && listed->write_bytes > 0)
      work.bytes = listed->read_bytes + listed->write_bytes;
  }
  if (const auto flops = flops_by_problem(problem)) work.flops = flops;
  if (!work.flops) work.flops = moves ? std::optional<double>(0) : flops_by_type(view);
  if (!work.bytes) work.bytes = moves ? moved_bytes(view) : bytes_of_all(view);
  return work;
}

double multiply_adds_of(const Problem& problem) {
  const Dimensions weight = problem.dimensions("wei");
  if (weight.empty() || weight[0] == 0) return 0;
  const auto for_each = [&weight] {
    return static_cast<double>(elements_in(weight).value_or(0)) / static_cast<double>(weight[0]);
  };
  if (problem.kind() == "conv") return elements_of_result(problem) * for_each();
  if (problem.kind() == "deconv")
    return static_cast<double>(elements_in(problem.dimensions("src")).value_or(0)) * for_each();
  if (problem.kind() != "matmul") return 0;
  return elements_of_result(problem) * static_cast<double>(product_form(problem).value_or(ProductForm()).depth);
}

}  // namespace xsp::bound
