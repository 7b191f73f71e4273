#include "analysis/trace/packet_body.h"

#include <algorithm>
#include <cmath>

#include "analysis/trace/packet_fields.h"

namespace xsp::analysis {
namespace {

using packet::clamp_time;

constexpr auto kFirstBody = static_cast<uint32_t>(wire::Body::kHeader);
constexpr auto kEndOfBodies = static_cast<uint32_t>(wire::kBodyCount);

wire::Processors usable_processors(std::string_view encoded) {
  auto processors = packet::read<wire::Processors>(encoded);
  for (double* const number : {&processors.quota, &processors.load}) {
    if (!std::isfinite(*number) || *number < 0) *number = 0;
  }
  return processors;
}

}  // namespace

bool read_envelope(std::string_view encoded, Packet* packet) {
  using wire::wire_field::number;
  protozero::pbf_reader reader(encoded.data(), encoded.size());
  while (reader.next()) {
    const uint32_t field = reader.tag();
    if (reader.tag_and_type() == number(wire::Packet::kProcess)) {
      packet->process = reader.get_uint32();
    } else if (reader.tag_and_type() == number(wire::Packet::kSequence)) {
      packet->sequence = reader.get_uint64();
    } else if (field >= kFirstBody && field < kEndOfBodies) {
      if (reader.wire_type() != protozero::pbf_wire_type::length_delimited || packet->field != PacketField::kNone) {
        return false;
      }
      packet->field = static_cast<PacketField>(field);
      const auto body = reader.get_view();
      packet->body = {body.data(), body.size()};
    } else {
      reader.skip();
    }
  }
  return true;
}

bool read_header(std::string_view encoded, TraceHeader* header) {
  wire::TraceHeader read;
  const bool is_read = packet::read(encoded, &read, [&](uint32_t field, std::string_view bytes) {
    switch (field) {
      case wire::TraceHeader::kCommand:
        header->command.emplace_back(bytes);
        break;
      case wire::TraceHeader::kSourceFile:
        header->source_files.emplace_back(bytes);
        break;
      case wire::TraceHeader::kRun:
        return read_experiment_run(bytes, &header->run.emplace());
      case wire::TraceHeader::kPart: {
        const auto part = packet::read<wire::TracePart>(bytes);
        header->part = {.recording = std::string(part.recording), .index = part.index};
        break;
      }
      case wire::TraceHeader::kProcessors:
        header->processors = usable_processors(bytes);
        break;
      default:
        break;
    }
    return true;
  });
  static_cast<wire::TraceHeaderOf<std::string>&>(*header) =
      wire::convert_texts<std::string>(read, [](std::string_view text) { return std::string(text); });
  header->begin_ns = static_cast<uint64_t>(clamp_time(read.begin_ns));
  return is_read && header->format_version != 0;
}

bool read_hello(std::string_view encoded, Process* process) {
  process->said_hello = true;
  // Every part of a recording says it anew.
  process->command.clear();
  process->environment.clear();
  const auto read = [&](wire::Hello& hello) {
    packet::read(encoded, &hello, [&](uint32_t field, std::string_view bytes) {
      if (field == wire::Hello::kCommand) {
        process->command.emplace_back(bytes);
      } else {
        const auto entry = packet::read<wire::HelloEnvironmentEntry>(bytes);
        process->environment.emplace_back(entry.key, entry.value);
      }
      return true;
    });
  };
  packet::use_what_is_read<wire::Hello>(read, [&](const wire::Hello& hello) {
    process->pid = hello.pid;
    process->parent_pid = hello.parent_pid;
    process->start_ns = clamp_time(hello.start_ns);
    process->executable = hello.executable;
  });
  return true;
}

bool read_strings(std::string_view encoded, StringTable* table, ProcessStrings* strings, uint64_t* conflicts) {
  wire::StringBatch batch;
  packet::read(encoded, &batch, [](uint32_t, std::string_view) { return true; });
  uint64_t id = batch.first_id;
  if (id == 0) return false;
  return packet::read(encoded, &batch, [&](uint32_t, std::string_view text) {
    if (id > UINT32_MAX) return false;
    if (!strings->define(static_cast<uint32_t>(id), table->intern(text))) ++*conflicts;
    ++id;
    return true;
  });
}

bool read_open_spans(std::string_view encoded, uint32_t process, const ProcessStrings& strings,
                     std::vector<OpenSpan>* open_spans) {
  const size_t before = open_spans->size();
  wire::OpenSpans open;
  const bool is_read = packet::read(encoded, &open, [&](uint32_t, std::string_view bytes) {
    const auto span = packet::read<wire::OpenSpansSpan>(bytes);
    if (span.level >= kLevelCount) return false;
    open_spans->push_back({.process = process,
                           .begin = clamp_time(span.begin),
                           .name = strings.find(span.name),
                           .level = static_cast<Level>(span.level)});
    return true;
  });
  for (size_t i = before; i < open_spans->size(); ++i) (*open_spans)[i].thread = open.thread;
  return is_read;
}

bool read_clock(std::string_view encoded, Process* process) {
  const auto reading = packet::read<wire::ClockReading>(encoded);
  const bool of_device = reading.clock == static_cast<uint32_t>(wire::Clock::kCupti);
  (of_device ? process->has_device_clock : process->has_clock) = true;
  uint64_t& largest = of_device ? process->device_clock_error_ns : process->clock_error_ns;
  largest = std::max(largest, reading.error_ns);
  return true;
}

bool read_process_end(std::string_view encoded, Process* process) {
  const auto end = packet::read<wire::ProcessEnd>(encoded);
  if (end.how >= wire::kProcessEndHowCount) return false;
  // An end that does not say how is a goodbye.
  const auto how = end.how == 0 ? ProcessEnd::kGoodbye : static_cast<ProcessEnd>(end.how);
  const bool has_ended = process->ended != ProcessEnd::kUnspecified && process->ended != ProcessEnd::kStillRunning;
  // A part that ended while the process ran says so; parts may come in any order.
  if (!has_ended || (end.how != 0 && how != ProcessEnd::kStillRunning)) process->ended = how;
  if (!end.why.empty()) process->end_reason = end.why;
  process->end_ns = std::max(process->end_ns, clamp_time(end.end_ns));
  process->announced_spans = std::max(process->announced_spans, end.spans);
  process->guest_cpu_ns = std::max(process->guest_cpu_ns, end.guest_cpu_ns);
  return true;
}

bool read_trace_end(std::string_view encoded, Segment* segment) {
  const auto read = [&](wire::TraceEnd& end) { wire::read<wire::Mismatch::kSkip>(encoded, &end); };
  packet::use_what_is_read<wire::TraceEnd>(read, [&](const wire::TraceEnd& end) {
    segment->ended = true;
    segment->end_ns = clamp_time(end.end_ns);
    segment->announced_spans = end.spans;
    segment->complete = end.complete;
    segment->end_reason = end.why;
  });
  return true;
}

}  // namespace xsp::analysis
