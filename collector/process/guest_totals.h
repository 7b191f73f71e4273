#pragma once

#include <cstdint>

#include "collector/messages/guest_messages.h"
#include "collector/writing/trace_writer.h"
#include "proto/pbf.h"

namespace xsp {

/// wire::Sampling or wire::Overhead: running totals of a process, of which the latest are valid. They go into the trace
/// at most once a minute.
template <typename Message>
class GuestTotals {
 public:
  /// Throws protozero::exception on broken protobuf.
  void receive(protozero::data_view bytes) {
    const auto totals = read_message<Message>(bytes);
    if (is_known_ && totals == totals_) return;
    totals_ = totals;
    is_known_ = true;
    is_written_ = false;
  }

  /// All zero if the guest has not sent any.
  const Message& totals() const { return totals_; }

  void write_if_due(TraceWriter& writer, uint32_t process, uint64_t now_ns) {
    if (now_ns >= written_ns_ + kMinuteNs) write(writer, process, now_ns, false);
  }
  /// Writes the totals if they have not been written yet, or always with `again`.
  void write(TraceWriter& writer, uint32_t process, uint64_t now_ns, bool again) {
    if (!is_known_ || (is_written_ && !again)) return;
    writer.write(process, totals_);
    is_written_ = true;
    written_ns_ = now_ns;
  }

 private:
  static constexpr uint64_t kMinuteNs = 60'000'000'000;

  Message totals_;
  bool is_known_ = false;
  bool is_written_ = true;
  uint64_t written_ns_ = 0;
};

}  // namespace xsp
