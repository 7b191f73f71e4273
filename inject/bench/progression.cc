#include "inject/bench/progression.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace xsp::bench {
namespace {

__extension__ using Wide = __int128;

/// The value after `current`; nothing where it is no decimal of ours.
using Step = std::function<std::optional<int64_t>(int64_t current)>;

std::optional<Step> arithmetic(const std::vector<Decimal>& given) {
  const int64_t difference = given[1].billionths - given[0].billionths;
  for (size_t i = 1; i < given.size(); ++i) {
    if (given[i].billionths - given[i - 1].billionths != difference) return std::nullopt;
  }
  if (difference == 0) return std::nullopt;
  return [difference](int64_t current) { return std::optional<int64_t>(current + difference); };
}

std::optional<Step> geometric(const std::vector<Decimal>& given) {
  const Wide a = given[0].billionths;
  const Wide b = given[1].billionths;
  if (a <= 0 || b <= 0 || a == b) return std::nullopt;
  for (size_t i = 1; i < given.size(); ++i) {
    if (given[i].billionths * a != given[i - 1].billionths * b) return std::nullopt;
  }
  return [a, b](int64_t current) -> std::optional<int64_t> {
    const Wide product = current * b;
    if (product % a != 0 || product / a > INT64_MAX / 2) return std::nullopt;
    return static_cast<int64_t>(product / a);
  };
}

/// The values between, if `step` leads to exactly `last`.
std::optional<std::vector<int64_t>> walk(const Step& step, int64_t from, int64_t last) {
  const bool up = step(from).value_or(from) > from;
  std::vector<int64_t> values;
  for (std::optional<int64_t> at = step(from); at && (up ? *at <= last : *at >= last); at = step(*at)) {
    if (*at == last) return values;
    if (values.size() >= kMostValues) return std::nullopt;
    values.push_back(*at);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> continue_progression(const std::vector<Decimal>& given, const Decimal& last,
                                                std::vector<Decimal>* between) {
  if (given.size() < 2) return "two values before the dots say how it goes on";
  int digits = last.digits;
  for (const Decimal& value : given) digits = std::max(digits, value.digits);
  const auto by_sum = arithmetic(given);
  const auto by_factor = geometric(given);
  if (!by_sum && !by_factor) return "the values before the dots have no common difference and no common factor";
  const auto sums = by_sum ? walk(*by_sum, given.back().billionths, last.billionths) : std::nullopt;
  const auto factors = by_factor ? walk(*by_factor, given.back().billionths, last.billionths) : std::nullopt;
  if (sums && factors && *sums != *factors) {
    return fmt::format("{}, {} go on by adding or by multiplying, and both meet {}; a third value tells",
                       text_of(given[0]), text_of(given[1]), text_of(last));
  }
  if (!sums && !factors) return fmt::format("the values before the dots do not lead to {}", text_of(last));
  // What is added keeps the digits of what it was added to: 0.5, 1.0, 1.5.
  for (const int64_t value : sums ? *sums : *factors) between->push_back({value, sums ? digits : 0});
  return std::nullopt;
}

std::optional<std::string> scan_range(const Decimal& first, const Decimal& last, const Decimal& step,
                                      std::vector<Decimal>* values) {
  if (step.billionths <= 0) return "the step must be larger than 0";
  if (first.billionths > last.billionths) return "the first value is larger than the last";
  if ((last.billionths - first.billionths) / step.billionths >= static_cast<int64_t>(kMostValues)) {
    return fmt::format("more than {} values", kMostValues);
  }
  const int digits = std::max(first.digits, step.digits);
  for (int64_t value = first.billionths; value <= last.billionths; value += step.billionths) {
    values->push_back({value, digits});
  }
  return std::nullopt;
}

}  // namespace xsp::bench
