#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/hooks/std_function.h"

namespace xsp::guest {

/// Functions that a library is given in place of its own: each is a std::function whose callable is one of these, which
/// has the library's own function and what the guest keeps of it. Copies share it, and the last one destroys it. One
/// pool for each kind of `Kept`; its memory is reserved once and never given back, as a library may keep a function as
/// long as the process lives. Pages are used as they are needed.
///
/// Kept: zeroed memory is a valid beginning; `void Kept::dropped()` is called when it is destroyed.
template <typename Kept>
class FunctionPool {
 public:
  struct Wrapped {
    StdFunction original;
    std::atomic<uint32_t> owners;
    std::atomic<uint32_t> next_free;  // the one behind it in the list + 1
    Kept kept;
  };

  static constexpr uint32_t kMost = 1 << 17;

  /// Takes `original`; null, with nothing taken, where too many live. What was kept of an earlier one is still there.
  static Wrapped* wrap(StdFunction& original) {
    Wrapped* wrapped = take();
    if (wrapped == nullptr) return nullptr;
    wrapped->original = original.take();
    wrapped->owners.store(1, std::memory_order_relaxed);
    return wrapped;
  }

  /// The function to pass on: `invoker` is called with its address, then the arguments.
  static StdFunction function_of(Wrapped& wrapped, void* invoker) {
    return {.callable = {&wrapped, nullptr}, .manager = manage, .invoker = invoker};
  }

  static bool has(const StdFunction& function) { return function.manager == manage; }
  static Wrapped& wrapped_in(const StdFunction& function) { return *static_cast<Wrapped*>(function.callable[0]); }

  static void hold(Wrapped& wrapped) { wrapped.owners.fetch_add(1, std::memory_order_relaxed); }
  static void drop(Wrapped& wrapped) {
    if (wrapped.owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    wrapped.original.destroy();
    wrapped.kept.dropped();
    give_back(wrapped);
  }

 private:
  // The head of the list of free ones: a number that changes with each use, and the first one's index + 1.
  static constexpr uint64_t kTag = uint64_t{1} << 32;
  static constexpr uint64_t kIndex = kTag - 1;

  static bool manage(StdFunction* to, const StdFunction* from, StdFunction::Operation operation) {
    switch (operation) {
      case StdFunction::Operation::kTypeInfo:
        to->callable[0] = nullptr;
        break;
      case StdFunction::Operation::kAddress:
        to->callable[0] = const_cast<StdFunction*>(from);
        break;
      case StdFunction::Operation::kClone:
        to->callable[0] = from->callable[0];
        hold(wrapped_in(*to));
        break;
      case StdFunction::Operation::kDestroy:
        drop(wrapped_in(*to));
        break;
    }
    return false;
  }

  static Wrapped* take() {
    Wrapped* all = memory();
    if (all == nullptr) return nullptr;
    uint64_t head = free_.load(std::memory_order_acquire);
    while ((head & kIndex) != 0) {
      Wrapped& first = all[(head & kIndex) - 1];
      const uint64_t next = (head & ~kIndex) + kTag + first.next_free.load(std::memory_order_relaxed);
      if (free_.compare_exchange_weak(head, next, std::memory_order_acq_rel)) return &first;
    }
    const uint32_t fresh = used_.load(std::memory_order_relaxed) < kMost ? used_.fetch_add(1) : kMost;
    return fresh < kMost ? &all[fresh] : nullptr;
  }

  static void give_back(Wrapped& wrapped) {
    const auto index = static_cast<uint64_t>(&wrapped - memory_.load(std::memory_order_relaxed)) + 1;
    uint64_t head = free_.load(std::memory_order_relaxed);
    uint64_t next = 0;
    do {
      wrapped.next_free.store(static_cast<uint32_t>(head & kIndex), std::memory_order_relaxed);
      next = (head & ~kIndex) + kTag + index;
    } while (!free_.compare_exchange_weak(head, next, std::memory_order_acq_rel));
  }

  static Wrapped* memory() {
    Wrapped* known = memory_.load(std::memory_order_acquire);
    if (known != nullptr) return known;
    constexpr size_t kBytes = kMost * sizeof(Wrapped);
    void* fresh = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fresh == MAP_FAILED) return nullptr;
    if (memory_.compare_exchange_strong(known, static_cast<Wrapped*>(fresh))) return static_cast<Wrapped*>(fresh);
    munmap(fresh, kBytes);
    return known;
  }

  static inline constinit std::atomic<Wrapped*> memory_{nullptr};
  static inline constinit std::atomic<uint64_t> free_{0};
  static inline constinit std::atomic<uint32_t> used_{0};
};

}  // namespace xsp::guest
