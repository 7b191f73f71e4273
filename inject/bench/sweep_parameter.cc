#include "inject/bench/sweep_parameter.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "inject/bench/decimal.h"

namespace xsp::bench {
namespace {

constexpr size_t kMostValues = 10'000;
constexpr const char* kListHint = "for example -L batch 1,2,4,8 or -L batch 1,2,4,...,256";
constexpr const char* kScanHint = "for example -P threads 1 8, or -P ratio 0.1 0.9 -D 0.2";

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words(1);
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '\\' && i + 1 < list.size() && (list[i + 1] == ',' || list[i + 1] == '\\')) {
      words.back() += list[++i];
    } else if (list[i] == ',') {
      words.emplace_back();
    } else {
      words.back() += list[i];
    }
  }
  return words;
}

bool is_ellipsis(const std::string& word) { return word == "..." || word == "…"; }

Status check_name(const std::string& option, const std::string& name) {
  if (name == "run") return {fmt::format("{}: {{run}} is the number of the run", option), "use another name"};
  constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  if (!name.empty() && name[0] != '-' && name.find_first_not_of(kLetters) == std::string::npos) return {};
  return {fmt::format("{}: \"{}\" is no name of a parameter", option, name),
          "letters, digits, _, - and .; the command has it in braces: {batch}"};
}

/// The same value twice would be the same point twice.
Status check_values(const std::string& option, const SweepParameter& parameter) {
  std::set<std::string> seen;
  for (const std::string& value : parameter.values) {
    if (value.empty()) return {fmt::format("{} {}: an empty value", option, parameter.name), kListHint};
    if (!seen.insert(value).second) {
      return {fmt::format("{} {}: {} is there twice", option, parameter.name, value),
              "--runs N measures every point N times"};
    }
  }
  return {};
}

/// The value as a number. An error if it is none: dots, beside which it stands, go with numbers only.
Status read_number(const std::string& name, const std::string& value, Decimal* number) {
  const auto decimal = parse_decimal(value);
  if (!decimal) return {fmt::format("-L {}: dots go with numbers, and \"{}\" is none", name, value), kListHint};
  *number = *decimal;
  return {};
}

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

/// What `1, 2, 4, …, 256` leaves out: the values between the last of `given` and `last`, appended to `between`. The
/// progression is the one, arithmetic or geometric, that all given values follow and that meets `last`. Otherwise says
/// why there is none.
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

/// `first`, `first` + `step`, … up to `last`, as hyperfine's --parameter-scan. Otherwise says why there is none.
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

}  // namespace

Status parse_value_list(const std::string& name, const std::string& list, SweepParameter* parameter) {
  if (Status status = check_name("-L", name); !status.ok()) return status;
  parameter->name = name;
  const std::vector<std::string> words = split(list);
  size_t progression_begin = 0;  // in values
  for (size_t i = 0; i < words.size(); ++i) {
    if (!is_ellipsis(words[i])) {
      parameter->values.push_back(words[i]);
      continue;
    }
    if (i + 1 == words.size() || is_ellipsis(words[i + 1])) {
      return {fmt::format("-L {}: no value behind the dots", name), kListHint};
    }
    std::vector<Decimal> given;
    for (size_t j = progression_begin; j < parameter->values.size(); ++j) {
      if (Status status = read_number(name, parameter->values[j], &given.emplace_back()); !status.ok()) return status;
    }
    Decimal last;
    if (Status status = read_number(name, words[i + 1], &last); !status.ok()) return status;
    std::vector<Decimal> between;
    if (const auto why = continue_progression(given, last, &between)) {
      return {fmt::format("-L {} {}: {}", name, list, *why), kListHint};
    }
    for (const Decimal& value : between) parameter->values.push_back(text_of(value));
    progression_begin = parameter->values.size();
  }
  return check_values("-L", *parameter);
}

Status parse_scan(const std::string& name, const std::string& first, const std::string& last, const std::string& step,
                  SweepParameter* parameter) {
  if (Status status = check_name("-P", name); !status.ok()) return status;
  const auto from = parse_decimal(first);
  const auto to = parse_decimal(last);
  const auto by = parse_decimal(step.empty() ? "1" : step);
  for (const auto& [text, number] : {std::pair(first, from), std::pair(last, to), std::pair(step, by)}) {
    if (!number) return {fmt::format("-P {}: \"{}\" is no number", name, text), kScanHint};
  }
  if (step.empty() && from->digits + to->digits > 0) {
    return {fmt::format("-P {}: values with decimals need a step", name), kScanHint};
  }
  std::vector<Decimal> values;
  if (const auto why = scan_range(*from, *to, *by, &values)) {
    return {fmt::format("-P {} {} {}: {}", name, first, last, *why), kScanHint};
  }
  parameter->name = name;
  for (const Decimal& value : values) parameter->values.push_back(text_of(value));
  return {};
}

Status check_parameters(const std::vector<SweepParameter>& parameters) {
  std::set<std::string> names;
  size_t points = 1;
  for (const SweepParameter& parameter : parameters) {
    if (!names.insert(parameter.name).second) {
      return {fmt::format("the parameter {} is given twice", parameter.name),
              fmt::format("one -L {} with all of its values", parameter.name)};
    }
    points *= parameter.values.size();
    if (points > kMostValues) return {fmt::format("the sweep has more than {} points", kMostValues)};
  }
  return {};
}

std::vector<launch::Parameters> sweep_points(const std::vector<SweepParameter>& parameters) {
  std::vector<launch::Parameters> points(1);
  for (const SweepParameter& parameter : parameters) {
    std::vector<launch::Parameters> longer;
    for (const std::string& value : parameter.values) {
      for (launch::Parameters point : points) {
        point.emplace_back(parameter.name, value);
        longer.push_back(std::move(point));
      }
    }
    points = std::move(longer);
  }
  return points;
}

}  // namespace xsp::bench
