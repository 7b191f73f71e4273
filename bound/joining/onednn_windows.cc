// Primitives of oneDNN that move a window over images.
#include <algorithm>

#include "bound/joining/call_node.h"
#include "bound/joining/onednn_post_ops.h"
#include "bound/joining/onednn_problem.h"

namespace xsp::bound {
namespace {

/// One dimension of the images.
struct Axis {
  int64_t input = 1, output = 1, kernel = 1, stride = 1, gap = 0, pad = 0;

  int64_t reach() const { return (kernel - 1) * (gap + 1) + 1; }
};

/// "mb1_ic3oc64_ih224oh112kh7sh2dh0ph3_iw224ow112kw7sw2dw0pw3": the images of a primitive.
struct Images {
  int64_t groups = 1, batch = 1, channels = 1, results = 1;
  std::vector<Axis> axes;
};

/// Sizes of which sums and products stay far from overflow.
constexpr int64_t kLargestSize = int64_t{1} << 30;

std::optional<Axis> axis_of(const OnednnSizes& sizes, char letter, bool has_window) {
  Axis axis;
  struct Part {
    char prefix;
    int64_t* size;
    int64_t least;
    bool is_of_window;
  };
  const Part parts[] = {{'i', &axis.input, 1, false}, {'o', &axis.output, 1, false}, {'k', &axis.kernel, 1, true},
                        {'s', &axis.stride, 1, true}, {'d', &axis.gap, 0, true},     {'p', &axis.pad, 0, true}};
  for (const Part& part : parts) {
    if (part.is_of_window && !has_window) continue;
    const char name[] = {part.prefix, letter};
    const auto size = sizes.of({name, sizeof name});
    if (!size || *size < part.least || *size > kLargestSize) return {};
    *part.size = *size;
  }
  return axis;
}

std::optional<Images> images_of(std::string_view shape, bool has_results, bool has_window) {
  const auto sizes = OnednnSizes::parse(shape);
  if (!sizes) return {};
  Images images;
  images.groups = sizes->of("g").value_or(1);
  images.batch = sizes->of("mb").value_or(0);
  images.channels = sizes->of("ic").value_or(0);
  images.results = has_results ? sizes->of("oc").value_or(0) : images.channels;
  for (const int64_t size : {images.groups, images.batch, images.channels, images.results}) {
    if (size < 1 || size > kLargestSize) return {};
  }
  if (images.channels % images.groups != 0 || images.results % images.groups != 0) return {};
  for (const char letter : {'d', 'h', 'w'}) {
    const char input[] = {'i', letter};
    if (!sizes->of({input, sizeof input})) continue;
    const auto axis = axis_of(*sizes, letter, has_window);
    if (!axis) return {};
    images.axes.push_back(*axis);
  }
  return images.axes.empty() ? std::nullopt : std::optional(std::move(images));
}

/// PyTorch computes a convolution along one dimension with images that are one row high. Images of one pixel stay what
/// they are.
void drop_single_row(Images* images) {
  if (images->axes.size() != 2 || images->axes[1].input == 1) return;
  const Axis& row = images->axes[0];
  if (row.input == 1 && row.output == 1 && row.kernel == 1 && row.pad == 0) images->axes.erase(images->axes.begin());
}

Dimensions sizes_by_axis(const Images& images, int64_t (*of)(const Axis&), Dimensions before = {}) {
  for (const Axis& axis : images.axes) before.push_back(of(axis));
  return before;
}

Dimensions source_of(const Images& images) {
  return sizes_by_axis(images, [](const Axis& axis) { return axis.input; }, {images.batch, images.channels});
}

Dimensions result_of(const Images& images) {
  return sizes_by_axis(images, [](const Axis& axis) { return axis.output; }, {images.batch, images.results});
}

/// Begins, then ends. A line has only the begins: an end is as large where that gives the result, as frameworks mostly
/// have it, else as large as it has to be.
std::optional<Dimensions> pads_of(const Images& images) {
  Dimensions pads = sizes_by_axis(images, [](const Axis& axis) { return axis.pad; });
  for (const Axis& axis : images.axes) {
    int64_t reached = 0;
    if (__builtin_mul_overflow(axis.output - 1, axis.stride, &reached)) return {};
    const int64_t least = reached + axis.reach() - axis.input - axis.pad;
    const int64_t most = least + axis.stride - 1;
    if (most < 0) return {};
    pads.push_back(least <= axis.pad && axis.pad <= most ? axis.pad : std::max<int64_t>(least, 0));
  }
  return pads;
}

void add_window(const Images& images, const Dimensions& pads, CallNode* node) {
  node->integers("strides", sizes_by_axis(images, [](const Axis& axis) { return axis.stride; }));
  node->integers("dilations", sizes_by_axis(images, [](const Axis& axis) { return axis.gap + 1; }));
  node->integers("pads", pads);
}

struct ConvolutionTensors {
  const OnednnTensor* source;
  const OnednnTensor* weights;
  const OnednnTensor* bias;
  const OnednnTensor* result;

