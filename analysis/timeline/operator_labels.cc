#include "analysis/timeline/operator_labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "analysis/timeline/layer_shapes.h"

namespace xsp::analysis {
namespace {

/// More shapes than this make a name that nobody reads.
constexpr size_t kMaxShapes = 2;

constexpr std::array<std::string_view, 8> kConvolutions = {"conv1d",
                                                           "conv2d",
                                                           "conv3d",
                                                           "convolution",
                                                           "_convolution",
                                                           "cudnn_convolution",
                                                           "miopen_convolution",
                                                           "mkldnn_convolution"};
constexpr std::array<std::string_view, 3> kTransposed = {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"};
constexpr std::array<std::string_view, 7> kProducts = {"mm", "bmm", "matmul", "addmm", "baddbmm", "_scaled_mm", "mv"};

using Dimensions = std::vector<std::string_view>;

template <size_t kCount>
bool is_one_of(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The dimensions of each tensor, those of lists among them; what is only counted is left out.
std::vector<Dimensions> dimensions_of(std::string_view shapes) {
  std::vector<Dimensions> tensors;
  for (size_t begin = shapes.find('['); begin != std::string_view::npos; begin = shapes.find('[', begin)) {
    const size_t end = shapes.find(']', ++begin);
    if (end == std::string_view::npos) break;
    Dimensions& tensor = tensors.emplace_back();
    while (begin < end) {
      const size_t comma = std::min(shapes.find(',', begin), end);
      tensor.push_back(shapes.substr(begin, comma - begin));
      begin = comma + 1;
    }
    begin = end;
  }
  return tensors;
}

std::string product(Dimensions::const_iterator begin, Dimensions::const_iterator end) {
  return fmt::format("{}", fmt::join(begin, end, "×"));
}

std::string product(const Dimensions& dimensions) { return product(dimensions.begin(), dimensions.end()); }

/// "56²" of 56 × 56, "16³" of three.
std::string size_of(Dimensions::const_iterator begin, Dimensions::const_iterator end) {
  const bool is_even = std::all_of(begin, end, [&](std::string_view side) { return side == *begin; });
  if (is_even && end - begin == 2) return fmt::format("{}²", *begin);
  if (is_even && end - begin == 3) return fmt::format("{}³", *begin);
  return product(begin, end);
}

/// Input [n, channels, sides…], weight [out, channels / groups, kernel…]; of a transposed one [channels, out / groups,
/// kernel…] (https://docs.pytorch.org/docs/stable/nn.functional.html).
std::string convolution(std::string_view name, const std::vector<Dimensions>& tensors, bool transposed) {
  if (tensors.size() < 2) return {};
  const Dimensions& input = tensors[0];
  const Dimensions& weight = tensors[1];
  const size_t rank = weight.size();
  if (rank < 3 || (input.size() != rank && input.size() + 1 != rank)) return {};
  const auto sides = input.end() - static_cast<ptrdiff_t>(rank - 2);
  const std::string_view channels = *(sides - 1);
  const bool is_grouped = channels != weight[transposed ? 0 : 1];
  const std::string kernel = product(weight.begin() + 2, weight.end());
  const std::string size = size_of(sides, input.end());
  if (transposed) return fmt::format("{} {}→{} {} /{}", name, channels, weight[1], kernel, size);
  return fmt::format("{} {}→{} {}{} /{}", name, channels, weight[0], kernel, is_grouped ? " grouped" : "", size);
}

/// Of addmm and baddbmm the first tensor is what is added.
std::string matrix_product(std::string_view name, const std::vector<Dimensions>& tensors) {
  const size_t first = name == "addmm" || name == "baddbmm" ? 1 : 0;
  if (tensors.size() < first + 2 || tensors[first].empty() || tensors[first + 1].empty()) return {};
  return fmt::format("{} {}·{}", name, product(tensors[first]), product(tensors[first + 1]));
}

/// Input […, features], weight [out, features].
std::string linear(std::string_view name, const std::vector<Dimensions>& tensors) {
  if (tensors.size() < 2 || tensors[0].empty() || tensors[1].size() != 2) return {};
  if (tensors[0].back() != tensors[1][1]) return {};
  const std::string features = fmt::format("{} {}→{}", name, tensors[1][1], tensors[1][0]);
  if (tensors[0].size() == 1) return features;
  return fmt::format("{} /{}", features, product(tensors[0].begin(), tensors[0].end() - 1));
}

std::string any_operator(std::string_view name, const std::vector<Dimensions>& tensors) {
  std::vector<std::string> shown;
  size_t more = 0;
  for (const Dimensions& tensor : tensors) {
    if (tensor.empty() || (!shown.empty() && tensor.size() < 2)) continue;
    std::string shape = product(tensor);
    if (std::find(shown.begin(), shown.end(), shape) != shown.end()) continue;
    if (shown.size() == kMaxShapes) {
      ++more;
    } else {
      shown.push_back(std::move(shape));
    }
  }
  if (shown.empty()) return {};
  return fmt::format("{} {}{}", name, fmt::join(shown, ", "), more == 0 ? "" : ", …");
}

std::string_view without_namespace(std::string_view name) {
  constexpr std::string_view kAten = "aten::";
  return name.starts_with(kAten) ? name.substr(kAten.size()) : name;
}

/// The innermost module around an operator; kNoRow in none but the model.
Row module_around(const SpanTable& spans, const Parents& parents, Row row) {
  Row above = parents.of[row];
  for (int depth = 0; above != kNoRow && depth < kMaxDepth; ++depth, above = parents.of[above]) {
    if (spans.level[above] == Level::kModel || spans.kind[above] == Kind::kTorchRoot) return kNoRow;
    if (spans.kind[above] == Kind::kTorchContainer) return above;
  }
  return kNoRow;
}

}  // namespace

std::string operator_label(std::string_view name, std::string_view shapes) {
  const std::vector<Dimensions> tensors = dimensions_of(shapes);
  name = without_namespace(name);
  std::string label;
  if (is_one_of(kConvolutions, name)) {
    label = convolution(name, tensors, false);
  } else if (is_one_of(kTransposed, name)) {
    label = convolution(name, tensors, true);
  } else if (is_one_of(kProducts, name)) {
    label = matrix_product(name, tensors);
  } else if (name == "linear") {
    label = linear(name, tensors);
  }
  return label.empty() ? any_operator(name, tensors) : label;
}

void label_operators(const Parents& parents, Trace* trace) {
  const SpanTable& spans = trace->spans;
  std::vector<bool> wanted(trace->processes.size());
  for (uint32_t process = 0; process < wanted.size(); ++process) {
    wanted[process] = tells_inputs_only(trace->segments[trace->processes[process].segment].source);
  }
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> known;  // by string ids of module, name and shape
  for (Row row = 0; row < spans.size(); ++row) {
    if (spans.kind[row] != Kind::kOperator || spans.level[row] != Level::kLayer) continue;
    if (!wanted[trace->process_of(row)]) continue;
    // Parts of an optimizer's step and bookkeeping have types of their own, and regions ("Torch-Compiled Region: 0/0")
    // are named by themselves.
    if (spans.type[row] != 0 && spans.type[row] != spans.name[row]) continue;
    if (trace->text(spans.name[row]).find(' ') != std::string_view::npos) continue;
    const Row module = module_around(spans, parents, row);
    const uint32_t module_name = module == kNoRow ? 0 : spans.name[module];
    const auto [found, added] = known.try_emplace({module_name, spans.name[row], spans.shape[row]});
    if (added) {
      std::string label = operator_label(trace->text(spans.name[row]), trace->text(spans.shape[row]));
      if (module_name != 0) {
        const std::string_view name = without_namespace(trace->text(spans.name[row]));
        label = fmt::format("{}.{}", trace->text(module_name), label.empty() ? name : label);
      }
      found->second = label.empty() ? 0 : trace->strings.intern(label);
    }
    if (found->second != 0) trace->layer_labels.add(row, found->second);
  }
}

}  // namespace xsp::analysis
