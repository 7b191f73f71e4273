#pragma once

#include <array>
#include <cstdint>

#include "collector/writing/trace_writer.h"

namespace xsp {

/// Which file of a recording in parts a trace is; TracePart of trace.proto.
struct RecordingPart {
  std::array<uint8_t, 16> recording{};
  uint32_t index = 0;  ///< 0: the file is all of it

  /// Writes it into a TraceHeader.
  void write(WireWriter& header) const {
    if (index == 0) return;
    const auto message = header.begin(18);
    header.bytes(1, recording.data(), recording.size());
    header.uint64(2, index);
    header.end(message);
  }
};

}  // namespace xsp
