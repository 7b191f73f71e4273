#pragma once

#include <string_view>

#include "inject/record/process.h"
#include "proto/wire_writer.h"

namespace xsp::guest {

/// The packets between which everything of a process lies.

/// Who the process is: its command, and what of its environment describes it among its peers.
/// `shared_bytes`: of the memory whose descriptor comes with it, 0: none.
void write_hello(WireWriter& writer, const Process& process, uint64_t shared_bytes);

/// ProcessEnd{GOODBYE} with the CPU time this thread has used.
void write_goodbye(WireWriter& writer);

/// A file that calls into a library went to.
void write_used_library(WireWriter& writer, std::string_view library, std::string_view file);

/// A profile that a framework writes itself (xsp.ProfileFile); times in nanoseconds.
struct ProfileFile {
  std::string_view path;
  std::string_view scope;
  bool complete = false;
  bool keep = false;
  bool of_runs = false;
  uint64_t start_realtime = 0;
  int64_t realtime_offset = 0;
};

/// Queues the packet. False: it is longer than any path, or nothing records.
bool post_profile_file(const ProfileFile& file);

}  // namespace xsp::guest
