#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "base/json_pieces.h"
#include "collector/profile/profile_spans.h"

namespace xsp {

/// The origin of a profile's times, and the scope of its spans.
struct ProfileOrigin {
  uint64_t start_realtime_ns = 0;
  int64_t realtime_offset_ns = 0;
  std::string scope;
};

/// Converts a profile that ONNX Runtime wrote (SessionOptions.enable_profiling) to layer spans: one per executed node,
/// in the file's order. Written for 1.15 to 1.31; the fence events of older versions are left out.
class OrtProfile {
 public:
  enum class Result {
    kMore,
    kWhole,
    kTruncated,  // the file ends early: what came before was converted
    kMalformed,  // the same, but the rest of the file cannot be parsed
  };

  /// Owns `fd`. `spans` receives the spans and must live as long.
  OrtProfile(int fd, const ProfileOrigin& origin, ProfileSpans& spans);

  /// Reads at most `events` events.
  Result convert(size_t events);

  /// ONNX Runtime stops recording at a million events a session.
  bool reached_event_limit() const;

 private:
  bool add(std::string_view text);

  FileBytes file_;
  JsonPieces events_;
  ProfileSpans& spans_;
  uint64_t start_ns_;  // CLOCK_MONOTONIC
  uint32_t scope_;
  size_t event_count_ = 0;
};

}  // namespace xsp
