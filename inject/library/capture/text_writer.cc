#include "inject/library/capture/text_writer.h"

namespace xsp::guest {

// By hand: snprintf takes the decimal point from the program's locale.
TextWriter& TextWriter::add(double value) {
  if (value != value) return add("nan");
  if (value < 0) {
    add("-");
    value = -value;
  }
  if (value > 1.7976931348623157e308) return add("inf");
  if (value == 0) return add("0");
  int exponent = 0;
  while (value >= 10) value /= 10, ++exponent;
  while (value < 1) value *= 10, --exponent;
  // Six digits. Not lround, which would need libm.  NOLINTNEXTLINE(bugprone-incorrect-roundings)
  int64_t digits = static_cast<int64_t>(value * 100000 + 0.5);
  if (digits >= 1000000) digits /= 10, ++exponent;
  int count = 6;
  while (count > 1 && digits % 10 == 0) digits /= 10, --count;
  char text[8];
  for (int i = count; i-- > 0; digits /= 10) text[i] = static_cast<char>('0' + digits % 10);
  const std::string_view all{text, static_cast<size_t>(count)};
  if (exponent < -4 || exponent >= 6) {
    add(all.substr(0, 1));
    if (count > 1) add(".").add(all.substr(1));
    return add("e").add(static_cast<int64_t>(exponent));
  }
  if (exponent < 0) return add("0.").add(std::string_view("000", static_cast<size_t>(-exponent - 1))).add(all);
  const size_t whole = static_cast<size_t>(exponent) + 1;
  if (all.size() <= whole) return add(all).add(std::string_view("00000", whole - all.size()));
  return add(all.substr(0, whole)).add(".").add(all.substr(whole));
}

}  // namespace xsp::guest
