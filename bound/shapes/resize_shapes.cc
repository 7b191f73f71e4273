#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "bound/shapes/operator_table.h"

namespace xsp::bound {
namespace {

/// A size that is a product with a scale. Runtimes multiply in single precision, which decides where it is near a whole
/// number. Nothing below 0 and from 2^53 on.
std::optional<int64_t> scaled(int64_t size, double factor, bool round) {
  const float product = static_cast<float>(size) * static_cast<float>(factor);
  const double result = std::floor(round ? static_cast<double>(product) + 0.5 : static_cast<double>(product));
  if (!(result >= 0) || result >= 0x1p53) return std::nullopt;
  return static_cast<int64_t>(result);
}

/// Lets all axes have the same scale, the smallest or the largest of those that were asked for.
Finding keep_ratio(const std::string& policy, const Dimensions& from, const std::vector<int64_t>& axes,
                   std::vector<int64_t>* sizes) {
  if (policy == "stretch") return Finding::known();
  std::optional<float> scale;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t size = from[static_cast<size_t>(axes[i])];
    if (size == 0) return Finding::impossible("a ratio of nothing");
    const float own = static_cast<float>((*sizes)[i]) / static_cast<float>(size);
    if (!scale) scale = own;
    scale = policy == "not_larger" ? std::min(*scale, own) : std::max(*scale, own);
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto size = scaled(from[static_cast<size_t>(axes[i])], static_cast<double>(*scale), true);
    if (!size) return Finding::impossible("a size out of range");
    (*sizes)[i] = *size;
  }
  return Finding::known();
}

/// By scales. What tf_crop_and_resize crops away does not count: runtimes make the size of the whole image.
Finding resize_by_scales(OperatorCall& call, const std::vector<double>& scales, const std::vector<int64_t>& axes) {
  Dimensions shape = call.shape(0);
  if (scales.size() != axes.size())
    return Finding::impossible(fmt::format("{} scales for {}", scales.size(), text_of(shape)));
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t& size = shape[static_cast<size_t>(axes[i])];
    const auto made = scaled(size, scales[i], false);
    if (!made) return Finding::impossible(fmt::format("a scale of {}", scales[i]));
    size = *made;
  }
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

Finding resize_with(OperatorCall& call, size_t scales_input, size_t sizes_input) {
  const Dimensions& from = call.shape(0);
  std::vector<int64_t> axes = call.node().integers("axes");
  if (axes.empty())
    for (int64_t i = 0; i < call.rank(0); ++i) axes.push_back(i);
  for (int64_t& axis : axes)
    if (!normalize_axis(call.rank(0), &axis)) return no_such_axis(axis, from);

  // Empty lists stand for lists that are left out.
  const auto is_there = [&](size_t index) { return call.has(index) && call.input(index).elements() > 0; };
  if (is_there(sizes_input)) {
    GivenList sizes = call.list(sizes_input, "");
    if (!sizes.is_known) return depends_on_data("its size");
    if (sizes.values.size() != axes.size())
      return Finding::impossible(fmt::format("sizes {} for {}", text_of(sizes.values), text_of(from)));
    Finding finding = keep_ratio(call.node().text("keep_aspect_ratio_policy", "stretch"), from, axes, &sizes.values);
    if (!finding.is_known()) return finding;
    Dimensions shape = from;
    for (size_t i = 0; i < axes.size(); ++i) shape[static_cast<size_t>(axes[i])] = sizes.values[i];
    call.set_shape(0, std::move(shape));
    return finding;
  }
  if (const Attribute* scales = call.node().attribute("scales"); scales != nullptr && !call.has(scales_input))
    return resize_by_scales(call, scales->numbers, axes);
  if (!is_there(scales_input)) return Finding::impossible("neither sizes nor scales are given");
  if (!call.input(scales_input).numbers) return depends_on_data("its scale");
  return resize_by_scales(call, *call.input(scales_input).numbers, axes);
}

/// Opset 10 has only scales, as the second input.
Finding resize(OperatorCall& call) {
  return call.input_count() == 2 ? resize_with(call, 1, SIZE_MAX) : resize_with(call, 2, 3);
}
Finding upsample(OperatorCall& call) { return resize_with(call, 1, SIZE_MAX); }

Finding grid_sample(OperatorCall& call) {
  const Dimensions& image = call.shape(0);
  const Dimensions& grid = call.shape(1);
  if (image.size() < 3 || grid.size() != image.size()) return wrong_rank("the grid", grid);
  Dimensions shape(image.begin(), image.begin() + 2);
  shape.insert(shape.end(), grid.begin() + 1, grid.end() - 1);
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

Finding affine_grid(OperatorCall& call) {
  const GivenList size = call.list(1, "");
  if (!size.is_known) return depends_on_data("its size");
  if (size.values.size() != 4 && size.values.size() != 5) return wrong_rank("the size", size.values);
  Dimensions shape = {size.values[0]};
  shape.insert(shape.end(), size.values.begin() + 2, size.values.end());
  shape.push_back(static_cast<int64_t>(size.values.size()) - 2);
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

Finding columns_to_image(OperatorCall& call) {
  const GivenList image = call.list(1, "");
  const GivenList block = call.list(2, "");
  if (!image.is_known || !block.is_known) return depends_on_data("the size of its image");
  const Dimensions& columns = call.shape(0);
  const int64_t area = product_of(block.values);
  if (columns.size() != 3 || area < 1 || columns[1] % area != 0) return wrong_rank("the input", columns);
  Dimensions shape = {columns[0], columns[1] / area};
  shape.insert(shape.end(), image.values.begin(), image.values.end());
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

constexpr OperatorRule kResizeRules[] = {
    {"", "AffineGrid", 2, "0", affine_grid}, {"", "Col2Im", 3, "0", columns_to_image},
    {"", "GridSample", 2, "0", grid_sample}, {"", "Resize", 1, "0", resize},
    {"", "Upsample", 1, "0", upsample},      {"com.microsoft", "GridSample", 2, "0", grid_sample},
};

}  // namespace

std::span<const OperatorRule> resize_rules() { return kResizeRules; }

}  // namespace xsp::bound
