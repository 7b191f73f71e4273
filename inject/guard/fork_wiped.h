#pragma once

#include <atomic>
#include <cstddef>

namespace xsp::guest {

/// Zeroed pages that a forked child finds zeroed again (MADV_WIPEONFORK), no matter who forked and how: unlike
/// pthread_atfork handlers this works with fork, _Fork and raw clone. A vfork child shares them, as it should. Null
/// when the kernel refuses. `bytes` is rounded up to pages.
void* allocate_fork_wiped(size_t bytes);

void release_fork_wiped(void* pages, size_t bytes);

/// One plain object per process, on pages that a fork wipes. For constinit globals.
template <typename Data>
class ForkWiped {
 public:
  /// Null before make().
  Data* get() const { return data_.load(std::memory_order_acquire); }

  /// Null when the kernel refuses.
  Data* make() {
    Data* known = get();
    if (known != nullptr) return known;
    auto* fresh = static_cast<Data*>(allocate_fork_wiped(sizeof(Data)));
    if (fresh == nullptr || data_.compare_exchange_strong(known, fresh, std::memory_order_acq_rel)) return fresh;
    release_fork_wiped(fresh, sizeof(Data));
    return known;
  }

 private:
  std::atomic<Data*> data_{nullptr};
};

}  // namespace xsp::guest
