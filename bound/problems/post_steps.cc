#include "bound/problems/post_steps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/number_text.h"
#include "bound/problems/problem.h"

namespace xsp::bound {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

double hard_sigmoid(double x, double alpha, double beta) { return std::clamp(alpha * x + beta, 0.0, 1.0); }

double gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

using Domain = ElementwiseAlgorithm::Domain;

constexpr ElementwiseAlgorithm kElementwiseAlgorithms[] = {
    {"relu", [](double x, double, double) { return std::max(x, 0.0); }, 0},
    {"leaky_relu", [](double x, double alpha, double) { return x < 0 ? alpha * x : x; }, 1},
    {"elu", [](double x, double alpha, double) { return x < 0 ? alpha * std::expm1(x) : x; }, 1},
    {"selu", [](double x, double alpha, double beta) { return beta * (x > 0 ? x : alpha * std::expm1(x)); }, 2},
    {"clip", [](double x, double alpha, double beta) { return std::min(std::max(x, alpha), beta); }, 2},
    {"sigmoid", [](double x, double, double) { return sigmoid(x); }, 0},
    {"hardsigmoid", hard_sigmoid, 2},
    {"hardswish", [](double x, double, double) { return x * hard_sigmoid(x, 1.0 / 6, 0.5); }, 0},
    {"tanh", [](double x, double, double) { return std::tanh(x); }, 0},
    {"exp", [](double x, double, double) { return std::exp(x); }, 0},
    {"log", [](double x, double, double) { return std::log(x); }, 0, Domain::kPositive},
    {"sqrt", [](double x, double, double) { return std::sqrt(x); }, 0, Domain::kPositive},
    {"abs", [](double x, double, double) { return std::abs(x); }, 0},
    {"neg", [](double x, double, double) { return -x; }, 0},
    {"reciprocal", [](double x, double, double) { return 1 / x; }, 0, Domain::kNotZero},
    {"square", [](double x, double, double) { return x * x; }, 0},
    {"erf", [](double x, double, double) { return std::erf(x); }, 0},
    {"gelu_erf", [](double x, double, double) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }, 0},
    {"gelu_tanh", [](double x, double, double) { return gelu_tanh(x); }, 0},
    {"softplus", [](double x, double, double) { return softplus(x); }, 0},
    {"silu", [](double x, double alpha, double) { return x * sigmoid(alpha * x); }, 1},
    {"mish", [](double x, double, double) { return x * std::tanh(softplus(x)); }, 0},
    // Halves go to the even neighbour.
    {"round", [](double x, double, double) { return std::nearbyint(x); }, 0},
    {"floor", [](double x, double, double) { return std::floor(x); }, 0},
    {"ceil", [](double x, double, double) { return std::ceil(x); }, 0},
    {"sin", [](double x, double, double) { return std::sin(x); }, 0},
    {"cos", [](double x, double, double) { return std::cos(x); }, 0},
};

PostStep parsed_step(std::string_view text) {
  PostStep unknown{std::string(text)};
  const size_t open = text.find('(');
  PostStep step{std::string(text.substr(0, open))};
  if (open == std::string_view::npos) return step;
  if (!text.ends_with(')')) return unknown;
  std::string_view arguments = text.substr(open + 1, text.size() - open - 2);
  for (double* const argument : {&step.alpha, &step.beta}) {
    const size_t comma = arguments.find(',');
    const auto number = number_in<double>(arguments.substr(0, comma));
    if (!number) return unknown;
    *argument = *number;
    ++step.arguments;
    if (comma == std::string_view::npos) return step;
    arguments.remove_prefix(comma + 1);
  }
  return unknown;
}

}  // namespace

std::vector<PostStep> post_steps(std::string_view post) {
  std::vector<PostStep> steps;
  size_t begin = 0;
  size_t depth = 0;  // the exponent of a bound may have a sign: clip(0,1e+10)
  for (size_t i = 0; i <= post.size() && !post.empty(); ++i) {
    if (i < post.size() && post[i] == '(') ++depth;
    if (i < post.size() && post[i] == ')' && depth > 0) --depth;
    if (i < post.size() && (post[i] != '+' || depth > 0)) continue;
    steps.push_back(parsed_step(post.substr(begin, i - begin)));
    begin = i + 1;
  }
  return steps;
}

std::string text_of(const PostStep& step) {
  if (step.arguments == 0) return step.alg;
  if (step.arguments == 1) return step.alg + "(" + number_text(step.alpha) + ")";
  return step.alg + "(" + number_text(step.alpha) + "," + number_text(step.beta) + ")";
}

const ElementwiseAlgorithm* elementwise_algorithm(std::string_view name) {
  const auto* const found = std::ranges::find(kElementwiseAlgorithms, name, &ElementwiseAlgorithm::name);
  return found == std::end(kElementwiseAlgorithms) ? nullptr : found;
}

}  // namespace xsp::bound
