#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <protozero/pbf_writer.hpp>

namespace xsp::analysis::perfetto {

/// Field numbers of Perfetto's protos (protos/perfetto/trace), as far as they are written.
namespace packet {
enum : uint32_t {
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTrackDescriptor = 60,
  kFirstOnSequence = 87,
};
}
inline constexpr uint32_t kPacketOfTrace = 1;
inline constexpr uint32_t kStateCleared = 1;  // sequence flags
inline constexpr uint32_t kNeedsState = 2;

namespace clock_snapshot {
enum : uint32_t { kClocks = 1, kPrimary = 2, kClockId = 1, kTimestamp = 2 };
}
inline constexpr uint32_t kRealtime = 1;  // clock ids
inline constexpr uint32_t kMonotonic = 3;

namespace track {
enum : uint32_t {
  kUuid = 1,
  kName = 2,
  kProcess = 3,
  kThread = 4,
  kParent = 5,
  kPid = 1,  // of a process or thread
  kTid = 2,
  kProcessName = 6,
};
}
namespace event {
enum : uint32_t {
  kCategory = 3,
  kAnnotation = 4,
  kType = 9,
  kName = 10,  // iid
  kTrack = 11,
  kFlow = 47,
  kFlowEnd = 48,
};
}
inline constexpr uint32_t kSliceBegin = 1;
inline constexpr uint32_t kSliceEnd = 2;

namespace annotation {
enum : uint32_t { kName = 1, kBool = 2, kUnsigned = 3, kInteger = 4, kDouble = 5, kEntries = 11, kTextIid = 17 };
}

namespace interned {
enum : uint32_t { kCategories = 1, kNames = 2, kAnnotationNames = 3, kAnnotationTexts = 29, kIid = 1, kValue = 2 };
}

/// Adds {iid, text} to InternedData.
inline void add_interned(protozero::pbf_writer* data, uint32_t field, uint64_t iid, std::string_view text) {
  protozero::pbf_writer entry(*data, field);
  entry.add_uint64(interned::kIid, iid);
  entry.add_string(interned::kValue, text.data(), text.size());
}

}  // namespace xsp::analysis::perfetto
