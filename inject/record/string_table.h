#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inject/record/shared_region.h"

namespace xsp::guest {

/// The process's strings: the bytes in the shared arena, append-only, and a private index to find them again. Ids count
/// from 1; 0 means none. Not thread-safe: the caller holds the process's lock. Plain data in fork-wiped memory; the
/// index is private memory that a child leaves behind.
struct StringTable {
  uint32_t* slots;      // ids by hash, open addressing
  uint32_t slot_count;  // a power of two
  uint32_t* offsets;    // of entry id - 1 in the arena, in units of 8 bytes
  uint32_t offset_capacity;

  /// Makes the index, over what the arena already holds. False when memory is short.
  bool open(const SharedRegion& region);

  /// Id of the text, new or known, cut to kMaxStringBytes; 0 for empty text, and when the arena or memory is full
  /// (counted as a loss).
  uint32_t intern(const SharedRegion& region, std::string_view text);

  /// Id of a text that is there already; 0: not there.
  uint32_t find(const SharedRegion& region, std::string_view text) const;

  /// Text of an id; valid as long as the region is mapped. Empty for ids not handed out.
  std::string_view text(const SharedRegion& region, uint32_t id) const;

 private:
  bool grow(const SharedRegion& region, uint32_t strings);
  void insert(uint32_t hash, uint32_t id);
  uint32_t find_hashed(const SharedRegion& region, std::string_view text, uint32_t hash) const;
};

/// Copies the committed strings of another region (the parent's, after a fork), so that their ids stay valid.
void copy_strings(const SharedRegion& from, const SharedRegion& to);

}  // namespace xsp::guest
