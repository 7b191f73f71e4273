/// The part of TimelineWriter that writes what describes a segment: header, processes, devices, strings, losses, notes,
/// ends.

#include <sys/random.h>

#include "base/text_encoding.h"
#include "collector/writing/device_description.h"
#include "collector/writing/process_description.h"
#include "collector/writing/trace_fields.h"
#include "collector/writing/trace_writer.h"
#include "import/writing/timeline_writer.h"

namespace xsp {
namespace {

constexpr uint32_t kFormatVersion = 1;

}  // namespace

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
  writer_.write(0, Body::kHeader, capacity, [&](WireWriter& body) {
    body.uint64(1, kFormatVersion);
    body.string(2, "xsp-import " XSP_VERSION);
    body.bytes(3, id, sizeof id);
    body.sint64(4, offset);
    body.uint64(5, kFirstNs);
    body.string(6, hostname);
    body.string(12, format_);
    for (const std::string& name : names) body.element(13, name.data(), name.size());
    body.string(14, layers);
    body.string(15, model_span);
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
  writer_.write(written_[process].number, Body::kDevice, 256 + name.size() + chip.size(), [&](WireWriter& body) {
    body.uint64(1, device.index);
    body.string(2, name);
    body.uint64(4, device.compute_capability_major);
    body.uint64(5, device.compute_capability_minor);
    body.uint64(6, device.multiprocessors);
    body.uint64(7, device.memory_bytes);
    body.uint64(8, device.clock_khz);
    body.uint64(9, device.memory_clock_khz);
    body.uint64(10, device.memory_bus_bits);
    body.uint64(11, device.driver_version);
    body.uint64(13, device.l2_cache_bytes);
    body.uint64(14, device.memory_bandwidth);
    body.string(15, chip);
  });
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
      body.uint64(1, first);
      for (uint32_t id = first; id < last; ++id) body.element(2, text(id).data(), text(id).size());
    });
    written.strings = last - 1;
  }
}

void TimelineWriter::write_losses() {
  for (size_t process = 0; process < written_.size(); ++process) {
    const uint64_t missing = timeline_.processes_[process].missing_operators_;
    if (missing == 0 || written_[process].number == 0) continue;
    writer_.write(written_[process].number, Body::kLoss, 64, [&](WireWriter& body) {
      body.uint64(1, static_cast<uint64_t>(LossReason::kRemoved));
      body.uint64(2, missing);
    });
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
    writer_.write(processes_ == 0 ? 0 : 1, Body::kNotice, 64 + text.size() + format_.size(), [&](WireWriter& body) {
      body.uint64(1, static_cast<uint64_t>(severity));
      body.string(2, format_);
      body.string(3, text);
    });
  }
}

void TimelineWriter::write_ends() {
  for (const Written& written : written_) {
    if (written.number == 0) continue;
    writer_.write(written.number, Body::kProcessEnd, 64, [&](WireWriter& body) {
      body.uint64(1, static_cast<uint64_t>(EndHow::kGoodbye));
      body.uint64(3, end_ns_);
      body.uint64(4, written.spans);
    });
  }
  writer_.write(0, Body::kTraceEnd, 64, [&](WireWriter& body) {
    body.uint64(1, end_ns_);
    body.uint64(2, totals_.spans + totals_.executions);
    body.uint64(3, processes_);
    body.boolean(4, true);
  });
}

}  // namespace xsp
