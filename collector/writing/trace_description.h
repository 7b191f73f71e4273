#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/processors.h"
#include "collector/writing/recording_part.h"
#include "collector/writing/trace_writer.h"

namespace xsp {

/// Which run of a set the trace is. If `set` is empty, the trace is a recording by itself.
struct ExperimentRun : wire::ExperimentRunOf<std::string> {
  std::vector<std::pair<std::string, std::string>> parameters;
};

/// What the launcher knows about the profiled program.
struct TraceSubject {
  std::vector<std::string> command;
  std::string level;
  bool counted = false;  ///< hardware counters were read: times are meaningless
  ExperimentRun run;
  ProcessorFacts processors;  ///< as they were before the program began: each part of a recording repeats them
};

/// Writes the TraceHeader: the host, the clocks, and the subject.
void write_trace_header(TraceWriter& writer, const TraceSubject& subject, const RecordingPart& part = {});

/// Writes the TraceEnd. `why` says what stopped an incomplete trace.
void write_trace_end(TraceWriter& writer, uint32_t processes, bool complete, const std::string& why);

}  // namespace xsp
