#include "analysis/export/json_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace xsp::analysis {
namespace {

template <typename Value>
void append_digits(Value value, std::string* to) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  to->append(digits.data(), end);
}

}  // namespace

void append_json_string(std::string_view text, std::string* to) {
  to->push_back('"');
  size_t plain = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7f) continue;
    to->append(text, plain, i - plain);
    plain = i + 1;
    if (byte == '"' || byte == '\\') {
      to->push_back('\\');
      to->push_back(static_cast<char>(byte));
    } else {
      to->append("\\u00");
      to->push_back(kHexDigits[byte >> 4]);
      to->push_back(kHexDigits[byte & 15]);
    }
  }
  to->append(text, plain, text.size() - plain);
  to->push_back('"');
}

void append_integer(int64_t value, std::string* to) { append_digits(value, to); }
void append_unsigned(uint64_t value, std::string* to) { append_digits(value, to); }

void append_number(double value, std::string* to) {
  if (std::isfinite(value)) return append_digits(value, to);
  to->append("null");
}

void append_microseconds(int64_t ns, std::string* to) {
  if (ns < 0) {
    to->push_back('-');
    ns = -ns;
  }
  append_digits(ns / 1000, to);
  if (const int64_t rest = ns % 1000; rest != 0) {
    to->push_back('.');
    to->push_back(static_cast<char>('0' + rest / 100));
    to->push_back(static_cast<char>('0' + rest / 10 % 10));
    to->push_back(static_cast<char>('0' + rest % 10));
  }
}

}  // namespace xsp::analysis
