#pragma once

#include "inject/record/process.h"
#include "proto/wire_writer.h"

namespace xsp::guest {

/// The packets between which everything of a process lies.

/// Who the process is: its command, and what of its environment describes it among its peers.
void write_hello(WireWriter& writer, const Process& process);

/// ProcessEnd{GOODBYE} with the CPU time this thread has used.
void write_goodbye(WireWriter& writer);

}  // namespace xsp::guest
