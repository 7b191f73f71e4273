#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "proto/pbf.h"
#include "proto/wire_writer.h"

namespace xsp {

/// xsp.Gap: a time in which a process was not recorded from a level on.
struct RecordingGap {
  uint32_t reason = 0;
  uint32_t level = 0;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;  // 0: not yet ended
  std::string detail;

  bool operator==(const RecordingGap&) const = default;
};

/// xsp.Device, in the order of its fields. Texts are well-formed UTF-8.
struct DeviceDescription {
  uint32_t index = 0;
  std::string name;
  std::string uuid;
  uint64_t numbers[11] = {};  // fields 4 to 14
  std::string chip;

  bool operator==(const DeviceDescription&) const = default;
};

/// These decode one each; long texts are cut, unknown enumerators become 0. They throw protozero::exception on broken
/// protobuf.
RecordingGap read_gap(protozero::data_view bytes);
DeviceDescription read_device(protozero::data_view bytes);

/// Bytes that the writers need at most.
size_t gap_capacity(const RecordingGap& gap);
size_t device_capacity(const DeviceDescription& device);
void write_gap(WireWriter& writer, const RecordingGap& gap);
void write_device(WireWriter& writer, const DeviceDescription& device);

}  // namespace xsp
