#pragma once

#include <string_view>

#include "inject/record/process.h"
#include "proto/trace_messages.h"
#include "proto/wire_writer.h"

namespace xsp::guest {

/// The packets between which everything of a process lies.

/// Who the process is: its command, and what of its environment describes it among its peers.
/// `shared_bytes`: of the memory whose descriptor comes with it, 0: none.
void write_hello(WireWriter& writer, const Process& process, uint64_t shared_bytes);

/// ProcessEnd{GOODBYE} with the CPU time this thread has used.
void write_goodbye(WireWriter& writer);

/// Queues the packet. False: it is longer than any path, or nothing records.
bool post_profile_file(const wire::ProfileFile& file);

}  // namespace xsp::guest
