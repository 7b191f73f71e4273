#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/trace_writer.h"

namespace xsp {

/// What the launcher knows of the program that is profiled.
struct TraceSubject {
  std::vector<std::string> command;
  std::string level;
  bool counted = false;  ///< hardware counters are read: its times stand for nothing
};

/// Writes the TraceHeader: the host, the clocks, and the subject.
void write_trace_header(TraceWriter& writer, const TraceSubject& subject);

/// Writes the TraceEnd. `why` says what stopped an incomplete trace.
void write_trace_end(TraceWriter& writer, uint32_t processes, bool complete, const std::string& why);

}  // namespace xsp
