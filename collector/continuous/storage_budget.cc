#include "collector/continuous/storage_budget.h"

#include <algorithm>

namespace xsp {
namespace {

constexpr uint64_t kLeastRoom = uint64_t{32} << 10;
constexpr uint64_t kMostRoom = uint64_t{64} << 20;

}  // namespace

uint64_t StorageBudget::room_for_counts(uint64_t bytes) { return std::clamp(bytes / 8, kLeastRoom, kMostRoom); }

StorageBudget::StorageBudget(const Limits& limits, uint64_t now_ns)
    : limits_(limits),
      tokens_(static_cast<double>(limits.bytes_per_second) * kBurstSeconds),
      refilled_ns_(now_ns),
      last_window_(now_ns / kWindowNs),
      last_window_begin_(last_window_ * kWindowNs) {
  if (has_limits()) on_.assign(kHistory, true);
}

bool StorageBudget::may_store(uint64_t bytes) {
  is_full_ |= limits_.bytes != 0 && bytes + room_for_counts(limits_.bytes) >= limits_.bytes;
  if (is_full_) return false;
  if (limits_.bytes_per_second == 0) return true;
  const double half = static_cast<double>(limits_.bytes_per_second) * kBurstSeconds / 2;
  return tokens_ >= (is_on_ ? 0 : half);
}

bool StorageBudget::advance(uint64_t now_ns, uint64_t written, uint64_t coming) {
  if (!has_limits()) return false;
  if (limits_.bytes_per_second != 0 && now_ns > refilled_ns_) {
    const auto rate = static_cast<double>(limits_.bytes_per_second);
    tokens_ = std::min(tokens_ + static_cast<double>(now_ns - refilled_ns_) * 1e-9 * rate, rate * kBurstSeconds);
    refilled_ns_ = now_ns;
  }
  // May go below zero: what is always written (names, counts) is charged afterwards.
  tokens_ -= static_cast<double>(written - charged_);
  charged_ = written;
  // Spans that began in stored windows keep coming for a moment; half of the room is for them.
  const uint64_t bytes = written + coming;
  has_stopped_ |= limits_.bytes != 0 && bytes + room_for_counts(limits_.bytes) / 2 >= limits_.bytes;
  was_off_ |= has_stopped_;
  if (has_stopped_ && is_on_) {
    is_full_ = true;
    is_on_ = false;
    off_since_ns_ = last_window_begin_;
    return true;
  }
  const uint64_t window = now_ns / kWindowNs;
  if (window <= last_window_) return false;
  const bool stores = may_store(bytes);
  const bool changed = stores != is_on_;
  const uint64_t first = last_window_ + 1;
  // After a pause several windows have passed: all get the same decision now.
  for (uint64_t i = window - std::min(window - first, kHistory - 1); i <= window; ++i) on_[i % kHistory] = stores;
  last_window_ = window;
  last_window_begin_ = first * kWindowNs;
  if (changed && !stores) off_since_ns_ = last_window_begin_;
  was_off_ |= !stores;
  is_on_ = stores;
  return changed;
}

}  // namespace xsp
