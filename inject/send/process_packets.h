#pragma once

#include <string_view>

#include "inject/record/process.h"
#include "proto/trace_messages.h"
#include "proto/wire_writer.h"

namespace xsp::guest {

/// The first and the last packet of a process.

/// Says who the process is: its command, and the part of its environment that describes it among its peers.
/// `shared_bytes`: size of the memory whose descriptor is sent along; 0: there is none.
void write_hello(WireWriter& writer, const Process& process, uint64_t shared_bytes);

/// ProcessEnd{GOODBYE} with the CPU time this thread has used.
void write_goodbye(WireWriter& writer);

/// Queues the packet. False if it is longer than any path makes it, or nothing records.
bool post_profile_file(const wire::ProfileFile& file);

}  // namespace xsp::guest
