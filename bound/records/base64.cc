#include "bound/records/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace xsp::bound {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNoDigit = 64;

constexpr std::array<uint8_t, 256> kDigits = [] {
  std::array<uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (size_t i = 0; i < kAlphabet.size(); ++i) digits[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  return digits;
}();

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) group = group << 8 | (j < count ? static_cast<uint8_t>(bytes[i + j]) : 0);
    for (size_t j = 0; j < 4; ++j) text += j <= count ? kAlphabet[group >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    const bool is_last = i + 4 == text.size();
    const size_t padding = !is_last || text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
    uint32_t group = 0;
    for (size_t j = 0; j < 4; ++j) {
      const uint8_t digit = j < 4 - padding ? kDigits[static_cast<uint8_t>(text[i + j])] : uint8_t{0};
      if (digit == kNoDigit) return std::nullopt;
      group = group << 6 | digit;
    }
    // Bits behind the last byte are zero, so that no two texts mean the same.
    if ((group & ((1U << 8 * padding) - 1)) != 0) return std::nullopt;
    for (size_t j = 0; j < 3 - padding; ++j) bytes += static_cast<char>(group >> (16 - 8 * j) & 255);
  }
  return bytes;
}

}  // namespace xsp::bound
