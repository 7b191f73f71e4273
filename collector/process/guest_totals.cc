#include "collector/process/guest_totals.h"

namespace xsp {
namespace {

constexpr uint64_t kMinuteNs = 60'000'000'000;

}  // namespace

void GuestTotals::receive(protozero::data_view bytes) {
  std::array<uint64_t, kMostFields> values{};
  for (protozero::pbf_reader fields(bytes); fields.next();) {
    const uint32_t field = fields.tag();
    if (field <= fields_ && fields.wire_type() == protozero::pbf_wire_type::varint) {
      values[field - 1] = fields.get_uint64();
    } else {
      fields.skip();
    }
  }
  if (is_known_ && values == values_) return;
  values_ = values;
  is_known_ = true;
  is_written_ = false;
}

void GuestTotals::write_if_due(TraceWriter& writer, uint32_t process, uint64_t now_ns) {
  if (now_ns >= written_ns_ + kMinuteNs) write(writer, process, now_ns, false);
}

void GuestTotals::write(TraceWriter& writer, uint32_t process, uint64_t now_ns, bool again) {
  if (!is_known_ || (is_written_ && !again)) return;
  writer.write(process, body_, 16 + kMostFields * 12, [&](WireWriter& body) {
    for (uint32_t i = 0; i < fields_; ++i) body.uint64(i + 1, values_[i]);
  });
  is_written_ = true;
  written_ns_ = now_ns;
}

}  // namespace xsp
