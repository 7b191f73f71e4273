#pragma once

#include <atomic>
#include <cstddef>

namespace xsp::guest {

/// A few addresses of the program's objects, for use by any thread. Takes no locks and allocates nothing; what does not
/// fit is left out.
template <size_t kCapacity>
class PointerSet {
 public:
  /// False: it is there already, or there is no room.
  bool add(const void* pointer) {
    if (pointer == nullptr || contains(pointer)) return false;
    for (auto& place : places_) {
      const void* expected = nullptr;
      if (!place.compare_exchange_strong(expected, pointer, std::memory_order_acq_rel)) continue;
      used_.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    return false;
  }

  void remove(const void* pointer) {
    if (pointer == nullptr || used_.load(std::memory_order_relaxed) == 0) return;
    for (auto& place : places_) {
      const void* expected = pointer;
      if (!place.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel)) continue;
      used_.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
  }

  bool contains(const void* pointer) const {
    if (pointer == nullptr || used_.load(std::memory_order_relaxed) == 0) return false;
    for (const auto& place : places_) {
      if (place.load(std::memory_order_acquire) == pointer) return true;
    }
    return false;
  }

 private:
  std::atomic<const void*> places_[kCapacity];
  std::atomic<size_t> used_;
};

}  // namespace xsp::guest
