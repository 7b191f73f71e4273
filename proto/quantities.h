#pragma once

/// Sizes and times as users write them, read by the launcher and by the collector that it starts.

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace xsp {

namespace quantities {

struct Unit {
  std::string_view name;
  double factor;
};

template <size_t Count>
std::optional<uint64_t> read(std::string_view text, const Unit (&units)[Count]) {
  constexpr double kMost = 1e18;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (failed != std::errc() || !(number >= 0)) return std::nullopt;
  const std::string_view name(rest, static_cast<size_t>(end - rest));
  for (const Unit& unit : units) {
    if (unit.name == name && number * unit.factor <= kMost) return static_cast<uint64_t>(number * unit.factor);
  }
  return std::nullopt;
}

}  // namespace quantities

/// "200M", "1.5G", "64k", "1000": bytes, in steps of 1024.
inline std::optional<uint64_t> parse_byte_size(std::string_view text) {
  constexpr quantities::Unit kUnits[] = {{"", 1},          {"k", 1024.0},       {"K", 1024.0},
                                         {"M", 1048576.0}, {"G", 1073741824.0}, {"T", 1099511627776.0}};
  return quantities::read(text, kUnits);
}

/// "5" (seconds), "500ms", "10m", "1h", "1d": nanoseconds.
inline std::optional<uint64_t> parse_duration(std::string_view text) {
  constexpr quantities::Unit kUnits[] = {{"", 1e9},   {"s", 1e9},    {"ms", 1e6},
                                         {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}};
  return quantities::read(text, kUnits);
}

/// The least that --max-size may be: room for what describes a recording, and what closes it.
inline constexpr uint64_t kLeastTraceBytes = uint64_t{1} << 20;
/// Defaults of a recording in parts.
inline constexpr uint64_t kDefaultRecordingBytes = uint64_t{1} << 30;
inline constexpr uint64_t kDefaultPartAgeNs = 600'000'000'000;

}  // namespace xsp
