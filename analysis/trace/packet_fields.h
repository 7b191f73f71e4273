#pragma once

/// For reading packets: a field with the wrong wire type is skipped, like an unknown one.

#include <cstdint>
#include <string_view>
#include <utility>

#include "proto/trace_readers.h"

namespace xsp::analysis::packet {

/// A message that is all plain fields; its texts are views of `encoded`.
template <typename Message>
Message read(std::string_view encoded) {
  Message message;
  wire::read<wire::Mismatch::kSkip>(encoded, &message);
  return message;
}

/// Any message; see wire::read().
template <typename Message, typename Take>
bool read(std::string_view encoded, Message* message, Take&& take) {
  return wire::read<wire::Mismatch::kSkip>(encoded, message, std::forward<Take>(take));
}

/// Calls `read(message)`, and `use(message)` also where the rest of the packet is broken: it is left out and counted,
/// but what is known of a process or a recording is not thrown away with it.
template <typename Message, typename Read, typename Use>
void use_what_is_read(Read&& read, Use&& use) {
  Message message;
  try {
    read(message);
  } catch (const protozero::exception&) {
    use(message);
    throw;
  }
  use(message);
}

constexpr int64_t clamp_time(uint64_t ns) {
  return ns > static_cast<uint64_t>(INT64_MAX) ? INT64_MAX : static_cast<int64_t>(ns);
}

}  // namespace xsp::analysis::packet
