#include <algorithm>

#include "bound/model/node_problem.h"
#include "bound/shapes/sliding_window.h"

namespace xsp::bound {
namespace {

using Made = std::optional<NodeProblem>;

Dimensions spatial(const NodeView& view) {
  const Dimensions& image = view.input(0)->dimensions;
  return Dimensions(image.begin() + 2, image.end());
}

/// Only the values are wanted, of images with the channels first.
bool is_plain(const NodeView& view) {
  return view.has_shape(0) && view.have_one_type({0}) && view.input(0)->dimensions.size() >= 3 &&
         !view.is_output_used(1) && view.node().integer("channels_last", 0) == 0;
}

Problem pooling_problem(std::string_view kind, const NodeView& view, const SlidingWindow& window) {
  Problem problem{std::string(kind)};
  problem.set_dimensions("src", view.input(0)->dimensions).set_dimensions("kernel", window.kernel);
  problem.set_dimensions("strides", window.strides).set_list("pads", window.pads);
  return problem;
}

NodeProblem with_type(Problem problem, const NodeView& view) {
  problem.set("dtype", name_of(view.input(0)->element));
  return {std::move(problem), {0}};
}

/// A window as large as the image.
SlidingWindow whole_image(const NodeView& view) {
  SlidingWindow window;
  window.kernel = spatial(view);
  window.strides.assign(window.kernel.size(), 1);
  window.dilations.assign(window.kernel.size(), 1);
  window.pads.assign(2 * window.kernel.size(), 0);
  return window;
}

Made max_pooling(const NodeView& view, std::string_view) {
  SlidingWindow window;
  if (!is_plain(view) || !slide(view.node(), spatial(view), {}, &window).is_known()) return {};
  Problem problem = pooling_problem("maxpool", view, window);
  problem.set_dimensions("dil", window.dilations);
  return with_type(std::move(problem), view);
}

Made average_pooling(const NodeView& view, std::string_view) {
  SlidingWindow window;
  if (!is_plain(view) || !slide(view.node(), spatial(view), {}, &window).is_known()) return {};
  if (std::ranges::any_of(window.dilations, [](int64_t dilation) { return dilation != 1; })) return {};
  const bool has_pads = std::ranges::any_of(window.pads, [](int64_t pad) { return pad != 0; });
  const bool counts_padding = view.node().integer("count_include_pad", 0) != 0 && has_pads;
  // What ceil_mode adds behind the declared padding does not count.
  if (counts_padding && view.node().integer("ceil_mode", 0) != 0) return {};
  Problem problem = pooling_problem("avgpool", view, window);
  problem.set_integer("include_pad", counts_padding ? 1 : 0);
  return with_type(std::move(problem), view);
}

Made global_max_pooling(const NodeView& view, std::string_view) {
  if (!is_plain(view)) return {};
  const SlidingWindow window = whole_image(view);
  Problem problem = pooling_problem("maxpool", view, window);
  problem.set_dimensions("dil", window.dilations);
  return with_type(std::move(problem), view);
}

Made global_average_pooling(const NodeView& view, std::string_view) {
  if (!is_plain(view)) return {};
  Problem problem = pooling_problem("avgpool", view, whole_image(view));
  problem.set("include_pad", "0");
  return with_type(std::move(problem), view);
}

constexpr ProblemRule kPoolingProblems[] = {
    {"", "AveragePool", average_pooling},
    {"", "GlobalAveragePool", global_average_pooling},
    {"", "GlobalMaxPool", global_max_pooling},
    {"", "MaxPool", max_pooling},
};

}  // namespace

std::span<const ProblemRule> pooling_problems() { return kPoolingProblems; }

}  // namespace xsp::bound
