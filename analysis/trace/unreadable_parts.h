#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/trace/part_files.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// A file with the name of a part (000004.pb) in which nothing can be read, as a full disk leaves them.
struct UnreadablePart {
  uint32_t index = 0;
  std::string path;
  uint64_t bytes = 0;
};

/// Takes such parts out of the files from place `from` on, which are those of a folder, if others of them are parts of
/// a recording.
std::vector<UnreadablePart> take_unreadable_parts(size_t from, std::vector<PartFile>* files);

/// Adds them to the recordings of `trace` that they belong to, as parts whose file has no packet.
void add_unreadable_parts(const std::vector<UnreadablePart>& parts, Trace* trace);

}  // namespace xsp::analysis
