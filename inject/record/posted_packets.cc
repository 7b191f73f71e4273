#include "inject/record/posted_packets.h"

namespace xsp::guest {

void write_notice(WireWriter& writer, uint32_t severity, std::string_view component, std::string_view text) {
  const auto packet = writer.begin(1);
  const auto notice = writer.begin(11);
  writer.uint64(1, severity);
  writer.string(2, component.substr(0, 64));
  writer.string(3, text.substr(0, 1500));
  writer.end(notice);
  writer.end(packet);
}

void write_gap(WireWriter& writer, wire::GapReason reason, wire::Level level, uint64_t begin_ns, uint64_t end_ns,
               std::string_view detail) {
  const auto packet = writer.begin(1);
  const auto gap = writer.begin(static_cast<uint32_t>(wire::Body::kGap));
  writer.uint64(1, static_cast<uint64_t>(reason));
  writer.uint64(2, static_cast<uint64_t>(level));
  writer.uint64(3, begin_ns);
  writer.uint64(4, end_ns);
  writer.string(5, detail.substr(0, 500));
  writer.end(gap);
  writer.end(packet);
}

}  // namespace xsp::guest
