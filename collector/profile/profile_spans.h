#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/continuous/span_account.h"
#include "collector/recording/recording.h"
#include "collector/writing/ring_stream.h"

namespace xsp {

/// Writes the spans of a process's profile files: interns their strings under the collector's ids, and gives each
/// thread of each file a ring of its own above the guest's (kProfileRingBase).
class ProfileSpans {
 public:
  ProfileSpans(Recording& recording, uint32_t process, SpanAccount* account = nullptr)
      : recording_(recording), process_(process), account_(account) {}

  /// Id of a string; 0 for the empty one, and if the process has too many.
  uint32_t intern(std::string_view text);
  /// Adds a span, times in nanoseconds; the spans of a thread come in order of their end. False: too many threads.
  bool add(uint32_t thread, const SpanRow& row);
  /// Writes what was added, strings first.
  void flush();
  /// Writes what was added, including what is being batched.
  void flush_all();
  /// Writes all strings again, for a part that is read on its own.
  void write_strings_again();
  std::string_view text_of(uint32_t id) const;
  /// The file has ended: threads of the next one get new rings.
  void end_file();

  uint64_t count() const { return count_; }
  /// Whether strings were left out because there were too many.
  bool is_full() const { return full_; }

 private:
  /// The next free ring; never one of the rings of API calls or executions, however many there are.
  uint32_t next_ring();

  struct Thread {
    RingStream stream;
    std::vector<SpanRow> rows;
  };

  Recording& recording_;
  uint32_t process_;
  SpanAccount* account_;
  std::vector<const std::string*> texts_;  // by id - kFirstCollectorString
  std::unordered_map<std::string, uint32_t> strings_;
  size_t string_bytes_ = 0;
  std::vector<std::string> new_strings_;
  uint32_t written_strings_ = 0;
  std::map<uint32_t, Thread> threads_;
  uint32_t rings_ = 0;
  uint64_t count_ = 0;
  bool full_ = false;
};

}  // namespace xsp
