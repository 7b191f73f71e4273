#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace xsp::launch {

/// Nanoseconds of a time as the user writes it: `5` and `5s` are seconds; `500ms`, `20us`, `1.5m`, `2h`. Nothing for
/// anything else, negative or beyond a year.
std::optional<uint64_t> parse_time_span(std::string_view text);

}  // namespace xsp::launch
