/// The part of TimelineWriter that writes what describes a segment: header, processes, devices, strings, losses, notes,
/// ends.

#include <sys/random.h>

#include "base/text_encoding.h"
#include "collector/writing/process_description.h"
#include "collector/writing/trace_fields.h"
#include "collector/writing/trace_writer.h"
#include "import/writing/timeline_writer.h"
#include "proto/versions.h"

namespace xsp {
void TimelineWriter::write_header(const std::vector<std::string>& files, const ImportChoices& choices) {
  uint8_t id[16] = {};
  (void)::getrandom(id, sizeof id, GRND_NONBLOCK);
  const std::string hostname = trace_text(timeline_.hostname_);
  const std::string layers = trace_text(choices.layers);
  const std::string model_span = trace_text(choices.model_span);
  std::vector<std::string> names;
  size_t capacity = 1024 + hostname.size() + layers.size() + model_span.size() + format_.size();
  for (const std::string& file : files) {
    names.push_back(trace_text(file));
    capacity += names.back().size() + 16;
  }
  int64_t offset = 0;
  if (timeline_.knows_realtime_ && (__builtin_add_overflow(timeline_.realtime_origin_ns_, origin_, &offset) ||
                                    __builtin_sub_overflow(offset, static_cast<int64_t>(kFirstNs), &offset))) {
    offset = 0;
  }
  const wire::TraceHeader header{.format_version = kFormatVersion,
                                 .producer = "xsp-import " XSP_VERSION,
                                 .trace_id = {reinterpret_cast<const char*>(id), sizeof id},
                                 .realtime_offset_ns = offset,
                                 .begin_ns = kFirstNs,
                                 .hostname = hostname,
                                 .source = format_,
                                 .layers = layers,
                                 .model_span = model_span};
  writer_.write(0, Body::kHeader, capacity, [&](WireWriter& body) {
    const auto write_source_files = [&] {
      for (const std::string& name : names) body.element(wire::TraceHeader::kSourceFile, name.data(), name.size());
    };
    wire::write(
        body, header, [] {}, write_source_files, [] {}, [] {});
  });
}

void TimelineWriter::write_hello(size_t process) {
  Written& written = written_[process];
  if (written.number != 0) return;
  written.number = ++processes_;
  const ImportedProcess& from = timeline_.processes_[process];
  ProcessDescription hello;
  hello.protocol_version = kProtocolVersion;
  hello.pid = from.pid_;
  hello.start_ns = kFirstNs;
  hello.executable = trace_text(from.executable_);
  for (const auto& [name, value] : from.environment_) {
    hello.environment.emplace_back(trace_text(name), trace_text(value));
  }
  writer_.write(written.number, Body::kHello, hello_capacity(hello),
                [&](WireWriter& body) { xsp::write_hello(body, hello); });
}

void TimelineWriter::write_device(size_t process, const ImportedDevice& device) {
  const std::string name = trace_text(device.name);
  const std::string chip = trace_text(device.chip);
  writer_.write(written_[process].number, wire::Device{.index = device.index,
                                                       .name = name,
                                                       .compute_capability_major = device.compute_capability_major,
                                                       .compute_capability_minor = device.compute_capability_minor,
                                                       .multiprocessors = device.multiprocessors,
                                                       .memory_bytes = device.memory_bytes,
                                                       .clock_khz = device.clock_khz,
                                                       .memory_clock_khz = device.memory_clock_khz,
                                                       .memory_bus_bits = device.memory_bus_bits,
                                                       .driver_version = device.driver_version,
                                                       .l2_cache_bytes = device.l2_cache_bytes,
                                                       .memory_bandwidth = device.memory_bandwidth,
                                                       .chip = chip});
}

void TimelineWriter::write_strings(size_t process) {
  Written& written = written_[process];
  const StringPool& texts = timeline_.processes_[process].texts_;
  while (written.strings < texts.size()) {
    const uint32_t first = written.strings + 1;
    uint32_t last = first;
    size_t capacity = 32;
    const auto text = [&](uint32_t id) { return texts.text(id).substr(0, kMaxStringBytes); };
    while (last <= texts.size() && capacity < kMaxPacketBytes / 2) capacity += text(last++).size() + 16;
    writer_.write(written.number, Body::kStrings, capacity, [&](WireWriter& body) {
      wire::write(body, wire::StringBatch{.first_id = first}, [&] {
        for (uint32_t id = first; id < last; ++id) {
          body.element(wire::StringBatch::kText, text(id).data(), text(id).size());
        }
      });
    });
    written.strings = last - 1;
  }
}

void TimelineWriter::write_losses() {
  for (size_t process = 0; process < written_.size(); ++process) {
    const uint64_t missing = timeline_.processes_[process].missing_operators_;
    if (missing == 0 || written_[process].number == 0) continue;
    writer_.write(written_[process].number,
                  wire::Loss{.reason = static_cast<uint32_t>(LossReason::kRemoved), .count = missing});
  }
}

void TimelineWriter::write_notes() {
  const auto note = [&](std::string_view what, uint64_t count) {
    if (count != 0) timeline_.note(what, count);
  };
  note("span or execution without a time that can be used, left out", without_time_);
  note("span or execution that ends before it begins, taken as without duration", inverted_);
  note("span that crosses another one of its thread and is in neither", totals_.overlapping);
  note("span that begins before its parent, left without one", children_before_parents_);
  note("execution whose correlation id several calls have, left without launch", ambiguous_);
  for (const auto& [what, count] : timeline_.notes()) {
    std::string text = trace_text(what);
    if (count != 0) text += ": " + std::to_string(count);
    const auto severity = count == 0 ? Severity::kInfo : Severity::kWarning;
    writer_.write(processes_ == 0 ? 0 : 1,
                  wire::Notice{.severity = static_cast<uint32_t>(severity), .component = format_, .text = text});
  }
}

void TimelineWriter::write_ends() {
  for (const Written& written : written_) {
    if (written.number == 0) continue;
    writer_.write(
        written.number,
        wire::ProcessEnd{.how = static_cast<uint32_t>(EndHow::kGoodbye), .end_ns = end_ns_, .spans = written.spans});
  }
  writer_.write(
      0,
      wire::TraceEnd{
          .end_ns = end_ns_, .spans = totals_.spans + totals_.executions, .processes = processes_, .complete = true});
}

}  // namespace xsp
