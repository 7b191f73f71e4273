#include "collector/writing/device_description.h"

#include <algorithm>

#include "base/text_encoding.h"
#include "collector/writing/trace_fields.h"

namespace xsp {
namespace {

constexpr size_t kMaxTextBytes = 4096;
constexpr size_t kMaxUuidBytes = 64;
constexpr uint32_t kLastGapReason = static_cast<uint32_t>(wire::GapReason::kCuptiFailed);
constexpr uint32_t kFirstNumber = 4;
constexpr uint32_t kLastNumber = 14;
constexpr uint32_t kChip = 15;

/// The others have 32 bits.
constexpr bool is_wide(uint32_t field) {
  constexpr uint32_t kMemoryBytes = 7;
  constexpr uint32_t kL2CacheBytes = 13;
  constexpr uint32_t kMemoryBandwidth = 14;
  return field == kMemoryBytes || field == kL2CacheBytes || field == kMemoryBandwidth;
}

std::string text(protozero::data_view view) { return trace_text({view.data(), std::min(view.size(), kMaxTextBytes)}); }

}  // namespace

RecordingGap read_gap(protozero::data_view bytes) {
  RecordingGap gap;
  for (protozero::pbf_reader fields(bytes); fields.next();) {
    switch (fields.tag()) {
      case 1:
        gap.reason = static_cast<uint32_t>(fields.get_enum());
        break;
      case 2:
        gap.level = static_cast<uint32_t>(fields.get_enum());
        break;
      case 3:
        gap.begin_ns = fields.get_uint64();
        break;
      case 4:
        gap.end_ns = fields.get_uint64();
        break;
      case 5:
        gap.detail = text(fields.get_view());
        break;
      default:
        fields.skip();
    }
  }
  if (gap.reason > kLastGapReason) gap.reason = 0;
  if (gap.level >= kLevels) gap.level = 0;
  if (gap.end_ns != 0) gap.end_ns = std::max(gap.begin_ns, gap.end_ns);
  return gap;
}

DeviceDescription read_device(protozero::data_view bytes) {
  DeviceDescription device;
  for (protozero::pbf_reader fields(bytes); fields.next();) {
    const uint32_t field = fields.tag();
    if (field == 1) {
      device.index = fields.get_uint32();
    } else if (field == 2) {
      device.name = text(fields.get_view());
    } else if (field == 3) {
      const auto uuid = fields.get_view();
      device.uuid.assign(uuid.data(), std::min(uuid.size(), kMaxUuidBytes));
    } else if (field >= kFirstNumber && field <= kLastNumber) {
      device.numbers[field - kFirstNumber] = is_wide(field) ? fields.get_uint64() : fields.get_uint32();
    } else if (field == kChip) {
      device.chip = text(fields.get_view());
    } else {
      fields.skip();
    }
  }
  return device;
}

size_t gap_capacity(const RecordingGap& gap) { return gap.detail.size() + 64; }

size_t device_capacity(const DeviceDescription& device) {
  return device.name.size() + device.uuid.size() + device.chip.size() + 64 + std::size(device.numbers) * 11;
}

void write_gap(WireWriter& writer, const RecordingGap& gap) {
  writer.uint64(1, gap.reason);
  writer.uint64(2, gap.level);
  writer.uint64(3, gap.begin_ns);
  writer.uint64(4, gap.end_ns);
  writer.string(5, gap.detail);
}

void write_device(WireWriter& writer, const DeviceDescription& device) {
  writer.uint64(1, device.index);
  writer.string(2, device.name);
  writer.bytes(3, device.uuid.data(), device.uuid.size());
  for (uint32_t field = kFirstNumber; field <= kLastNumber; ++field) {
    writer.uint64(field, device.numbers[field - kFirstNumber]);
  }
  writer.string(kChip, device.chip);
}

}  // namespace xsp
