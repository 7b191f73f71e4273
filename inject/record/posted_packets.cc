#include "inject/record/posted_packets.h"

#include "proto/packet_writer.h"

namespace xsp::guest {

void write_notice(WireWriter& writer, uint32_t severity, std::string_view component, std::string_view text) {
  // Cut so that the packet fits into the buffer of notify().
  write_packet(writer,
               wire::Notice{.severity = severity, .component = component.substr(0, 64), .text = text.substr(0, 1500)});
}

void write_gap(WireWriter& writer, wire::GapReason reason, wire::Level level, uint64_t begin_ns, uint64_t end_ns,
               std::string_view detail) {
  write_packet(writer, wire::Gap{.reason = static_cast<uint32_t>(reason),
                                 .level = static_cast<uint32_t>(level),
                                 .begin_ns = begin_ns,
                                 .end_ns = end_ns,
                                 .detail = detail.substr(0, 500)});
}

}  // namespace xsp::guest
