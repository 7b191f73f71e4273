#include "collector/correlation/launch_table.h"

#include "collector/messages/peer_limits.h"

namespace xsp {
namespace {

constexpr uint32_t kKeptSeconds = 60;

}  // namespace

LaunchTable::Page& LaunchTable::use(Handle page) {
  if (page != pages_.begin()) pages_.splice(pages_.begin(), pages_, page);
  page->used = second_;
  return *page;
}

void LaunchTable::add(uint32_t correlation, SpanReference launch) {
  if (correlation == 0 || launch.ring == 0) return;
  const uint32_t number = correlation >> kPageBits;
  // Ids are consecutive: nearly always the page used last.
  if (!pages_.empty() && pages_.front().number == number) {
    use(pages_.begin()).launches[correlation & kPageMask] = launch;
    return;
  }
  const auto [known, is_new] = by_number_.try_emplace(number);
  if (is_new) {
    if (pages_.size() < kMaxLaunchPages) {
      pages_.emplace_front();
    } else {
      by_number_.erase(pages_.back().number);
      use(std::prev(pages_.end())).launches = {};
    }
    pages_.front().number = number;
    known->second = pages_.begin();
  }
  use(known->second).launches[correlation & kPageMask] = launch;
}

SpanReference LaunchTable::find(uint32_t correlation) {
  const uint32_t number = correlation >> kPageBits;
  if (!pages_.empty() && pages_.front().number == number) {
    return use(pages_.begin()).launches[correlation & kPageMask];
  }
  const auto known = by_number_.find(number);
  if (known == by_number_.end()) return {};
  return use(known->second).launches[correlation & kPageMask];
}

void LaunchTable::begin_second() {
  ++second_;
  while (!pages_.empty() && second_ - pages_.back().used > kKeptSeconds) {
    by_number_.erase(pages_.back().number);
    pages_.pop_back();
  }
}

}  // namespace xsp
