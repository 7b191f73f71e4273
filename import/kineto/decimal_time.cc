#include "import/kineto/decimal_time.h"

#include <cstddef>
#include <limits>

namespace xsp::kineto {
namespace {

constexpr int kMaxDigits = 19;  // as many fit into 64 bits
constexpr int64_t kMaxExponent = 1000;

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/// digits · 10^exponent.
struct Decimal {
  uint64_t digits = 0;
  int64_t exponent = 0;
  bool negative = false;
};

bool read_exponent(std::string_view text, size_t* at, int64_t* exponent) {
  bool negative = false;
  if (*at < text.size() && (text[*at] == '-' || text[*at] == '+')) negative = text[(*at)++] == '-';
  if (*at == text.size() || !is_digit(text[*at])) return false;
  int64_t value = 0;
  for (; *at < text.size() && is_digit(text[*at]); ++*at) {
    if (value < kMaxExponent) value = value * 10 + (text[*at] - '0');
  }
  *exponent += negative ? -value : value;
  return true;
}

bool read_decimal(std::string_view text, Decimal* decimal) {
  const auto is_around = [](char byte) {
    return byte == '"' || byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
  };
  while (!text.empty() && is_around(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_around(text.back())) text.remove_suffix(1);
  size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) decimal->negative = text[at++] == '-';
  bool any = false;
  bool behind_point = false;
  int kept = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !behind_point) {
      behind_point = true;
      continue;
    }
    if (!is_digit(text[at])) break;
    any = true;
    if (kept < kMaxDigits) {
      decimal->digits = decimal->digits * 10 + static_cast<uint64_t>(text[at] - '0');
      if (decimal->digits != 0) ++kept;
      if (behind_point) --decimal->exponent;
    } else if (!behind_point) {
      ++decimal->exponent;
    }
  }
  if (!any) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (!read_exponent(text, &at, &decimal->exponent)) return false;
  }
  return at == text.size();
}

enum class Rounding { kNearest, kDown };

bool to_int64(const Decimal& decimal, Rounding rounding, int64_t* value) {
  uint64_t digits = decimal.digits;
  int64_t exponent = decimal.exponent;
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  for (; exponent > 0 && digits != 0; --exponent) {
    if (digits > kMost / 10) return false;
    digits *= 10;
  }
  uint64_t rest = 0;
  for (; exponent < 0 && digits != 0; ++exponent) {
    rest = digits % 10;
    digits /= 10;
  }
  if (exponent == 0 && rounding == Rounding::kNearest && rest >= 5) ++digits;
  if (digits > kMost) return false;
  *value = decimal.negative ? -static_cast<int64_t>(digits) : static_cast<int64_t>(digits);
  return true;
}

}  // namespace

bool microseconds_to_ns(std::string_view text, int64_t* ns) {
  Decimal decimal;
  if (!read_decimal(text, &decimal)) return false;
  decimal.exponent += 3;
  return to_int64(decimal, Rounding::kNearest, ns);
}

bool to_integer(std::string_view text, int64_t* value) {
  Decimal decimal;
  return read_decimal(text, &decimal) && to_int64(decimal, Rounding::kDown, value);
}

}  // namespace xsp::kineto
