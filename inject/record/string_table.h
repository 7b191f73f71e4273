#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inject/record/shared_region.h"

namespace xsp::guest {

/// The process's strings: the bytes in the shared arena, append-only, and a private index to find them again. Ids count
/// from 1; 0 means none. Strings are added by one thread at a time, which holds the process's lock; they are found and
/// read without it. Plain data in fork-wiped memory; a child makes an index of its own and never frees the parent's.
struct StringTable {
  /// Followed by the offsets of the entries, by id - 1 and in units of 8 bytes, and by twice as many slots, which hold
  /// ids by hash (open addressing). An index that has become too small stays mapped, as another thread may be reading
  /// it.
  struct Index {
    uint32_t capacity;  // strings, a power of two
    uint32_t* offsets() { return reinterpret_cast<uint32_t*>(this + 1); }
    uint32_t* slots() { return offsets() + capacity; }
    uint32_t slot_count() const { return capacity * 2; }
  };
  std::atomic<Index*> index;

  /// Makes the index of what the arena already holds. False when memory is short.
  bool open(const SharedRegion& region);

  /// Id of the text, new or known, cut to kMaxStringBytes; 0 for empty text, and when the arena or memory is full
  /// (counted as a loss).
  uint32_t intern(const SharedRegion& region, std::string_view text);

  /// Id of a text that is there already; 0 if it is not there, or is being added right now.
  uint32_t find(const SharedRegion& region, std::string_view text) const;

  /// Text of an id; valid as long as the region is mapped. Empty for ids not handed out.
  std::string_view text(const SharedRegion& region, uint32_t id) const;

  /// Where the entry of an id that was handed out lies in the arena, in units of 8 bytes.
  uint32_t offset_of(uint32_t id) const { return index.load(std::memory_order_acquire)->offsets()[id - 1]; }

 private:
  bool grow(const SharedRegion& region, uint32_t strings);
  uint32_t find_hashed(const SharedRegion& region, std::string_view text, uint32_t hash) const;
};

/// Copies the committed strings of another region (the parent's, after a fork), so that their ids stay valid.
void copy_strings(const SharedRegion& from, const SharedRegion& to);

}  // namespace xsp::guest
