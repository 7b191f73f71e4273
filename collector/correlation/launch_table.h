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
/// Ids follow each other, so launches lie in pages of 1024 ids that are made when an id of theirs comes. The pages used
/// least recently are forgotten, those that were not used for a minute and those beyond kMaxLaunchPages: four million
/// ids, far more than a device's queues and CUPTI's buffers hold. An id that comes again after 2^32 others overwrites.
class LaunchTable {
 public:
  /// `launch` is the call with this id; a later one replaces it. Id 0 means none.
  void add(uint32_t correlation, SpanReference launch);
  /// The call with this id; ring 0: not known.
  SpanReference find(uint32_t correlation);
  /// Call it every second: forgets what was not used for a minute.
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
