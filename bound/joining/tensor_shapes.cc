#include "bound/joining/tensor_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace xsp::bound {
namespace {

/// No tensor has more; what claims to is text.
constexpr size_t kMostDimensions = 64;

double elements_of(const std::vector<int64_t>& shape) {
  double elements = 1;
  for (const int64_t size : shape) elements *= static_cast<double>(size);
  return elements;
}

std::vector<int64_t> sorted_without_ones(std::vector<int64_t> shape) {
  std::erase(shape, 1);
  std::ranges::sort(shape);
  return shape;
}

bool is_rounded_up(int64_t rounded, int64_t size) {
  for (const int64_t block : {4, 8, 16}) {
    if (size > 0 && rounded == (size / block + (size % block != 0 ? 1 : 0)) * block) return true;
  }
  return false;
}

}  // namespace

std::vector<std::vector<int64_t>> shapes_in(std::string_view text) {
  std::vector<std::vector<int64_t>> shapes;
  for (size_t open = text.find('['); open != std::string_view::npos; open = text.find('[', open + 1)) {
    const size_t close = text.find(']', open);
    if (close == std::string_view::npos) break;
    std::string_view rest = text.substr(open + 1, close - open - 1);
    std::vector<int64_t> shape;
    while (!rest.empty() && shape.size() < kMostDimensions) {
      const size_t comma = rest.find(',');
      const std::string_view word = rest.substr(0, comma);
      int64_t size = -1;
      const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), size);
      if (failure != std::errc() || end != word.data() + word.size() || size < 0) size = -1;
      shape.push_back(size);
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

std::string shape_key(std::vector<int64_t> shape) {
  return fmt::format("{}", fmt::join(sorted_without_ones(std::move(shape)), "x"));
}

std::string product_shape_key(const std::vector<int64_t>& shape) {
  return fmt::format("{}/{}", elements_of(shape), shape.empty() ? 1 : shape.back());
}

std::string element_count_key(const std::vector<int64_t>& shape) { return fmt::format("{}", elements_of(shape)); }

bool may_be_one_tensor(const std::vector<int64_t>& traced, const std::vector<int64_t>& modelled, bool is_blocked) {
  if (sorted_without_ones(traced) == sorted_without_ones(modelled)) return true;
  if (is_blocked && traced.size() == modelled.size() && traced.size() > 1) {
    std::vector<int64_t> rounded = modelled;
    if (is_rounded_up(traced[1], modelled[1])) rounded[1] = traced[1];
    return rounded == traced;
  }
  return !traced.empty() && !modelled.empty() && traced.back() == modelled.back() &&
         elements_of(traced) == elements_of(modelled);
}

bool differ_in_batch(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  return !a.empty() && a.size() == b.size() && a[0] != b[0] && std::equal(a.begin() + 1, a.end(), b.begin() + 1);
}

std::string shape_text(const std::vector<int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

}  // namespace xsp::bound
