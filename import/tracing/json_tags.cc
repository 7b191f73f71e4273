#include "import/tracing/json_tags.h"

#include <cmath>

#include "base/number_text.h"

namespace xsp {
namespace {

using simdjson::dom::element;

std::optional<double> number_of(std::string_view text) {
  const auto number = number_in<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace

TagValue JsonTags::plain(element value) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) {
    text_ = simdjson::minify(value);
    text = text_;
  }
  return {text, number_of(text)};
}

TagValue JsonTags::any_value(element value) {
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return plain(value);
  for (const auto& [kind, content] : object) {
    if (kind != "arrayValue") return plain(content);
    // In a list, the numbers are what matters.
    std::string list;
    simdjson::dom::array values;
    if (content["values"].get(values) != simdjson::SUCCESS) return {};
    for (const element item : values) {
      if (!list.empty()) list += ',';
      list += any_value(item).text;
    }
    text_ = "[" + list + "]";
    return {text_, std::nullopt};
  }
  return {};
}

std::string_view text_member(element object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

int64_t time_member(element object, std::string_view key, int64_t scale) {
  constexpr int64_t kNone = INT64_MAX;
  constexpr double kLimit = 9.2e18;
  element value;
  if (object[key].get(value) != simdjson::SUCCESS) return kNone;
  std::string_view text;
  int64_t number = 0;
  double fraction = 0;
  if (value.get(text) == simdjson::SUCCESS) {
    const auto whole = number_in<int64_t>(text);
    if (!whole) return kNone;
    number = *whole;
  } else if (value.get(number) != simdjson::SUCCESS) {
    if (value.get(fraction) != simdjson::SUCCESS) return kNone;
    const double time = std::round(fraction * static_cast<double>(scale));
    return std::fabs(time) < kLimit ? static_cast<int64_t>(time) : kNone;
  }
  int64_t time = 0;
  return __builtin_mul_overflow(number, scale, &time) ? kNone : time;
}

}  // namespace xsp
