#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "collector/writing/output_file.h"

namespace xsp::test {

/// A disk in memory that can fill up: it takes `room` bytes, the last write partially, and then fails with `error`.
class MemoryFile : public OutputFile {
 public:
  explicit MemoryFile(size_t room = SIZE_MAX, int error = ENOSPC) : room_(room), error_(error) {}

  ssize_t write(const void* data, size_t size) override {
    ++writes;
    if (bytes.size() >= room_) return -error_;
    const size_t part = size < room_ - bytes.size() ? size : room_ - bytes.size();
    bytes.append(static_cast<const char*>(data), part);
    return static_cast<ssize_t>(part);
  }
  int truncate(uint64_t size) override {
    bytes.resize(size);
    return 0;
  }
  Status publish() override { return Status(); }

  std::string bytes;
  int writes = 0;

 private:
  size_t room_;
  int error_;
};

}  // namespace xsp::test
