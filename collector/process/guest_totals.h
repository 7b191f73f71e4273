#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collector/writing/trace_writer.h"
#include "proto/pbf.h"

namespace xsp {

/// xsp.Sampling or xsp.Overhead: numbered totals of a process, of which the last ones hold. Goes into the trace at most
/// once a minute.
class GuestTotals {
 public:
  GuestTotals(Body body, uint32_t fields) : body_(body), fields_(fields) {}

  /// Throws protozero::exception on broken protobuf.
  void receive(protozero::data_view bytes);
  /// Field `number`; 0: not told.
  uint64_t value(uint32_t number) const { return values_[number - 1]; }
  void write_if_due(TraceWriter& writer, uint32_t process, uint64_t now_ns);
  /// Writes them if they were not, or again.
  void write(TraceWriter& writer, uint32_t process, uint64_t now_ns, bool again);

 private:
  static constexpr uint32_t kMostFields = 6;

  Body body_;
  uint32_t fields_;
  std::array<uint64_t, kMostFields> values_{};
  bool is_known_ = false;
  bool is_written_ = true;
  uint64_t written_ns_ = 0;
};

}  // namespace xsp
