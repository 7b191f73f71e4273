#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collector/messages/guest_messages.h"
#include "collector/process/process_context.h"

namespace xsp {

/// Times in which a process was not recorded, as reported by its guest, or in which its spans were counted but not
/// stored. Used by one thread.
class ProcessGaps {
 public:
  /// `context` is not owned and must outlive this object.
  explicit ProcessGaps(ProcessContext& context) : context_(context) {}

  /// Takes a Gap. Throws protozero::exception on broken protobuf.
  void receive(protozero::data_view bytes);
  /// Writes the gaps that have not ended, for a part that is read on its own.
  void write_again();
  /// Writes since when spans have been counted but not stored, or until when they were. `first_not_stored_ns`: begin of
  /// the first span left out by a full file. `closed_ns`: the process's end, if this is the last such call; else 0.
  void write_of_storage(uint64_t first_not_stored_ns, uint64_t closed_ns);

 private:
  void write(const RecordingGap& gap);

  ProcessContext& context_;
  std::vector<RecordingGap> open_;
  RecordingGap last_;
  size_t count_ = 0;  // in this part
  uint64_t storage_begin_ns_ = 0;
};

}  // namespace xsp
