#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "collector/messages/shared_memory_reader.h"
#include "collector/recording/recording.h"
#include "collector/recording/summary.h"
#include "collector/writing/process_description.h"
#include "collector/writing/trace_writer.h"

namespace xsp {

/// What the parts of a ProcessTrace share: who the process is, where it is written to, and what was lost. Used by one
/// thread; the recording is not owned.
struct ProcessContext {
  ProcessContext(Recording& trace, uint32_t process, const ProcessDescription& description,
                 std::unique_ptr<SharedMemoryReader> reader)
      : recording(trace), writer(trace.writer), number(process), hello(description), memory(std::move(reader)) {}

  Recording& recording;
  TraceWriter& writer;
  uint32_t number;  ///< Packet.process
  ProcessDescription hello;
  std::unique_ptr<SharedMemoryReader> memory;  ///< null: it shares none, or the process is closed
  LossTable losses;

  /// Takes a Loss. It and receive_notice() throw protozero::exception on broken protobuf.
  void receive_loss(protozero::data_view bytes);
  void receive_notice(protozero::data_view bytes);
  /// Writes a notice, and adds it to the summary. Notices beyond kMaxNotices of one process are left out.
  void notice(Severity severity, std::string_view component, std::string_view text);
  /// Whether the process belongs to another user, whose files are not opened with the collector's rights; the first
  /// time, a notice in the trace says so.
  bool is_of_other_user();

  void write_hello_packet();
  /// Writes running totals; the last ones written are valid.
  void write_losses();

 private:
  size_t notices_ = 0;
  bool told_foreign_ = false;
};

}  // namespace xsp
