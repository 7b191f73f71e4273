#include "bound/shapes/sliding_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace xsp::bound {
namespace {

/// Sizes of windows and pads above this make no sense; below it no sum or product of a few of them overflows.
constexpr int64_t kMostSize = int64_t{1} << 30;

/// The attribute, or `otherwise` everywhere; checks its length and range.
Finding spatial_list(const Node& node, std::string_view name, size_t length, int64_t otherwise, int64_t least,
                     std::vector<int64_t>* list) {
  *list = node.integers(name);
  if (list->empty()) list->assign(length, otherwise);
  if (list->size() != length)
    return Finding::impossible(fmt::format("{} has {} numbers instead of {}", name, list->size(), length));
  for (const int64_t value : *list)
    if (value < least || value > kMostSize) return Finding::impossible(fmt::format("{} has {}", name, value));
  return Finding::known();
}

Finding read_window(const Node& node, const Dimensions& spatial, const Dimensions& kernel, SlidingWindow* window) {
  const size_t count = spatial.size();
  window->kernel = node.integers("kernel_shape");
  if (window->kernel.empty()) window->kernel = kernel;
  if (window->kernel.size() != count)
    return Finding::impossible(fmt::format("a kernel {} on {} spatial dimensions", text_of(window->kernel), count));
  for (size_t i = 0; i < count; ++i) {
    if (window->kernel[i] < 1 || window->kernel[i] > kMostSize)
      return Finding::impossible(fmt::format("a kernel of {}", text_of(window->kernel)));
    if (spatial[i] > kMostSize) return Finding::impossible(fmt::format("an image of {}", text_of(spatial)));
  }
  Finding finding = spatial_list(node, "strides", count, 1, 1, &window->strides);
  if (finding.is_known()) finding = spatial_list(node, "dilations", count, 1, 1, &window->dilations);
  if (finding.is_known()) finding = spatial_list(node, "pads", 2 * count, 0, -kMostSize, &window->pads);
  if (finding.is_known()) finding = spatial_list(node, "output_padding", count, 0, 0, &window->output_padding);
  return finding;
}

/// Divides what is to be padded between both ends; the odd one goes to the end, or to the begin for SAME_LOWER.
void distribute(int64_t total, bool lower, int64_t* begin, int64_t* end) {
  total = std::max<int64_t>(total, 0);
  *begin = lower ? total - total / 2 : total / 2;
  *end = total - *begin;
}

int64_t reach_of(const SlidingWindow& window, size_t i) { return (window.kernel[i] - 1) * window.dilations[i] + 1; }

}  // namespace

Finding slide(const Node& node, const Dimensions& spatial, const Dimensions& kernel, SlidingWindow* window) {
  Finding finding = read_window(node, spatial, kernel, window);
  if (!finding.is_known()) return finding;
  const std::string auto_pad = node.text("auto_pad", "NOTSET");
  const bool is_lower = auto_pad == "SAME_LOWER";
  const bool is_same = is_lower || auto_pad == "SAME_UPPER";
  const bool rounds_up = node.integer("ceil_mode", 0) != 0 && !is_same;
  const size_t count = spatial.size();
  if (auto_pad == "VALID") window->pads.assign(2 * count, 0);
  for (size_t i = 0; i < count; ++i) {
    const int64_t stride = window->strides[i];
    const int64_t reach = reach_of(*window, i);
    int64_t& begin = window->pads[i];
    int64_t& end = window->pads[count + i];
    if (is_same) {
      const int64_t steps = (spatial[i] + stride - 1) / stride;
      distribute((steps - 1) * stride + reach - spatial[i], is_lower, &begin, &end);
    }
    const int64_t room = spatial[i] + begin + end - reach;
    if (room < 0)
      return Finding::impossible(
          fmt::format("a window of {} on {} with pads of {} and {}", reach, spatial[i], begin, end));
    int64_t steps = room / stride + 1;
    // The last window must begin inside the image or its begin pad, else it would see nothing.
    if (rounds_up && room % stride != 0 && steps * stride < spatial[i] + begin) {
      ++steps;
      end = (steps - 1) * stride + reach - spatial[i] - begin;
    } else if (rounds_up && room % stride == 0 && steps > 1 && (steps - 1) * stride >= spatial[i] + begin) {
      --steps;
    }
    window->output.push_back(steps);
  }
  return Finding::known();
}

Finding slide_transposed(const Node& node, const Dimensions& spatial, const Dimensions& kernel, SlidingWindow* window) {
  Finding finding = read_window(node, spatial, kernel, window);
  if (!finding.is_known()) return finding;
  const std::string auto_pad = node.text("auto_pad", "NOTSET");
  const bool is_lower = auto_pad == "SAME_LOWER";
  const bool is_same = is_lower || auto_pad == "SAME_UPPER";
  const size_t count = spatial.size();
  if (auto_pad == "VALID") window->pads.assign(2 * count, 0);
  const std::vector<int64_t> given = node.integers("output_shape");
  if (!given.empty() && given.size() < count)
    return Finding::impossible(fmt::format("output_shape has {} numbers instead of {}", given.size(), count));
  for (size_t i = 0; i < count; ++i) {
    const int64_t stride = window->strides[i];
    const int64_t whole = (spatial[i] - 1) * stride + window->output_padding[i] + reach_of(*window, i);
    int64_t& begin = window->pads[i];
    int64_t& end = window->pads[count + i];
    if (!given.empty()) {
      // Some writers put batch and channels in front.
      const int64_t size = given[given.size() - count + i];
      if (size < 1 || size > kMostSize) return Finding::impossible(fmt::format("output_shape has {}", size));
      distribute(whole - size, !is_same || is_lower, &begin, &end);
      window->output.push_back(size);
      continue;
    }
    if (is_same) distribute(whole - spatial[i] * stride, is_lower, &begin, &end);
    const int64_t size = whole - begin - end;
    if (size < 0) return Finding::impossible(fmt::format("an output of size {}", size));
    window->output.push_back(size);
  }
  return Finding::known();
}

}  // namespace xsp::bound
