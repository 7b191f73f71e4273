#include "import/writing/segment_process.h"

#include <algorithm>
#include <string>

#include "base/text_encoding.h"
#include "collector/writing/process_description.h"
#include "collector/writing/trace_fields.h"
#include "proto/versions.h"

namespace xsp {
namespace {

constexpr auto kBefore = [](const LaunchIndex::Launch& launch, uint32_t id) { return launch.correlation < id; };

}  // namespace

void LaunchIndex::finish() {
  std::sort(launches_.begin(), launches_.end(),
            [](const Launch& a, const Launch& b) { return a.correlation < b.correlation; });
  // Stable: if several were told for one execution, the first one holds.
  std::stable_sort(told_.begin(), told_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

bool LaunchIndex::has(uint32_t correlation) const {
  const auto found = std::lower_bound(launches_.begin(), launches_.end(), correlation, kBefore);
  return found != launches_.end() && found->correlation == correlation;
}

SpanReference LaunchIndex::find(uint32_t correlation) const {
  const auto found = std::lower_bound(launches_.begin(), launches_.end(), correlation, kBefore);
  if (found == launches_.end() || found->correlation != correlation) return {};
  const auto next = found + 1;
  return next != launches_.end() && next->correlation == correlation ? SpanReference{} : found->span;
}

SpanReference LaunchIndex::told(uint64_t execution) const {
  const auto found = std::lower_bound(told_.begin(), told_.end(), execution,
                                      [](const auto& launch, uint64_t number) { return launch.first < number; });
  return found != told_.end() && found->first == execution ? found->second : SpanReference{};
}

void SegmentProcess::begin() {
  if (number_ != 0) return;
  number_ = ++segment_.processes;
  const ImportedProcess::Contents& from = contents();
  ProcessDescription hello;
  hello.protocol_version = kProtocolVersion;
  hello.pid = imported_.pid();
  hello.start_ns = SegmentTimes::kFirstNs;
  hello.executable = trace_text(from.executable);
  for (const auto& [name, value] : from.environment) {
    hello.environment.emplace_back(trace_text(name), trace_text(value));
  }
  segment_.writer.write(number_, Body::kHello, hello_capacity(hello),
                        [&](WireWriter& body) { write_hello(body, hello); });
}

void SegmentProcess::write_texts() {
  const StringPool& texts = imported_.texts();
  while (texts_ < texts.size()) {
    const uint32_t first = texts_ + 1;
    uint32_t last = first;
    size_t capacity = 32;
    const auto text = [&](uint32_t id) { return texts.text(id).substr(0, kMaxStringBytes); };
    while (last <= texts.size() && capacity < kMaxPacketBytes / 2) capacity += text(last++).size() + 16;
    segment_.writer.write(number_, Body::kStrings, capacity, [&](WireWriter& body) {
      wire::write(body, wire::StringBatch{.first_id = first}, [&] {
        for (uint32_t id = first; id < last; ++id) {
          body.element(wire::StringBatch::kText, text(id).data(), text(id).size());
        }
      });
    });
    texts_ = last - 1;
  }
}

void SegmentProcess::write(const ImportedDevice& device) {
  const std::string name = trace_text(device.name);
  const std::string chip = trace_text(device.chip);
  segment_.writer.write(number_, wire::Device{.index = device.index,
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

void SegmentProcess::write_loss() const {
  const uint64_t missing = contents().missing_operators;
  if (missing == 0 || number_ == 0) return;
  segment_.writer.write(number_, wire::Loss{.reason = static_cast<uint32_t>(LossReason::kRemoved), .count = missing});
}

void SegmentProcess::end() const {
  if (number_ == 0) return;
  segment_.writer.write(
      number_, wire::ProcessEnd{
                   .how = static_cast<uint32_t>(EndHow::kGoodbye), .end_ns = segment_.times.end_ns(), .spans = spans_});
}

}  // namespace xsp
