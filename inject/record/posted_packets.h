#pragma once

#include <cstdint>
#include <string_view>

#include "proto/trace_numbers.h"
#include "proto/wire_writer.h"

namespace xsp::guest {

/// Encoders of packets that any floor may post (post_packet), each with its Trace framing; packets that only the sender
/// writes are in inject/send. None of them allocates.

/// `severity`: 0 info, 1 warning, 2 error. Texts are cut.
void write_notice(WireWriter& writer, uint32_t severity, std::string_view component, std::string_view text);

/// `end_ns` 0: the gap is still open.
void write_gap(WireWriter& writer, wire::GapReason reason, wire::Level level, uint64_t begin_ns, uint64_t end_ns,
               std::string_view detail);

}  // namespace xsp::guest
