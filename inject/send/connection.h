#pragma once

#include <cstddef>

#include "inject/record/process.h"

namespace xsp::guest {

/// False when the program closed our descriptor, whatever has its number now.
bool owns_connection(const Process& process);

/// Whether the collector still has the other end, and so will take what the rings hold when the process ends.
bool is_connected(const Process& process);

/// Sends all bytes, waiting for a slow collector as long as it lives. False when the connection is gone, or the program
/// closed its descriptor, which may be a file of its own by now: nothing was written to that file.
bool send_all(Process& process, const void* bytes, size_t length);

}  // namespace xsp::guest