  explicit ConvolutionTensors(const OnednnPrimitive& primitive)
      : source(primitive.tensor("src")),
        weights(primitive.tensor("wei")),
        bias(primitive.tensor("bia")),
        result(primitive.tensor("dst")) {}
  bool are_there() const { return source != nullptr && weights != nullptr && result != nullptr; }
};

/// Our own descriptions lack the window. Where pixels are taken as they are, there is none.
std::optional<Images> images_of_pixels(const ConvolutionTensors& tensors) {
  const auto& source = tensors.source->sizes;
  const auto& weights = tensors.weights->sizes;
  const auto& result = tensors.result->sizes;
  if (!source || !weights || !result || source->size() < 3 || result->size() != source->size()) return {};
  const bool has_groups = weights->size() == source->size() + 1;
  if (!has_groups && weights->size() != source->size()) return {};
  Images images{.groups = has_groups ? weights->front() : 1,
                .batch = (*source)[0],
                .channels = (*source)[1],
                .results = (*result)[1]};
  for (size_t i = 2; i < source->size(); ++i) {
    if ((*weights)[i + (has_groups ? 1 : 0)] != 1 || (*source)[i] != (*result)[i]) return {};
    images.axes.push_back({.input = (*source)[i], .output = (*result)[i]});
  }
  if (images.channels % images.groups != 0 || images.results % images.groups != 0) return {};
  return images;
}

std::optional<Images> images_of_convolution(const OnednnPrimitive& primitive, const ConvolutionTensors& tensors) {
  auto images = primitive.shape.empty() ? images_of_pixels(tensors) : images_of(primitive.shape, true, true);
  if (images) drop_single_row(&*images);
  return images;
}

/// With bias and what is computed on the result.
std::optional<Problem> with_rest(CallNode node, const OnednnPrimitive& primitive, const ConvolutionTensors& tensors,
                                 const Images& images) {
  const Dimensions result = result_of(images);
  const auto post = post_ops_of(primitive, result.size());
  if (!post) return {};
  if (tensors.bias != nullptr) node.input(tensors.bias->element, {images.results});
  node.output(tensors.result->element, result).integer("group", images.groups);
  auto problem = node.problem();
  if (problem) problem->set("post", post->post);
  return problem;
}

}  // namespace

std::optional<Problem> onednn_convolution(const OnednnPrimitive& primitive) {
  const ConvolutionTensors tensors(primitive);
  if (!tensors.are_there()) return {};
  const auto images = images_of_convolution(primitive, tensors);
  const auto pads = images ? pads_of(*images) : std::nullopt;
  if (!pads) return {};
  CallNode node("Conv");
  node.input(tensors.source->element, source_of(*images));
  node.input(tensors.weights->element, sizes_by_axis(*images, [](const Axis& axis) { return axis.kernel; },
                                                     {images->results, images->channels / images->groups}));
  add_window(*images, *pads, &node);
  return with_rest(std::move(node), primitive, tensors, *images);
}

std::optional<Problem> onednn_deconvolution(const OnednnPrimitive& primitive) {
  const ConvolutionTensors tensors(primitive);
  if (!tensors.are_there()) return {};
  const auto images = images_of_convolution(primitive, tensors);
  if (!images) return {};
  Dimensions pads = sizes_by_axis(*images, [](const Axis& axis) { return axis.pad; });
  Dimensions extra;
  for (const Axis& axis : images->axes) {
    int64_t reached = 0;
    if (__builtin_mul_overflow(axis.input - 1, axis.stride, &reached)) return {};
    // What oneDNN takes off behind: the padding there without what only the result has.
    const int64_t behind = reached + axis.reach() - axis.pad - axis.output;
    const bool is_symmetric = behind <= axis.pad && axis.pad - behind < axis.stride;
    if (!is_symmetric && behind < 0) return {};
    pads.push_back(is_symmetric ? axis.pad : behind);
    extra.push_back(is_symmetric ? axis.pad - behind : 0);
  }
  CallNode node("ConvTranspose");
  node.input(tensors.source->element, source_of(*images));
  node.input(tensors.weights->element, sizes_by_axis(*images, [](const Axis& axis) { return axis.kernel; },
                                                     {images->channels, images->results / images->groups}));
  add_window(*images, pads, &node);
  node.integers("output_padding", extra);
  return with_rest(std::move(node), primitive, tensors, *images);
}

std::optional<Problem> onednn_pooling(const OnednnPrimitive& primitive) {
  const OnednnTensor* const source = primitive.tensor("src");
  const OnednnTensor* const result = primitive.tensor("dst");
  const std::string_view algorithm = primitive.setting("alg");
  auto images = images_of(primitive.shape, false, true);
  if (source == nullptr || result == nullptr || !images || !primitive.post_ops.empty()) return {};
  const bool is_global = std::ranges::all_of(images->axes, [](const Axis& axis) {
    return axis.kernel == axis.input && axis.output == 1 && axis.pad == 0 && axis.gap == 0;
  });
  // A window as large as the image moves nowhere.
  if (is_global) {
    for (Axis& axis : images->axes) axis.stride = 1;
  }
  const auto pads = pads_of(*images);
  const bool is_max = algorithm == "pooling_max";
  if (!pads || (!is_max && !algorithm.starts_with("pooling_avg"))) return {};
  CallNode node(is_max ? "MaxPool" : "AveragePool");
  node.input(source->element, source_of(*images)).output(result->element, result_of(*images));
  node.integers("kernel_shape", sizes_by_axis(*images, [](const Axis& axis) { return axis.kernel; }));
  add_window(*images, *pads, &node);
  if (!is_max) node.integer("count_include_pad", algorithm == "pooling_avg_exclude_padding" ? 0 : 1);
  return node.problem();
}

std::optional<Problem> onednn_resampling(const OnednnPrimitive& primitive) {
  const OnednnTensor* const source = primitive.tensor("src");
  const OnednnTensor* const result = primitive.tensor("dst");
  const std::string_view algorithm = primitive.setting("alg");
  const auto images = images_of(primitive.shape, false, false);
  const bool is_nearest = algorithm == "resampling_nearest";
  if (source == nullptr || result == nullptr || !images || !primitive.post_ops.empty() ||
      source->element != result->element || (!is_nearest && algorithm != "resampling_linear"))
    return {};
  const Dimensions from = source_of(*images), to = result_of(*images);
  if (!elements_in(from) || !elements_in(to)) return {};
  Problem problem("resize");
  problem.set("alg", is_nearest ? "nearest" : "linear").set_dimensions("src", from).set_dimensions("dst", to);
  problem.set("dtype", name_of(source->element));
  return problem;
}

}  // namespace xsp::bound
