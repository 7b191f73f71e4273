#include "collector/writing/string_packets.h"

namespace xsp {
namespace {

constexpr size_t kBytesPerPacket = size_t{256} << 10;
constexpr size_t kHeadBytes = 16;  // of one string

}  // namespace

void StringPackets::add(std::string_view text) {
  bytes_ += text;
  ends_.push_back(bytes_.size());
  if (bytes_.size() + ends_.size() * kHeadBytes >= kBytesPerPacket) flush();
}

void StringPackets::flush() {
  if (ends_.empty()) return;
  writer_.write(process_, Body::kStrings, 32 + bytes_.size() + ends_.size() * kHeadBytes, [&](WireWriter& body) {
    wire::write(body, wire::StringBatch{.first_id = next_id_}, [&] {
      size_t begin = 0;
      for (const size_t end : ends_) {
        body.element(wire::StringBatch::kText, bytes_.data() + begin, end - begin);
        begin = end;
      }
    });
  });
  next_id_ = next_id();
  bytes_.clear();
  ends_.clear();
}

}  // namespace xsp
