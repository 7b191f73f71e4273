#pragma once

#include <cstdint>

namespace xsp {

/// A process whose last packet has not been written, as the recording sees it. Times in nanoseconds of CLOCK_MONOTONIC.
class RecordedProcess {
 public:
  /// Writes what is written once a minute, if it is due or `at_once`.
  virtual void write_minute(uint64_t now_ns, bool at_once) = 0;
  /// Writes since when spans have been counted but not stored, or until when they were.
  virtual void write_storage_gap(bool is_closing) = 0;
  /// A part of the recording ends, or begins: writes into it what is needed to read it on its own.
  virtual void end_part(uint64_t now_ns) = 0;
  virtual void begin_part(uint64_t now_ns) = 0;

 protected:
  ~RecordedProcess() = default;
};

}  // namespace xsp
