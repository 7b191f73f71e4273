#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// The paper's classes (section IV-A2). kMain: has kernels that matter: at least a twentieth of its process's kernels
/// or of their time. kCopy: has copies only. kAssist: everything else.
enum class StreamClass : uint8_t { kMain, kCopy, kAssist };

std::string_view stream_class_name(StreamClass value);  // "main", "copy", "assist"

/// A stream and its contents.
struct StreamContents {
  uint32_t queue = 0;  // index in Trace::queues
  StreamClass stream_class = StreamClass::kAssist;
  uint64_t kernels = 0;
  uint64_t to_device = 0;  // copies
  uint64_t to_host = 0;
  uint64_t other_copies = 0;
  uint64_t memsets = 0;
  uint64_t bytes_to_device = 0;
  uint64_t bytes_to_host = 0;
  int64_t kernel_ns = 0;  // sums
  int64_t copy_ns = 0;
  int64_t busy_ns = 0;  // union of all
  int64_t begin = 0;
  int64_t end = 0;
};

/// The streams of a process that executed anything, in order of device and stream.
std::vector<StreamContents> stream_contents(const Trace& trace, uint32_t process);

}  // namespace xsp::analysis
