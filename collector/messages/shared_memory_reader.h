#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "proto/shared_memory.h"

namespace xsp {

/// Reads the memfd that a guest shares (proto/shared_memory.h). All of it is hostile and may change at any moment.
///
/// It is read by pread, not mapped: every read is a copy, so nothing can change between its check and its use; pages
/// that the guest never touched stay unallocated; and no fault can reach the collector.
class SharedMemoryReader {
 public:
  /// Takes ownership of `fd`, also on failure. Refuses anything but a memfd of `announced_bytes`, sealed against
  /// resizing, with a valid header.
  static Status open(int fd, uint64_t announced_bytes, std::unique_ptr<SharedMemoryReader>* reader);
  ~SharedMemoryReader();
  SharedMemoryReader(const SharedMemoryReader&) = delete;
  SharedMemoryReader& operator=(const SharedMemoryReader&) = delete;

  uint32_t ring_capacity() const { return ring_capacity_; }
  /// xsp.Clock of the rings.
  uint32_t clock() const { return clock_; }

  /// The mutable part of the header; false if it cannot be read.
  bool read_header(shm::SharedHeader* header) const;
  /// Head of ring `index` < ring_capacity(); false if it cannot be read.
  bool read_ring(uint32_t index, shm::RingHeader* ring) const;

  /// How many records may lie unsent after `first` in a ring with this head: the capacity of the memory that holds
  /// them. With an overflow area that is more than a ring's own; a process has few of these (overflow_count()).
  uint32_t most_records(const shm::RingHeader& ring, uint64_t first) const;
  uint32_t overflow_count() const { return overflow_count_; }

  /// Calls `take(record, whole)` for the records of a ring with sequences [first, last), in order; `whole` is false for
  /// a record that was unfinished or overwritten meanwhile. False for more than kOverflowRecords, and if they cannot be
  /// read.
  template <typename Take>
  bool for_each_record(uint32_t index, uint64_t first, uint64_t last, Take&& take) const {
    shm::RingHeader ring{};
    if (last < first || last - first > shm::kOverflowRecords || !read_ring(index, &ring)) return false;
    std::vector<shm::Record> records(kRecordsPerRead);
    while (first < last) {
      const uint32_t count = read_records(index, ring, first, last, records.data());
      if (count == 0) return false;
      for (uint32_t i = 0; i < count; ++i) {
        take(records[i], records[i].sequence == static_cast<uint32_t>(first + i + 1));
      }
      first += count;
    }
    return true;
  }

  /// Calls `take(id, text)` for the strings of the arena with ids above `known`, in order, until `take` returns false
  /// or the arena stops making sense.
  template <typename Take>
  void for_each_string(uint32_t known, Take&& take) const {
    ArenaCursor cursor;
    if (!begin_arena(&cursor)) return;
    std::string_view text;
    while (next_string(cursor, &text)) {
      if (cursor.id > known && !take(cursor.id, text)) return;
    }
  }

 private:
  static constexpr uint32_t kRecordsPerRead = 1024;

  struct ArenaCursor {
    uint32_t id = 0;
    uint32_t count = 0;
    uint64_t at = 0;
    uint64_t end = 0;
    uint64_t window_at = 0;
    std::vector<char> window;
  };

  SharedMemoryReader(int fd, const shm::SharedHeader& header);
  bool read(uint64_t offset, void* to, size_t size) const;
  /// Where the ring's records from `first` on lie; a missing area counts as the ring's own memory.
  shm::Placement placement_of(const shm::RingHeader& ring, uint64_t first) const;
  /// Records from `first` on, up to where their memory wraps or another stretch begins, at most kRecordsPerRead;
  /// invalid ones get a sequence that does not match.
  uint32_t read_records(uint32_t index, const shm::RingHeader& ring, uint64_t first, uint64_t last,
                        shm::Record* records) const;
  bool begin_arena(ArenaCursor* cursor) const;
  bool next_string(ArenaCursor& cursor, std::string_view* text) const;
  const char* window(ArenaCursor& cursor, uint64_t offset, size_t size) const;

  int fd_;
  uint64_t arena_offset_;
  uint64_t arena_bytes_;
  uint32_t ring_capacity_;
  uint32_t overflow_count_;
  uint32_t clock_;
};

}  // namespace xsp
