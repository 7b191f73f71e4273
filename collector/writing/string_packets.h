#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collector/writing/trace_writer.h"

namespace xsp {

/// Writes strings with consecutive ids as StringBatch packets of a bounded size.
class StringPackets {
 public:
  StringPackets(TraceWriter& writer, uint32_t process, uint32_t first_id)
      : writer_(writer), process_(process), next_id_(first_id) {}

  void add(std::string_view text);
  /// Writes what is buffered.
  void flush();
  /// The id of the next string to be added.
  uint32_t next_id() const { return next_id_ + static_cast<uint32_t>(ends_.size()); }

 private:
  TraceWriter& writer_;
  uint32_t process_;
  uint32_t next_id_;
  std::string bytes_;
  std::vector<size_t> ends_;
};

}  // namespace xsp
