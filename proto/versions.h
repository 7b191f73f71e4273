#pragma once

/// Versions of what crosses a boundary; proto/README.md says when each changes. That of the shared memory lies with its
/// layout, in shared_memory.h.

#include <cstdint>

namespace xsp {

/// Hello.protocol_version: guest and collector are of one build, others are refused.
inline constexpr uint32_t kProtocolVersion = 1;

/// TraceHeader.format_version: readers refuse higher ones.
inline constexpr uint32_t kFormatVersion = 1;

}  // namespace xsp
