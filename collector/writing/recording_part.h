#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "proto/packet_writer.h"

namespace xsp {

/// Which file of a recording in parts a trace is; TracePart of trace.proto.
struct RecordingPart {
  std::array<uint8_t, 16> recording{};
  uint32_t index = 0;  ///< 0: the file is the whole recording

  /// Writes it into a TraceHeader.
  void write(WireWriter& header) const {
    if (index == 0) return;
    const std::string_view id(reinterpret_cast<const char*>(recording.data()), recording.size());
    write_nested(header, wire::TraceHeader::kPart, wire::TracePart{.recording = id, .index = index});
  }
};

}  // namespace xsp
