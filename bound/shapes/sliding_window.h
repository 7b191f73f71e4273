#pragma once

#include <cstdint>
#include <vector>

#include "bound/shapes/operator_call.h"

namespace xsp::bound {

/// Convolution and pooling with everything that their attributes leave open filled in. All lists are by spatial
/// dimension.
struct SlidingWindow {
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  /// Begin of each dimension, then ends. `auto_pad` and, of transposed convolution, `output_shape` are resolved; with
  /// `ceil_mode` the end is as large as the last window needs it, so that output = (input + pads − reach) / stride + 1
  /// always holds, rounded down.
  std::vector<int64_t> pads;
  std::vector<int64_t> output;
  std::vector<int64_t> output_padding;  // of transposed convolution
};

/// Of Conv, its relatives, and pooling. `spatial`: sizes of the input; `kernel`: from the weights, empty where the node
/// has its attribute `kernel_shape`.
Finding slide(const Node& node, const Dimensions& spatial, const Dimensions& kernel, SlidingWindow* window);

/// Of ConvTranspose.
Finding slide_transposed(const Node& node, const Dimensions& spatial, const Dimensions& kernel, SlidingWindow* window);

}  // namespace xsp::bound
