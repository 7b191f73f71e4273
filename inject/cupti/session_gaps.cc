#include "inject/cupti/session_gaps.h"

#include "inject/record/clock.h"
#include "inject/record/posted_packets.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

void post_gap(wire::GapReason reason, uint64_t begin_ns, uint64_t end_ns, std::string_view detail) {
  uint8_t bytes[700];
  WireWriter writer(bytes, sizeof bytes);
  const auto level = reason == wire::GapReason::kNoCallbacks ? wire::Level::kDevice : wire::Level::kRuntime;
  write_gap(writer, reason, level, begin_ns, end_ns, detail.substr(0, 500));
  if (!writer.failed()) post_packet(writer.data(), writer.size());
}

}  // namespace

void begin_gap(SessionGaps& gaps, wire::GapReason reason, std::string_view detail) {
  const auto index = static_cast<size_t>(reason);
  gaps.begin_ns[index] = nanoseconds(CLOCK_MONOTONIC);
  gaps.detail[index].clear();
  gaps.detail[index].put(detail);
  post_gap(reason, gaps.begin_ns[index], 0, detail);
}

void end_gap(SessionGaps& gaps, wire::GapReason reason) {
  const auto index = static_cast<size_t>(reason);
  if (gaps.begin_ns[index] == 0) return;
  post_gap(reason, gaps.begin_ns[index], nanoseconds(CLOCK_MONOTONIC), gaps.detail[index].view());
  gaps.begin_ns[index] = 0;
}

}  // namespace xsp::guest
