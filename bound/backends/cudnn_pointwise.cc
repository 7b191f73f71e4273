#include <algorithm>
#include <limits>

#include "bound/backends/cudnn_draft.h"

namespace xsp::bound::cudnn {
namespace {

struct ElementwiseForm {
  std::string_view name;
  TensorId (*draw)(Draft* draft, TensorId x, double alpha, double beta);
};

TensorId clip(Draft* draft, TensorId x, double lower, double upper) {
  // Bounds are numbers of f32, and infinity is none that every engine takes.
  constexpr double kFarthest = std::numeric_limits<float>::max();
  return draft->unary(CUDNN_POINTWISE_RELU_FWD, x,
                      {{CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, std::max(lower, -kFarthest)},
                       {CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, std::min(upper, kFarthest)}});
}

TensorId hard_sigmoid(Draft* draft, TensorId x, double alpha, double beta) {
  const TensorId scaled = draft->binary(CUDNN_POINTWISE_MUL, x, alpha);
  return clip(draft, draft->binary(CUDNN_POINTWISE_ADD, scaled, beta), 0, 1);
}

template <PointwiseMode kMode>
TensorId plain(Draft* draft, TensorId x, double, double) {
  return draft->unary(kMode, x);
}

TensorId leaky_relu(Draft* draft, TensorId x, double alpha, double) {
  return draft->unary(CUDNN_POINTWISE_RELU_FWD, x, {{CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, alpha}});
}

TensorId elu(Draft* draft, TensorId x, double alpha, double) {
  return draft->unary(CUDNN_POINTWISE_ELU_FWD, x, {{CUDNN_ATTR_POINTWISE_ELU_ALPHA, alpha}});
}

TensorId selu(Draft* draft, TensorId x, double alpha, double beta) {
  return draft->binary(CUDNN_POINTWISE_MUL, elu(draft, x, alpha, 0), beta);
}

TensorId silu(Draft* draft, TensorId x, double alpha, double) {
  return draft->unary(CUDNN_POINTWISE_SWISH_FWD, x, {{CUDNN_ATTR_POINTWISE_SWISH_BETA, alpha}});
}

TensorId hard_swish(Draft* draft, TensorId x, double, double) {
  return draft->binary(CUDNN_POINTWISE_MUL, hard_sigmoid(draft, x, 1.0 / 6, 0.5), x);
}

TensorId square(Draft* draft, TensorId x, double, double) { return draft->binary(CUDNN_POINTWISE_MUL, x, x); }

TensorId mish(Draft* draft, TensorId x, double, double) {
  const TensorId soft = draft->unary(CUDNN_POINTWISE_SOFTPLUS_FWD, x);
  return draft->binary(CUDNN_POINTWISE_MUL, draft->unary(CUDNN_POINTWISE_TANH_FWD, soft), x);
}

constexpr ElementwiseForm kElementwiseForms[] = {
    {"relu", plain<CUDNN_POINTWISE_RELU_FWD>},
    {"leaky_relu", leaky_relu},
    {"elu", elu},
    {"selu", selu},
    {"clip", clip},
    {"sigmoid", plain<CUDNN_POINTWISE_SIGMOID_FWD>},
    {"hardsigmoid", hard_sigmoid},
    {"hardswish", hard_swish},
    {"tanh", plain<CUDNN_POINTWISE_TANH_FWD>},
    {"exp", plain<CUDNN_POINTWISE_EXP>},
    {"log", plain<CUDNN_POINTWISE_LOG>},
    {"sqrt", plain<CUDNN_POINTWISE_SQRT>},
    {"abs", plain<CUDNN_POINTWISE_ABS>},
    {"neg", plain<CUDNN_POINTWISE_NEG>},
    {"reciprocal", plain<CUDNN_POINTWISE_RECIPROCAL>},
    {"square", square},
    {"erf", plain<CUDNN_POINTWISE_ERF>},
    {"gelu_erf", plain<CUDNN_POINTWISE_GELU_FWD>},
    {"gelu_tanh", plain<CUDNN_POINTWISE_GELU_APPROX_TANH_FWD>},
    {"softplus", plain<CUDNN_POINTWISE_SOFTPLUS_FWD>},
    {"silu", silu},
    {"mish", mish},
    {"floor", plain<CUDNN_POINTWISE_FLOOR>},
    {"ceil", plain<CUDNN_POINTWISE_CEIL>},
    {"sin", plain<CUDNN_POINTWISE_SIN>},
    {"cos", plain<CUDNN_POINTWISE_COS>},
};

constexpr std::pair<std::string_view, PointwiseMode> kBinaryModes[] = {
    {"add", CUDNN_POINTWISE_ADD}, {"sub", CUDNN_POINTWISE_SUB}, {"mul", CUDNN_POINTWISE_MUL},
    {"div", CUDNN_POINTWISE_DIV}, {"min", CUDNN_POINTWISE_MIN}, {"max", CUDNN_POINTWISE_MAX},
    {"pow", CUDNN_POINTWISE_POW},
};

/// A tensor whose elements may lie in any order, as three dimensions.
Dimensions as_row(const Dimensions& dimensions) { return {1, 1, elements_in(dimensions).value_or(0)}; }

}  // namespace

Status Draft::apply(const PostStep& step, TensorId* tensor) {
  const auto* const found = std::ranges::find(kElementwiseForms, std::string_view(step.alg), &ElementwiseForm::name);
  if (found == std::end(kElementwiseForms)) return {"cuDNN computes no " + step.alg, ""};
  *tensor = found->draw(this, *tensor, step.alpha, step.beta);
  return {};
}

Status draw_elementwise(const ProblemInput& input, std::vector<Graph>* graphs) {
  const auto source = input.operand("src");
  if (!source) return {"a function of nothing", ""};
  Draft draft(input, DataLayout::kPlain);
  TensorId y = draft.operand(*source, as_row(input.dimensions_of(*source)));
  PostStep step{std::string(input.problem().field("alg"))};
  step.alpha = input.problem().number("alpha");
  step.beta = input.problem().number("beta");
  if (Status status = draft.apply(step, &y); !status.ok()) return status;
  graphs->push_back(std::move(draft).finish(y));
  return {};
}

namespace {

/// Operands of one rank, neighbouring dimensions along which each operand either has all of the result or one element
/// folded into one.
std::vector<Dimensions> folded_for_broadcast(const Dimensions& result, std::vector<Dimensions> operands) {
  std::vector<Dimensions> folded(operands.size());
  for (Dimensions& operand : operands) operand.insert(operand.begin(), result.size() - operand.size(), 1);
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i] == 1) continue;
    const auto is_alike = [&](size_t operand) {
      return i > 0 && !folded[operand].empty() && (folded[operand].back() == 1) == (operands[operand][i] == 1);
    };
    bool joins = true;
    for (size_t k = 0; k < operands.size(); ++k) joins = joins && is_alike(k);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (joins) {
        folded[k].back() *= operands[k][i];
      } else {
        folded[k].push_back(operands[k][i]);
      }
    }
  }
  for (Dimensions& dimensions : folded) {
    if (dimensions.size() < 3) dimensions.insert(dimensions.begin(), 3 - dimensions.size(), 1);
  }
  return folded;
}

}  // namespace

