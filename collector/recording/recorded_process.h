#pragma once

#include <cstdint>

namespace xsp {

/// A process whose last packet is not written yet, as the recording sees it. Times in nanoseconds of CLOCK_MONOTONIC.
class RecordedProcess {
 public:
  /// Writes what is written once a minute, if it is due or `at_once`.
  virtual void write_minute(uint64_t now_ns, bool at_once) = 0;
  /// Writes since when spans are counted and not stored, or until when they were.
  virtual void write_storage_gap(bool is_closing) = 0;
  /// A part of the recording ends, or begins: writes into it what is needed to read it alone.
  virtual void end_part(uint64_t now_ns) = 0;
  virtual void begin_part(uint64_t now_ns) = 0;

 protected:
  ~RecordedProcess() = default;
};

}  // namespace xsp
