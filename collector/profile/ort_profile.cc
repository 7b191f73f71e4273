#include "collector/profile/ort_profile.h"

#include <algorithm>
#include <optional>

#include "collector/formats/ort_event.h"

namespace xsp {
namespace {

constexpr std::string_view kNodeSuffix = "_kernel_time";
/// A node ran on this provider unless its span names another.
constexpr std::string_view kUsualProvider = "CPUExecutionProvider";
constexpr size_t kMaxEvents = 1'000'000;  // onnxruntime/core/common/profiler.cc, global_max_num_events_

/// How much of a profile may be held in memory during conversion.
constexpr JsonPieces::Limits kLimits = {.value_bytes = size_t{1} << 20, .buffer_bytes = size_t{64} << 10};

/// Times in a profile never precede its beginning.
uint64_t time_of(std::optional<int64_t> ns) { return static_cast<uint64_t>(std::max<int64_t>(ns.value_or(0), 0)); }

}  // namespace

OrtProfile::OrtProfile(int fd, const ProfileOrigin& origin, ProfileSpans& spans)
    : file_(fd),
      events_(file_, {"[]"}, kLimits),
      spans_(spans),
      start_ns_(origin.start_realtime_ns - static_cast<uint64_t>(origin.realtime_offset_ns)),
      scope_(spans.intern(origin.scope)) {}

OrtProfile::Result OrtProfile::convert(size_t events) {
  for (size_t i = 0; i < events; ++i) {
    switch (events_.next()) {
      case JsonPieces::Piece::kValue:
        ++event_count_;
        if (!add(events_.text())) return Result::kMalformed;
        break;
      case JsonPieces::Piece::kEnd:
        return Result::kWhole;
      case JsonPieces::Piece::kTruncated:
        return Result::kTruncated;
      default:
        return Result::kMalformed;
    }
  }
  return Result::kMore;
}

bool OrtProfile::reached_event_limit() const { return event_count_ >= kMaxEvents; }

bool OrtProfile::add(std::string_view text) {
  OrtEvent event;
  if (!read_ort_event(text, &event)) return false;
  std::string_view name = event.name;
  if (event.category != "Node" || !name.ends_with(kNodeSuffix)) return true;
  name.remove_suffix(kNodeSuffix.size());

  SpanRow row;
  row.begin = start_ns_ + time_of(event.begin_ns);
  row.end = row.begin + time_of(event.duration_ns);
  if (row.end < row.begin) row.end = row.begin;
  row.level = kLevelLayer;
  row.kind = kKindOrtNode;
  row.name = spans_.intern(name);
  row.type = spans_.intern(event.op_name);
  row.shape = spans_.intern(event.outputs.shapes);
  row.input = event.provider == kUsualProvider ? 0 : spans_.intern(event.provider);
  row.scope = scope_;
  row.has_bytes = event.output_bytes && *event.output_bytes >= 0;
  row.bytes = row.has_bytes ? static_cast<uint64_t>(*event.output_bytes) : 0;
  return spans_.add(static_cast<uint32_t>(event.thread.value_or(0)), row);
}

}  // namespace xsp