Status draw_binary(const ProblemInput& input, std::vector<Graph>* graphs) {
  const auto first = input.operand("src0"), second = input.operand("src1");
  const auto* const mode =
      std::ranges::find(kBinaryModes, input.problem().field("alg"), &std::pair<std::string_view, PointwiseMode>::first);
  if (!first || !second || mode == std::end(kBinaryModes)) return {"no operation that cuDNN knows", ""};
  const std::vector<Dimensions> folded =
      folded_for_broadcast(input.result(), {input.dimensions_of(*first), input.dimensions_of(*second)});
  Draft draft(input, DataLayout::kPlain);
  const TensorId a = draft.operand(*first, folded[0]);
  const TensorId b = draft.operand(*second, folded[1]);
  const TensorId y = draft.binary(mode->second, a, b);
  graphs->push_back(std::move(draft).finish(y));
  return {};
}

Status draw_cast(const ProblemInput& input, std::vector<Graph>* graphs) {
  const auto source = input.operand("src");
  if (!source) return {"a cast of nothing", ""};
  Draft draft(input, DataLayout::kPlain);
  const TensorId x = draft.operand(*source, as_row(input.dimensions_of(*source)));
  const TensorId y = draft.unary(CUDNN_POINTWISE_IDENTITY, x);
  graphs->push_back(std::move(draft).finish(y));
  return {};
}

}  // namespace xsp::bound::cudnn
