#pragma once

#include <algorithm>
#include <string>

#include "base/status.h"
#include "import/frame/profile_input.h"
#include "import/frame/profile_timeline.h"

namespace xsp {

/// Reads an input whole, as protobuf's binary form requires: names follow what they belong to. What comes before a read
/// error is kept, with a note; if that is nothing, it is an error.
inline Status read_whole(ProfileInput& input, ProfileTimeline* timeline, std::string* bytes) {
  constexpr size_t kPart = size_t{1} << 20;
  size_t size = 0;
  for (;;) {
    if (bytes->size() - size < kPart) bytes->resize(std::max(bytes->size() * 2, size + kPart));
    const size_t got = input.read(bytes->data() + size, bytes->size() - size);
    if (got == 0) break;
    size += got;
  }
  bytes->resize(size);
  if (input.error().ok()) return Status();
  if (size == 0) return input.error();
  timeline->note(input.error().error + "; what stands before was read");
  return Status();
}

}  // namespace xsp
