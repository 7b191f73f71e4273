#include "collector/profile/ort_profile.h"

#include <string_view>

#include "collector/profile/ort_event.h"

namespace xsp {
namespace {

constexpr std::string_view kNodeSuffix = "_kernel_time";
/// The provider that a node has run on unless its span says another.
constexpr std::string_view kUsualProvider = "CPUExecutionProvider";
constexpr size_t kMaxEvents = 1'000'000;  // onnxruntime/core/common/profiler.cc, global_max_num_events_

uint64_t to_ns(double us) { return static_cast<uint64_t>(us * 1000); }

}  // namespace

OrtProfile::OrtProfile(int fd, const ProfileOrigin& origin, ProfileSpans& spans)
    : events_(fd),
      spans_(spans),
      start_ns_(origin.start_realtime_ns - static_cast<uint64_t>(origin.realtime_offset_ns)),
      scope_(spans.intern(origin.scope)) {}

OrtProfile::Result OrtProfile::convert(size_t events) {
  for (size_t i = 0; i < events; ++i) {
    switch (events_.next(&text_)) {
      case JsonEvents::Next::kEvent:
        ++event_count_;
        if (!add(text_)) return Result::kMalformed;
        break;
      case JsonEvents::Next::kEnd:
        return Result::kWhole;
      case JsonEvents::Next::kTruncated:
        return Result::kTruncated;
      case JsonEvents::Next::kMalformed:
        return Result::kMalformed;
    }
  }
  return Result::kMore;
}

bool OrtProfile::reached_event_limit() const { return event_count_ >= kMaxEvents; }

bool OrtProfile::add(const std::string& text) {
  OrtEvent event;
  if (!read_ort_event(text, &event)) return false;
  std::string_view name = event.name;
  if (event.category != "Node" || !name.ends_with(kNodeSuffix)) return true;
  name.remove_suffix(kNodeSuffix.size());

  SpanRow row;
  row.begin = start_ns_ + to_ns(event.begin_us);
  row.end = row.begin + to_ns(event.duration_us);
  if (row.end < row.begin) row.end = row.begin;
  row.level = kLevelLayer;
  row.kind = kKindOrtNode;
  row.name = spans_.intern(name);
  row.type = spans_.intern(event.op_name);
  row.shape = spans_.intern(event.output_shape);
  row.input = event.provider == kUsualProvider ? 0 : spans_.intern(event.provider);
  row.scope = scope_;
  row.bytes = event.output_bytes;
  row.has_bytes = event.has_output_bytes;
  return spans_.add(static_cast<uint32_t>(event.thread), row);
}

}  // namespace xsp
