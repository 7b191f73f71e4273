#pragma once

/// Reads the packets of a trace's course: processes, texts, clocks, ends. Each function takes the encoded message and
/// is false when it contradicts itself; protozero's exceptions on damaged encoding pass through to the loader. Unknown
/// fields are skipped.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/experiment_run.h"
#include "analysis/trace/recording_parts.h"
#include "analysis/trace/trace.h"
#include "proto/trace_messages.h"

namespace xsp::analysis {

using PacketField = wire::Body;

struct Packet {
  uint32_t process = 0;
  uint64_t sequence = 0;
  PacketField field = PacketField::kNone;
  std::string_view body;
};

/// TraceHeader of trace.proto. Its begin is at most INT64_MAX.
struct TraceHeader : wire::TraceHeaderOf<std::string> {
  std::vector<std::string> command;
  std::vector<std::string> source_files;
  std::optional<ExperimentRun> run;
  std::optional<TracePart> part;
  std::optional<wire::Processors> processors;  // numbers that are none are 0
};

bool read_envelope(std::string_view encoded, Packet* packet);
bool read_header(std::string_view encoded, TraceHeader* header);
bool read_hello(std::string_view encoded, Process* process);
bool read_strings(std::string_view encoded, StringTable* table, ProcessStrings* strings, uint64_t* conflicts);
bool read_open_spans(std::string_view encoded, uint32_t process, const ProcessStrings& strings,
                     std::vector<OpenSpan>* open_spans);
bool read_clock(std::string_view encoded, Process* process);
bool read_process_end(std::string_view encoded, Process* process);
bool read_trace_end(std::string_view encoded, Segment* segment);

}  // namespace xsp::analysis
