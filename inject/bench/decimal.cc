#include "inject/bench/decimal.h"

#include <fmt/format.h>

#include <cstdlib>

namespace xsp::bench {
namespace {

constexpr int kDigits = 9;
constexpr int64_t kOne = 1'000'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<Decimal> parse_decimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  Decimal decimal;
  int whole_digits = 0;
  size_t i = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    if (++whole_digits > kDigits) return std::nullopt;
    decimal.billionths = decimal.billionths * 10 + (text[i] - '0');
  }
  decimal.billionths *= kOne;
  if (i < text.size() && text[i] == '.') {
    int64_t unit = kOne;
    for (++i; i < text.size() && is_digit(text[i]); ++i) {
      if (++decimal.digits > kDigits) return std::nullopt;
      unit /= 10;
      decimal.billionths += unit * (text[i] - '0');
    }
  }
  if (i != text.size() || whole_digits + decimal.digits == 0) return std::nullopt;
  if (negative) decimal.billionths = -decimal.billionths;
  return decimal;
}

std::string text_of(const Decimal& decimal) {
  const int64_t size = std::abs(decimal.billionths);
  std::string behind = fmt::format(".{:09}", size % kOne);
  while (behind.size() > static_cast<size_t>(decimal.digits) + 1 && behind.back() == '0') behind.pop_back();
  if (behind.size() == 1) behind.clear();
  return fmt::format("{}{}{}", decimal.billionths < 0 ? "-" : "", size / kOne, behind);
}

}  // namespace xsp::bench
