#include "analysis/trace/packet_body.h"

#include <algorithm>

#include "analysis/trace/packet_fields.h"

namespace xsp::analysis {
namespace {

using packet::bytes;
using packet::clamp_time;
using packet::fields;
using packet::number;
using protozero::pbf_wire_type;

constexpr auto kFirstBody = static_cast<uint32_t>(wire::Body::kHeader);
constexpr auto kLastBody = static_cast<uint32_t>(wire::Body::kUsedLibrary);

void read_trace_part(std::string_view encoded, TracePart* part) {
  auto reader = fields(encoded);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case bytes(1):
        part->recording = reader.get_string();
        break;
      case number(2):
        part->index = reader.get_uint32();
        break;
      default:
        reader.skip();
    }
  }
}

}  // namespace

bool read_envelope(std::string_view encoded, Packet* packet) {
  auto reader = fields(encoded);
  while (reader.next()) {
    const uint32_t field = reader.tag();
    if (reader.tag_and_type() == number(1)) {
      packet->process = reader.get_uint32();
    } else if (reader.tag_and_type() == number(2)) {
      packet->sequence = reader.get_uint64();
    } else if (field >= kFirstBody && field <= kLastBody) {
      if (reader.wire_type() != pbf_wire_type::length_delimited || packet->field != PacketField::kNone) return false;
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
  auto reader = fields(encoded);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(1):
        header->format_version = reader.get_uint32();
        break;
      case bytes(2):
        header->producer = reader.get_string();
        break;
      case bytes(3):
        header->trace_id = reader.get_string();
        break;
      case number(4):
        header->realtime_offset_ns = reader.get_sint64();
        break;
      case number(5):
        header->begin_ns = clamp_time(reader.get_uint64());
        break;
      case bytes(6):
        header->hostname = reader.get_string();
        break;
      case bytes(7):
        header->kernel = reader.get_string();
        break;
      case bytes(8):
        header->cpu_model = reader.get_string();
        break;
      case number(9):
        header->cpu_count = reader.get_uint32();
        break;
      case bytes(10):
        header->command.push_back(reader.get_string());
        break;
      case bytes(11):
        header->requested_level = reader.get_string();
        break;
      case bytes(12):
        header->source = reader.get_string();
        break;
      case bytes(13):
        header->source_files.push_back(reader.get_string());
        break;
      case bytes(14):
        header->layers = reader.get_string();
        break;
      case bytes(15):
        header->model_span = reader.get_string();
        break;
      case number(16):
        header->counted = reader.get_bool();
        break;
      case bytes(17): {
        const auto run = reader.get_view();
        if (!read_experiment_run({run.data(), run.size()}, &header->run.emplace())) return false;
        break;
      }
      case bytes(18): {
        const auto part = reader.get_view();
        read_trace_part({part.data(), part.size()}, &header->part.emplace());
        break;
      }
      default:
        reader.skip();
    }
  }
  return header->format_version != 0;
}

bool read_hello(std::string_view encoded, Process* process) {
  auto reader = fields(encoded);
  process->said_hello = true;
  // Every part of a recording says it anew.
  process->command.clear();
  process->environment.clear();
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(2):
        process->pid = reader.get_uint32();
        break;
      case number(3):
        process->parent_pid = reader.get_uint32();
        break;
      case number(4):
        process->start_ns = clamp_time(reader.get_uint64());
        break;
      case bytes(5):
        process->executable = reader.get_string();
        break;
      case bytes(6):
        process->command.push_back(reader.get_string());
        break;
      case bytes(9): {
        auto entry = reader.get_message();
        auto& [key, value] = process->environment.emplace_back();
        while (entry.next()) {
          if (entry.tag_and_type() == bytes(1)) {
            key = entry.get_string();
          } else if (entry.tag_and_type() == bytes(2)) {
            value = entry.get_string();
          } else {
            entry.skip();
          }
        }
        break;
      }
      default:
        reader.skip();
    }
  }
  return true;
}

