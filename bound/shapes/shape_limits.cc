#include "bound/shapes/shape_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "bound/onnx/model_file.h"

namespace xsp::bound {

std::string shape_problem(const Dimensions& dimensions) {
  if (dimensions.size() > kMostDimensions) return fmt::format("more than {} dimensions", kMostDimensions);
  double product = 1;
  for (const int64_t dimension : dimensions) {
    if (dimension < 0) return "a negative size";
    product *= static_cast<double>(std::max<int64_t>(dimension, 1));
    if (product >= 0x1p53) return "2^53 elements or more";
  }
  return "";
}

}  // namespace xsp::bound
