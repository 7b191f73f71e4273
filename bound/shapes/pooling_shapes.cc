#include <fmt/format.h>

#include "bound/shapes/operator_table.h"
#include "bound/shapes/sliding_window.h"

namespace xsp::bound {
namespace {

bool is_channels_last(const OperatorCall& call) { return call.node().integer("channels_last", 0) != 0; }

/// Of MaxPool also the indices.
Finding pooling(OperatorCall& call) {
  const Dimensions& image = call.shape(0);
  if (image.size() < 3) return wrong_rank("the input", image);
  const size_t first = is_channels_last(call) ? 1 : 2;
  const auto begin = image.begin() + static_cast<std::ptrdiff_t>(first);
  SlidingWindow window;
  Finding finding =
      slide(call.node(), Dimensions(begin, begin + static_cast<std::ptrdiff_t>(image.size() - 2)), {}, &window);
  if (!finding.is_known()) return finding;
  Dimensions shape = image;
  std::copy(window.output.begin(), window.output.end(), shape.begin() + static_cast<std::ptrdiff_t>(first));
  call.set_shape(1, shape);
  call.set_shape(0, std::move(shape));
  return finding;
}

Finding global_pooling(OperatorCall& call) {
  Dimensions shape = call.shape(0);
  if (shape.size() < 2) return wrong_rank("the input", shape);
  const size_t first = is_channels_last(call) ? 1 : 2;
  for (size_t i = 0; i + 2 < shape.size(); ++i) shape[first + i] = 1;
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

Finding max_unpool(OperatorCall& call) {
  if (call.has(2)) {
    const GivenList given = call.list(2, "");
    if (!given.is_known) return depends_on_data("its output_shape");
    call.set_shape(0, given.values);
    return Finding::known();
  }
  const Dimensions& image = call.shape(0);
  if (image.size() < 3) return wrong_rank("the input", image);
  SlidingWindow window;
  Finding finding = slide_transposed(call.node(), Dimensions(image.begin() + 2, image.end()), {}, &window);
  if (!finding.is_known()) return finding;
  Dimensions shape = {image[0], image[1]};
  shape.insert(shape.end(), window.output.begin(), window.output.end());
  call.set_shape(0, std::move(shape));
  return finding;
}

Finding roi_pooling(OperatorCall& call) {
  const std::vector<int64_t> pooled = call.node().integers("pooled_shape");
  if (call.rank(0) != 4 || call.rank(1) != 2 || pooled.size() != 2) return wrong_rank("the input", call.shape(0));
  call.set_shape(0, {call.shape(1)[0], call.shape(0)[1], pooled[0], pooled[1]});
  return Finding::known();
}

Finding roi_align(OperatorCall& call) {
  if (call.rank(0) != 4) return wrong_rank("the input", call.shape(0));
  if (call.rank(1) != 2) return wrong_rank("rois", call.shape(1));
  call.set_shape(0, {call.shape(1)[0], call.shape(0)[1], call.node().integer("output_height", 1),
                     call.node().integer("output_width", 1)});
  return Finding::known();
}

constexpr OperatorRule kPoolingRules[] = {
    {"", "AveragePool", 1, "0", pooling},
    {"", "GlobalAveragePool", 1, "0", global_pooling},
    {"", "GlobalLpPool", 1, "0", global_pooling},
    {"", "GlobalMaxPool", 1, "0", global_pooling},
    {"", "LpPool", 1, "0", pooling},
    {"", "MaxPool", 1, "0 i64", pooling},
    {"", "MaxRoiPool", 2, "0", roi_pooling},
    {"", "MaxUnpool", 2, "0", max_unpool},
    {"", "RoiAlign", 2, "0", roi_align},
    {"com.microsoft", "QLinearAveragePool", 1, "0", pooling},
    {"com.microsoft", "QLinearGlobalAveragePool", 1, "0", global_pooling},
};

}  // namespace

std::span<const OperatorRule> pooling_rules() { return kPoolingRules; }

}  // namespace xsp::bound
