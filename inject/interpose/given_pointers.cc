#include "inject/interpose/given_pointers.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <atomic>

#include "inject/interpose/function_table.h"
#include "inject/objects/elf_object.h"

namespace xsp::guest {
namespace {

constexpr uint32_t kMaxSecondCopies = 64;

/// One address per function. Mapped at the first lookup that is given a wrapper: most processes never need it.
constinit std::atomic<std::atomic<void*>*> pointers{nullptr};

constinit SecondCopy copies[kMaxSecondCopies]{};
constinit std::atomic<uint32_t> copies_begun{0};
constinit std::atomic<bool> copy_whole[kMaxSecondCopies]{};

std::atomic<void*>* make_pointers() {
  auto* known = pointers.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  const size_t bytes = xsp_function_count * sizeof(std::atomic<void*>);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* fresh = static_cast<std::atomic<void*>*>(memory);
  if (pointers.compare_exchange_strong(known, fresh)) return fresh;
  munmap(memory, bytes);
  return known;
}

uint32_t copies_kept() {
  const uint32_t begun = copies_begun.load(std::memory_order_acquire);
  return begun < kMaxSecondCopies ? begun : kMaxSecondCopies;
}

}  // namespace

void* given_pointer(uint32_t function) {
  const auto* known = pointers.load(std::memory_order_acquire);
  return known == nullptr ? nullptr : known[function].load(std::memory_order_acquire);
}

bool may_give(uint32_t function, void* real) {
  auto* known = make_pointers();
  if (known == nullptr) return false;
  void* before = nullptr;
  return known[function].compare_exchange_strong(before, real, std::memory_order_acq_rel) || before == real;
}

void remember_second_copy(const SecondCopy& copy) {
  const uint32_t kept = copies_kept();
  for (uint32_t i = 0; i < kept; ++i) {
    const bool same_library = xsp_functions[copies[i].function].library == xsp_functions[copy.function].library;
    if (copy_whole[i].load(std::memory_order_acquire) && same_library && copies[i].caller == copy.caller) return;
  }
  // The plain load first keeps the counter from running on, and in the end wrapping, in a program that never stops
  // looking up.
  const uint32_t index =
      copies_begun.load(std::memory_order_relaxed) < kMaxSecondCopies ? copies_begun.fetch_add(1) : kMaxSecondCopies;
  if (index >= kMaxSecondCopies) return;
  copies[index] = copy;
  copy_whole[index].store(true, std::memory_order_release);
}

bool second_copy(uint32_t index, SecondCopy* copy) {
  if (index >= copies_kept() || !copy_whole[index].load(std::memory_order_acquire)) return false;
  *copy = copies[index];
  return true;
}

void forget_closed_pointers() {
  auto* known = pointers.load(std::memory_order_acquire);
  if (known == nullptr) return;
  for (uint32_t i = 0; i < xsp_function_count; ++i) {
    void* address = known[i].load(std::memory_order_relaxed);
    dl_find_object object;
    if (address == nullptr || _dl_find_object(address, &object) == 0) continue;
    // Exchanged, not stored: another thread may just have given the wrapper for a new copy.
    known[i].compare_exchange_strong(address, nullptr);
  }
}

}  // namespace xsp::guest
