#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <unordered_map>

#include "base/seeded_hash.h"
#include "proto/activity_columns.h"

namespace xsp {

/// Which span launched the work with a correlation id: holds the calls of one process that may still have executions to
/// come.
///
/// Ids are consecutive, so launches lie in pages of 1024 ids, created on demand. Pages not used for a minute, and the
/// least recently used ones beyond kMaxLaunchPages, are dropped: four million ids, far more than a device's queues and
/// CUPTI's buffers hold. An id that recurs after 2^32 others overwrites the old entry.
class LaunchTable {
 public:
  /// `launch` is the call with this id; a later one replaces it. Id 0 means none.
  void add(uint32_t correlation, SpanReference launch);
  /// The call with this id; ring 0: not known.
  SpanReference find(uint32_t correlation);
  /// To be called every second: drops what was not used for a minute.
  void begin_second();

  size_t pages() const { return pages_.size(); }

 private:
  static constexpr uint32_t kPageBits = 10;
  static constexpr uint32_t kPageMask = (1U << kPageBits) - 1;

  struct Page {
    uint32_t number = 0;  // id >> kPageBits
    uint32_t used = 0;    // in second_
    std::array<SpanReference, size_t{1} << kPageBits> launches{};
  };
  using Handle = std::list<Page>::iterator;

  Page& use(Handle page);

  std::list<Page> pages_;  // the most recently used first
  std::unordered_map<uint32_t, Handle, SeededHash> by_number_;
  uint32_t second_ = 0;
};

}  // namespace xsp
