#include "bound/problems/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/number_text.h"

namespace xsp::bound {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool is_escaped(char c, bool is_value) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7F || c == '%' || (c == '=' && !is_value);
}

void append_escaped(std::string_view text, bool is_value, std::string* out) {
  for (const char c : text) {
    if (!is_escaped(c, is_value)) {
      *out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    *out += '%';
    *out += kHexDigits[byte >> 4];
    *out += kHexDigits[byte & 15];
  }
}

/// What is no escape stays as it is: the text that is written from it differs then, and parse() takes neither.
std::string unescaped(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const size_t high = kHexDigits.find(text[i + 1]);
      const size_t low = kHexDigits.find(text[i + 2]);
      if (high != std::string_view::npos && low != std::string_view::npos) {
        plain += static_cast<char>(high * 16 + low);
        i += 2;
        continue;
      }
    }
    plain += text[i];
  }
  return plain;
}

/// Nothing unless each part is a whole number.
std::optional<std::vector<int64_t>> whole_numbers(std::string_view text, char separator) {
  std::vector<int64_t> numbers;
  while (true) {
    const size_t end = text.find(separator);
    const auto number = number_in<int64_t>(text.substr(0, end));
    if (!number) return {};
    numbers.push_back(*number);
    if (end == std::string_view::npos) return numbers;
    text.remove_prefix(end + 1);
  }
}

std::string joined(const std::vector<int64_t>& numbers, std::string_view separator) {
  return fmt::format("{}", fmt::join(numbers, separator));
}

}  // namespace

std::optional<Problem> Problem::parse(std::string_view text) {
  const std::string_view whole = text;
  size_t end = text.find(' ');
  Problem problem(unescaped(text.substr(0, end)));
  if (problem.kind_.empty()) return {};
  while (end != std::string_view::npos) {
    text.remove_prefix(end + 1);
    end = text.find(' ');
    const std::string_view field = text.substr(0, end);
    const size_t equals = field.find('=');
    if (equals == std::string_view::npos || equals == 0) return {};
    problem.fields_.emplace_back(unescaped(field.substr(0, equals)), unescaped(field.substr(equals + 1)));
  }
  std::unordered_set<std::string_view> names;
  for (const auto& [name, value] : problem.fields_) {
    if (!names.insert(name).second) return {};
  }
  return problem.text() == whole ? std::optional(std::move(problem)) : std::nullopt;
}

std::string_view Problem::field(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &std::pair<std::string, std::string>::first);
  return found == fields_.end() ? std::string_view() : std::string_view(found->second);
}

bool Problem::has(std::string_view name) const {
  return std::ranges::find(fields_, name, &std::pair<std::string, std::string>::first) != fields_.end();
}

std::vector<int64_t> Problem::dimensions(std::string_view name) const {
  auto numbers = whole_numbers(field(name), 'x');
  if (!numbers || std::ranges::any_of(*numbers, [](int64_t number) { return number < 0; })) return {};
  return *std::move(numbers);
}

std::vector<int64_t> Problem::list(std::string_view name) const {
  return whole_numbers(field(name), ',').value_or(std::vector<int64_t>());
}

int64_t Problem::integer(std::string_view name, int64_t otherwise) const {
  return number_in<int64_t>(field(name)).value_or(otherwise);
}

double Problem::number(std::string_view name, double otherwise) const {
  return number_in<double>(field(name)).value_or(otherwise);
}

Problem::Types Problem::types() const {
  const std::string_view text = field("dtype");
  const size_t first = text.find(':');
  if (first == std::string_view::npos) return {std::string(text), std::string(text), std::string(text)};
  const size_t second = text.find(':', first + 1);
  if (second == std::string_view::npos) return {};
  return {std::string(text.substr(0, first)), std::string(text.substr(first + 1, second - first - 1)),
          std::string(text.substr(second + 1))};
}

Problem& Problem::set(std::string_view name, std::string_view value) {
  const auto found = std::ranges::find(fields_, name, &std::pair<std::string, std::string>::first);
  if (found == fields_.end()) {
    fields_.emplace_back(name, value);
  } else {
    found->second = value;
  }
  return *this;
}

Problem& Problem::set_dimensions(std::string_view name, const std::vector<int64_t>& dimensions) {
  return set(name, joined(dimensions, "x"));
}

Problem& Problem::set_list(std::string_view name, const std::vector<int64_t>& numbers) {
  return set(name, joined(numbers, ","));
}

Problem& Problem::set_integer(std::string_view name, int64_t value) { return set(name, fmt::format("{}", value)); }

Problem& Problem::set_number(std::string_view name, double value) { return set(name, number_text(value)); }

std::string Problem::text() const {
  std::string text;
  append_escaped(kind_, false, &text);
  for (const auto& [name, value] : fields_) {
    text += ' ';
    append_escaped(name, false, &text);
    text += '=';
    append_escaped(value, true, &text);
  }
  return text;
}

std::string number_text(double value) {
  const auto narrow = static_cast<float>(value);
  const bool is_float = static_cast<double>(narrow) == value;
  if (value == 0) return "0";  // also where it is negative
  return is_float ? fmt::format("{}", narrow) : fmt::format("{}", value);
}

}  // namespace xsp::bound
