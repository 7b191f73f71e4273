#include "inject/interpose/weak_references.h"

#include <sys/mman.h>
#include <unistd.h>

#include "inject/guard/errno_guard.h"
#include "inject/interpose/function_table.h"
#include "inject/interpose/name_filter.h"
#include "inject/interpose/real_function.h"
#include "inject/objects/elf_object.h"

namespace xsp::guest {
namespace {

constexpr size_t kMaxUnmet = 256;

struct Unmet {
  uintptr_t* places[kMaxUnmet];
  size_t count;
};

/// The pages of an object that the loader made read-only after relocating it.
struct ReadOnlyPages {
  uintptr_t low;
  uintptr_t high;

  bool contain(uintptr_t address) const { return address - low < high - low; }
};

ReadOnlyPages read_only_pages_of(const uintptr_t* place) {
  struct Search {
    uintptr_t address;
    ReadOnlyPages found;
  } search{reinterpret_cast<uintptr_t>(place), {0, 0}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* argument) {
        auto& with = *static_cast<Search*>(argument);
        const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
        for (size_t i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_GNU_RELRO) continue;
          const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
          const ReadOnlyPages pages{begin & ~(page - 1), (begin + segment.p_memsz) & ~(page - 1)};
          if (pages.contain(with.address)) with.found = pages;
        }
        return with.found.high != 0 ? 1 : 0;
      },
      &search);
  return search.found;
}

void clear(uintptr_t* place) {
  const ReadOnlyPages pages = read_only_pages_of(place);
  void* low = reinterpret_cast<void*>(pages.low);
  const size_t bytes = pages.high - pages.low;
  if (bytes != 0 && mprotect(low, bytes, PROT_READ | PROT_WRITE) != 0) return;
  *place = 0;
  // Back to what RELRO had made it: the program must not lose the protection.
  if (bytes != 0) mprotect(low, bytes, PROT_READ);
}

bool is_unmet(const ElfObject& user, const SymbolSlot& slot) {
  if (!slot.weak || slot.value == 0 || !name_filter.may_have(slot.name)) return false;
  const uint32_t function = xsp_find_function(slot.name);
  if (function == XSP_NO_FUNCTION || slot.value != reinterpret_cast<uintptr_t>(xsp_function_wrapper(function))) {
    return false;
  }
  return find_in_scopes(function, &user) == nullptr;
}

}  // namespace

void clear_unmet_weak_references() {
  const ErrnoGuard errno_guard;
  Unmet unmet{};
  each_object([&unmet](const ElfObject& user) {
    if (is_guest(user)) return false;
    each_slot(user, [&](const SymbolSlot& slot) {
      // kMaxUnmet bounds the stack that this takes; slots beyond keep the wrapper.
      if (unmet.count < kMaxUnmet && is_unmet(user, slot)) unmet.places[unmet.count++] = slot.place;
    });
    return unmet.count == kMaxUnmet;
  });
  // Apart from the walk, which holds the loader's lock: clear() walks the objects again.
  for (size_t i = 0; i < unmet.count; ++i) clear(unmet.places[i]);
}

}  // namespace xsp::guest
