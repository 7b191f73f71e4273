#include <algorithm>
#include <utility>

#include "bound/problems/geometry.h"
#include "bound/problems/plain_values.h"
#include "bound/problems/post_steps.h"
#include "bound/shapes/operator_call.h"

namespace xsp::bound {
namespace {

using Result = std::optional<Dimensions>;

/// A scalar is an empty list, as is what cannot be read.
bool is_list_of_dimensions(const Problem& problem, std::string_view name) {
  return problem.has(name) && (problem.field(name).empty() || !problem.dimensions(name).empty());
}

Result source_dimensions(const Problem& problem) {
  if (!is_list_of_dimensions(problem, "src")) return {};
  Dimensions source = problem.dimensions("src");
  return elements_in(source) ? Result(std::move(source)) : std::nullopt;
}

std::optional<size_t> axis_of(const Problem& problem, size_t rank) {
  const int64_t axis = problem.integer("axis", -1);
  return axis >= 0 && std::cmp_less(axis, rank) ? std::optional(static_cast<size_t>(axis)) : std::nullopt;
}

/// Results of a window on each spatial dimension, behind what the caller has put into `result`.
Result windowed(const Problem& problem, const Dimensions& source, const Dimensions& kernel, Dimensions result) {
  const auto window = window_of(problem, kernel);
  if (!window || source.size() != kernel.size() + 2) return {};
  for (size_t i = 0; i < kernel.size(); ++i) {
    const int64_t reach = window->dilations[i] * (kernel[i] - 1) + 1;
    const int64_t room = source[i + 2] + window->pads_begin[i] + window->pads_end[i] - reach;
    if (room < 0) return {};
    result.push_back(room / window->strides[i] + 1);
  }
  return result;
}

/// Of [K, C/g, …] or, of transposed convolutions, [C, K/g, …].
std::optional<Dimensions> kernel_of(const Dimensions& source, const Dimensions& weight, int64_t groups,
                                    bool is_transposed) {
  if (source.size() < 3 || weight.size() != source.size() || groups < 1 || groups > kMostElements) return {};
  if (weight[1] > kMostElements / groups) return {};
  const int64_t input_channels = is_transposed ? weight[0] : weight[1] * groups;
  if (source[1] != input_channels || weight[0] % groups != 0) return {};
  return Dimensions(weight.begin() + 2, weight.end());
}

Result convolution_result(const Problem& problem) {
  const auto source = source_dimensions(problem);
  const Dimensions weight = problem.dimensions("wei");
  if (!source || !elements_in(weight)) return {};
  const auto kernel = kernel_of(*source, weight, problem.integer("groups"), false);
  return kernel ? windowed(problem, *source, *kernel, {(*source)[0], weight[0]}) : std::nullopt;
}

Result transposed_convolution_result(const Problem& problem) {
  const auto source = source_dimensions(problem);
  const Dimensions weight = problem.dimensions("wei");
  const int64_t groups = problem.integer("groups");
  if (!source || !elements_in(weight)) return {};
  const auto kernel = kernel_of(*source, weight, groups, true);
  if (!kernel) return {};
  const auto window = window_of(problem, *kernel);
  const Dimensions extra = problem.dimensions("outpad");
  if (!window || extra.size() != kernel->size()) return {};
  Dimensions result{(*source)[0], weight[1] * groups};
  for (size_t i = 0; i < kernel->size(); ++i) {
    const int64_t in = (*source)[i + 2];
    if (in > (int64_t{1} << 31) || extra[i] > (int64_t{1} << 31)) return {};  // the products below fit
    const int64_t reach = window->dilations[i] * ((*kernel)[i] - 1) + 1;
    const int64_t size = (in - 1) * window->strides[i] + extra[i] + reach - window->pads_begin[i] - window->pads_end[i];
    if (size < 0) return {};
    result.push_back(size);
  }
  return result;
}

Result product_result(const Problem& problem) {
  const auto form = product_form(problem);
  if (!form || !elements_in(problem.dimensions("src")) || !elements_in(problem.dimensions("wei"))) return {};
  Dimensions result = form->batch;
  result.push_back(form->rows);
  result.push_back(form->columns);
  if (problem.field("bias") == "0" || !problem.has("bias")) return result;
  Dimensions sum;
  if (!is_list_of_dimensions(problem, "bias") || !broadcast(result, problem.dimensions("bias"), &sum)) return {};
  return sum == result ? Result(result) : std::nullopt;
}

Result pooling_result(const Problem& problem) {
  const auto source = source_dimensions(problem);
  if (!source || source->size() < 3) return {};
  return windowed(problem, *source, problem.dimensions("kernel"), {(*source)[0], (*source)[1]});
}

Result elementwise_result(const Problem& problem) {
  return elementwise_algorithm(problem.field("alg")) == nullptr ? std::nullopt : source_dimensions(problem);
}

Result binary_result(const Problem& problem) {
  constexpr std::string_view kAlgorithms[] = {"add", "sub", "mul", "div", "min", "max", "pow"};
  if (!is_list_of_dimensions(problem, "src0") || !is_list_of_dimensions(problem, "src1") ||
      std::ranges::find(kAlgorithms, problem.field("alg")) == std::end(kAlgorithms))
    return {};
  Dimensions result;
  return broadcast(problem.dimensions("src0"), problem.dimensions("src1"), &result) ? Result(result) : std::nullopt;
}

Result along_an_axis(const Problem& problem) {
  auto source = source_dimensions(problem);
  return source && axis_of(problem, source->size()) ? source : std::nullopt;
}

/// q [B,H,L,D], k [B,H,S,D], v [B,H,S,E]: [B,H,L,E].
Result attention_result(const Problem& problem) {
  const Dimensions q = problem.dimensions("q"), k = problem.dimensions("k"), v = problem.dimensions("v");
  if (q.size() != 4 || k.size() != 4 || v.size() != 4 || !elements_in(q) || !elements_in(k) || !elements_in(v))
    return {};
  const bool fits = std::equal(q.begin(), q.begin() + 2, k.begin()) &&
                    std::equal(k.begin(), k.begin() + 3, v.begin()) && q[3] == k[3];
  if (!fits) return {};
  const Dimensions scores{q[0], q[1], q[2], k[2]};
  Dimensions masked;
  if (problem.field("mask") != "0" && (!is_list_of_dimensions(problem, "mask") ||
                                       !broadcast(scores, problem.dimensions("mask"), &masked) || masked != scores))
    return {};
  return elements_in(scores) ? Result({q[0], q[1], q[2], v[3]}) : std::nullopt;
}

Result with_channels(const Problem& problem) {
  auto source = source_dimensions(problem);
  return source && source->size() >= 2 ? source : std::nullopt;
}

Result response_norm_result(const Problem& problem) {
  return problem.integer("size") >= 1 ? with_channels(problem) : std::nullopt;
}

Result reduction_result(const Problem& problem) {
  constexpr std::string_view kAlgorithms[] = {"mean", "sum", "max", "min", "prod", "l1", "l2"};
  auto source = source_dimensions(problem);
  const Dimensions axes = problem.list("axes");
  if (!source || axes.empty() || std::ranges::find(kAlgorithms, problem.field("alg")) == std::end(kAlgorithms))
    return {};
  for (const int64_t axis : axes) {
    if (axis < 0 || !std::cmp_less(axis, source->size())) return {};
    (*source)[static_cast<size_t>(axis)] = 1;
  }
  return source;
}

Result concatenation_result(const Problem& problem) {
  const auto sources = concatenated(problem);
  if (sources.empty()) return {};
  Dimensions result = sources[0];
  const auto axis = axis_of(problem, result.size());
  if (!axis) return {};
  for (size_t i = 1; i < sources.size(); ++i) {
    if (sources[i].size() != result.size()) return {};
    for (size_t d = 0; d < result.size(); ++d) {
      if (d == *axis) {
        result[d] += sources[i][d];
      } else if (sources[i][d] != result[d]) {
        return {};
      }
    }
    if (!elements_in(result)) return {};
  }
  return result;
}

Result transposition_result(const Problem& problem) {
  const auto source = source_dimensions(problem);
  const Dimensions order = problem.list("perm");
  if (!source || order.size() != source->size()) return {};
  Dimensions result;
  std::vector<bool> is_used(order.size());
  for (const int64_t from : order) {
    if (from < 0 || !std::cmp_less(from, order.size()) || is_used[static_cast<size_t>(from)]) return {};
    is_used[static_cast<size_t>(from)] = true;
    result.push_back((*source)[static_cast<size_t>(from)]);
  }
  return result;
}

Result resizing_result(const Problem& problem) {
  const auto source = source_dimensions(problem);
  Dimensions result = problem.dimensions("dst");
  const bool is_known = problem.field("alg") == "nearest" || problem.field("alg") == "linear";
  if (!source || !is_known || source->empty() || result.size() != source->size() || elements_in(*source) == 0)
    return {};
  return result;
}

using ResultFunction = Result (*)(const Problem& problem);
constexpr std::pair<std::string_view, ResultFunction> kResults[] = {
    {"conv", convolution_result},     {"deconv", transposed_convolution_result},
    {"matmul", product_result},       {"maxpool", pooling_result},
    {"avgpool", pooling_result},      {"eltwise", elementwise_result},
    {"binary", binary_result},        {"softmax", along_an_axis},
    {"batchnorm", with_channels},     {"layernorm", along_an_axis},
    {"lrn", response_norm_result},    {"reduce", reduction_result},
    {"concat", concatenation_result}, {"transpose", transposition_result},
    {"resize", resizing_result},      {"cast", source_dimensions},
    {"addnorm", along_an_axis},       {"sdpa", attention_result},
};

}  // namespace

std::vector<Dimensions> concatenated(const Problem& problem) {
  std::vector<Dimensions> sources;
  std::string_view text = problem.field("srcs");
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const Problem part = Problem("part").set("dimensions", text.substr(0, end));
    sources.push_back(part.dimensions("dimensions"));
    if (sources.back().empty() || !elements_in(sources.back())) return {};
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return sources;
}

std::optional<Dimensions> checked_result_dimensions(const Problem& problem) {
  const auto* const found =
      std::ranges::find(kResults, problem.kind(), &std::pair<std::string_view, ResultFunction>::first);
  if (found == std::end(kResults)) return {};
  auto result = found->second(problem);
  return result && elements_in(*result) ? result : std::nullopt;
}

std::vector<int64_t> result_dimensions(const Problem& problem) {
  return checked_result_dimensions(problem).value_or(Dimensions());
}

}  // namespace xsp::bound
