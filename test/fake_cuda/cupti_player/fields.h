#pragma once

/// The fields of a recording's line, and their meaning.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace fake {

using Fields = std::map<std::string, std::string>;

[[noreturn]] inline void give_up(const std::string& why) {
  fprintf(stderr, "stand-in libcupti, player: %s\n", why.c_str());
  abort();
}

/// `%20` is a space.
inline std::string decoded(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    result += static_cast<char>(strtoul(text.substr(i + 1, 2).c_str(), nullptr, 16));
    i += 2;
  }
  return result;
}

/// 0 if missing; a time may have a unit: 1.5us, 2ms.
inline int64_t number_of(const Fields& fields, const char* key) {
  const auto found = fields.find(key);
  if (found == fields.end()) return 0;
  char* end = nullptr;
  const int64_t whole = static_cast<int64_t>(strtoull(found->second.c_str(), &end, 10));
  const double part = *end == '.' ? strtod(end, &end) : 0;
  const std::string unit = end;
  const int64_t scale = unit == "us" ? 1'000 : unit == "ms" ? 1'000'000 : unit == "s" ? 1'000'000'000 : 1;
  if (scale == 1 && !unit.empty() && unit != "ns") give_up(std::string(key) + "=" + found->second + " is no number");
  return whole * scale + static_cast<int64_t>(part * static_cast<double>(scale) + 0.5);
}

}  // namespace fake
