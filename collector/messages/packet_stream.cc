#include "collector/messages/packet_stream.h"

#include "collector/writing/trace_writer.h"

namespace xsp {
namespace {

constexpr uint8_t kPacketTag = 0x0A;
constexpr size_t kMaxLengthBytes = 4;  // WireWriter pads to four

}  // namespace

PacketStream::Head PacketStream::read_head(const uint8_t* data, size_t size) {
  Head head;
  if (size == 0) return head;
  head.broken = data[0] != kPacketTag;
  for (size_t i = 1; i < size && !head.broken; ++i) {
    head.length |= size_t{data[i] & 0x7Fu} << (7 * (i - 1));
    if ((data[i] & 0x80) == 0) {
      head.size = i + 1;
      head.whole = true;
      head.broken = head.length > kMaxPacketBytes;
      break;
    }
    // A fifth length byte: longer than any packet may be.
    head.broken = i == kMaxLengthBytes;
  }
  return head;
}

Status PacketStream::broken() { return Status{"what it sent is no packet, or one of more than 1 MiB"}; }

size_t PacketStream::missing() const {
  const Head head = read_head(pending_.data(), pending_.size());
  return head.whole ? head.size + head.length - pending_.size() : 1;
}

}  // namespace xsp
