#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/continuous/aggregate_table.h"
#include "collector/writing/trace_writer.h"

namespace xsp {

/// The counts of all processes that have ended, keyed by the text of their names, so that memory does not grow with the
/// number of processes. In a part they are the totals of process 0.
class EndedProcesses {
 public:
  static constexpr size_t kMaxTextBytes = size_t{8} << 20;
  static constexpr size_t kMaxTexts = 65536;

  /// Adds the counts of one process. `text_of(id)` gives the text of one of its strings, empty if unknown.
  template <typename TextOf>
  void add(const AggregateTable& counts, TextOf&& text_of) {
    table_.add_table(counts, [&](uint64_t packed) {
      AggregateKey key = AggregateKey::unpack(packed);
      key.name = intern(text_of(key.name));
      key.type = intern(text_of(key.type));
      return key.packed();
    });
  }

  /// Writes the names and the totals; the totals even if they are empty, so that a part always begins with them.
  void write(TraceWriter& writer, uint64_t begin_ns, uint64_t end_ns) const;

 private:
  uint32_t intern(std::string_view text);

  AggregateTable table_;
  std::unordered_map<std::string, uint32_t> ids_;
  std::vector<const std::string*> texts_;  // by id - 1
  size_t text_bytes_ = 0;
};

}  // namespace xsp
