#include "inject/cupti/state/other_profiler_state.h"

#include "inject/objects/elf_object.h"

namespace xsp::guest {

constinit ForkWiped<OtherProfiler> other_page;

uintptr_t low_of(const void* address) {
  ElfObject object;
  return find_object(reinterpret_cast<uintptr_t>(address), &object) ? object.low : 0;
}

CuptiCopy* copy_at(OtherProfiler& other, uintptr_t low) {
  for (CuptiCopy& copy : other.copies) {
    uintptr_t known = copy.low.load(std::memory_order_acquire);
    if (known == 0 && copy.low.compare_exchange_strong(known, low, std::memory_order_acq_rel)) return &copy;
    if (known == low) return &copy;
  }
  return nullptr;
}

std::string_view set_name(OtherProfiler& other, const xsp_around& around) {
  ElfObject object;
  const bool known = find_object(reinterpret_cast<uintptr_t>(around.caller), &object);
  const char* file = known ? object.file_name() : "";
  const LockGuard lock(other.name_lock);
  other.name.clear();
  other.name.put(file[0] == '\0' ? "the program" : file);
  return other.name.view();
}

bool has_kinds(const OtherProfiler& other) {
  for (const CuptiCopy& copy : other.copies) {
    for (const auto& word : copy.kinds) {
      if (word.load(std::memory_order_acquire) != 0) return true;
    }
  }
  return false;
}

void set_kind(CuptiCopy& copy, int kind, bool enabled) {
  if (kind < 0 || static_cast<uint32_t>(kind) >= kMaxKinds) return;
  std::atomic<uint64_t>& word = copy.kinds[kind / 64];
  const uint64_t bit = uint64_t{1} << (kind % 64);
  if (enabled) {
    word.fetch_or(bit, std::memory_order_acq_rel);
  } else if ((word.fetch_and(~bit, std::memory_order_acq_rel) & bit) != 0) {
    copy.is_unflushed.store(true, std::memory_order_release);
  }
}

}  // namespace xsp::guest