bool read_strings(std::string_view encoded, StringTable* table, ProcessStrings* strings, uint64_t* conflicts) {
  auto first = fields(encoded);
  uint64_t id = 0;
  while (first.next()) {
    if (first.tag_and_type() == number(1)) {
      id = first.get_uint32();
    } else {
      first.skip();
    }
  }
  if (id == 0) return false;
  auto reader = fields(encoded);
  while (reader.next()) {
    if (reader.tag_and_type() != bytes(2)) {
      reader.skip();
      continue;
    }
    if (id > UINT32_MAX) return false;
    const auto text = reader.get_view();
    if (!strings->define(static_cast<uint32_t>(id), table->intern({text.data(), text.size()}))) ++*conflicts;
    ++id;
  }
  return true;
}

bool read_open_spans(std::string_view encoded, uint32_t process, const ProcessStrings& strings,
                     std::vector<OpenSpan>* open_spans) {
  auto reader = fields(encoded);
  uint32_t thread = 0;
  while (reader.next()) {
    if (reader.tag_and_type() == number(1)) {
      thread = reader.get_uint32();
      continue;
    }
    if (reader.tag_and_type() != bytes(3)) {
      reader.skip();
      continue;
    }
    OpenSpan open{.process = process, .thread = thread};
    auto span = reader.get_message();
    while (span.next()) {
      switch (span.tag_and_type()) {
        case number(1):
          open.begin = clamp_time(span.get_uint64());
          break;
        case number(3):
          open.name = strings.find(span.get_uint32());
          break;
        case number(5): {
          const uint32_t level = span.get_uint32();
          if (level >= kLevelCount) return false;
          open.level = static_cast<Level>(level);
          break;
        }
        default:
          span.skip();
      }
    }
    open_spans->push_back(open);
  }
  return true;
}

bool read_clock(std::string_view encoded, Process* process) {
  auto reader = fields(encoded);
  uint32_t clock = 0;
  uint64_t error_ns = 0;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(1):
        clock = reader.get_uint32();
        break;
      case number(5):
        error_ns = std::max(error_ns, reader.get_uint64());
        break;
      default:
        reader.skip();
    }
  }
  const bool of_device = clock == static_cast<uint32_t>(wire::Clock::kCupti);
  (of_device ? process->has_device_clock : process->has_clock) = true;
  uint64_t& largest = of_device ? process->device_clock_error_ns : process->clock_error_ns;
  largest = std::max(largest, error_ns);
  return true;
}

bool read_process_end(std::string_view encoded, Process* process) {
  auto reader = fields(encoded);
  const bool has_ended = process->ended != ProcessEnd::kNone && process->ended != ProcessEnd::kStillRunning;
  if (!has_ended) process->ended = ProcessEnd::kGoodbye;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(1): {
        const uint32_t how = reader.get_uint32();
        if (how > static_cast<uint32_t>(ProcessEnd::kStillRunning)) return false;
        // A part that ended while the process ran says so, and parts may come in any order.
        if (!has_ended || static_cast<ProcessEnd>(how) != ProcessEnd::kStillRunning) {
          process->ended = static_cast<ProcessEnd>(how);
        }
        break;
      }
      case bytes(2):
        process->end_reason = reader.get_string();
        break;
      case number(3):
        process->end_ns = std::max(process->end_ns, clamp_time(reader.get_uint64()));
        break;
      case number(4):
        process->announced_spans = std::max(process->announced_spans, reader.get_uint64());
        break;
      case number(6):
        process->guest_cpu_ns = std::max(process->guest_cpu_ns, reader.get_uint64());
        break;
      default:
        reader.skip();
    }
  }
  return true;
}

bool read_trace_end(std::string_view encoded, Segment* segment) {
  auto reader = fields(encoded);
  segment->ended = true;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(1):
        segment->end_ns = clamp_time(reader.get_uint64());
        break;
      case number(2):
        segment->announced_spans = reader.get_uint64();
        break;
      case number(4):
        segment->complete = reader.get_bool();
        break;
      case bytes(5):
        segment->end_reason = reader.get_string();
        break;
      default:
        reader.skip();
    }
  }
  return true;
}

}  // namespace xsp::analysis
