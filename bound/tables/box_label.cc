#include "bound/tables/box_label.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/quantity_text.h"
#include "base/text_encoding.h"

namespace xsp::bound {
namespace {

/// Words that make types of ONNX too long for a box.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kShortWords = {{
    {"com.microsoft.", ""},
    {"Normalization", "Norm"},
    {"Average", "Avg"},
    {"Transpose", "Transp"},
    {"Linear", "Lin"},
}};

std::string short_type(std::string type) {
  for (const auto& [word, instead] : kShortWords) {
    const size_t at = type.find(word);
    if (at != std::string::npos && type.size() > word.size()) type.replace(at, word.size(), instead);
  }
  return type;
}

struct CountedType {
  std::string_view type;
  size_t count = 0;
};

/// By first occurrence.
std::vector<CountedType> types_in(const Box& box, const LayeredModel& model) {
  std::vector<CountedType> types;
  std::unordered_map<std::string_view, size_t> place_of;
  for (const size_t layer : box.layers) {
    const auto [found, is_new] = place_of.emplace(model.layers[layer].type, types.size());
    if (is_new) types.push_back({model.layers[layer].type, 0});
    ++types[found->second].count;
  }
  return types;
}

std::string listed_types(const Box& box, const LayeredModel& model, size_t letters, bool in_short) {
  std::string list;
  for (const CountedType& counted : types_in(box, model)) {
    std::string type = drawn_name(std::string(counted.type.substr(0, 4 * letters)), letters);
    if (in_short) type = short_type(type);
    if (counted.count > 1) type += fmt::format(" ×{}", counted.count);
    const std::string longer = list.empty() ? shorten(type, letters) : list + ", " + type;
    if (display_width(longer) > letters) return display_width(list) + 3 <= letters ? list + ", …" : list + "…";
    list = longer;
  }
  return list;
}

std::string duration_of(const Box& box) {
  if (box.counted == 0) return "no work";
  const std::string measured = box.measured_ms ? four_digits(*box.measured_ms) : "";
  if (box.missing == box.counted) return measured.empty() ? "no time" : measured + " ms, no bound";
  const std::string bound = (box.missing > 0 ? "≥ " : "") + four_digits(box.bound_ms);
  return measured.empty() ? bound + " ms" : fmt::format("{} ms, {} measured", bound, measured);
}

/// For a box: "0.3120 | 0.6034 ms".
std::string short_duration_of(const Box& box) {
  if (!box.measured_ms || box.counted == 0) return duration_of(box);
  const std::string bound =
      box.missing == box.counted ? "?" : (box.missing > 0 ? "≥ " : "") + four_digits(box.bound_ms);
  return fmt::format("{} | {} ms", bound, four_digits(*box.measured_ms));
}

}  // namespace

std::string drawn_name(const std::string& name, size_t letters) {
  // Letters that take no room do not make a name any longer than that.
  return shorten(printable(std::string_view(name).substr(0, 4 * letters)), letters);
}

std::string box_types(const Box& box, const LayeredModel& model, size_t letters) {
  return listed_types(box, model, letters, true);
}

std::string box_time(const Box& box, size_t letters) {
  const size_t count = box.layers.size();
  const size_t first = box.layers.front();
  const size_t last = box.layers.back();
  const std::string which = count == 1                  ? std::to_string(first)
                            : last - first + 1 == count ? fmt::format("{}–{}", first, last)
                                                        : plural(count, "layer");
  const std::string duration = short_duration_of(box);
  const std::string both = fmt::format("{}: {}", which, duration);
  return display_width(both) <= letters ? both : shorten(duration, letters);
}

std::string box_title(const Box& box, const LayeredModel& model, size_t letters) {
  const std::string first = drawn_name(model.layers[box.layers.front()].name, letters / 3);
  const std::string types = listed_types(box, model, letters / 2, false);
  if (box.layers.size() == 1) return fmt::format("{}, {} ({})", types, duration_of(box), first);
  const std::string last = drawn_name(model.layers[box.layers.back()].name, letters / 3);
  return fmt::format("{}: {}, {} ({} to {})", plural(box.layers.size(), "layer"), types, duration_of(box), first, last);
}

}  // namespace xsp::bound
