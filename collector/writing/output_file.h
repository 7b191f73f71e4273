#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <sys/types.h>

#include "base/status.h"

namespace xsp {

/// The disk as the trace writer sees it: a file that is appended to, cut back, and given its name at the end. A seam:
/// tests put a failing disk in its place.
class OutputFile {
 public:
  virtual ~OutputFile() = default;
  /// Appends; returns the bytes written, possibly fewer than `size`, or -errno.
  virtual ssize_t write(const void* data, size_t size) = 0;
  /// Truncates the file to `size` bytes, where the next write goes. Returns 0 or -errno.
  virtual int truncate(uint64_t size) = 0;
  /// Closes the file and gives it its final name.
  virtual Status publish() = 0;
};

/// Creates `path`.partial, which publish() renames to `path`; if `path` is a link, next to its target. Fails if `path`
/// exists and `force` is not set, or another collector is writing the same file. A file left by a killed collector is
/// overwritten. A pipe or a device is written directly, with or without `force`, as nothing in it is replaced. Anything
/// else that is not a file is refused (base/output_target.h).
Status create_output_file(const std::string& path, bool force, std::unique_ptr<OutputFile>* file);

}  // namespace xsp
