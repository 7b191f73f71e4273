#include "inject/objects/writable_slots.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace xsp::guest {
namespace {

/// The protection of a loaded object's memory: as its segment says, except for what the loader has made read-only
/// (RELRO).
int protection_of(const ElfObject& object, uintptr_t address) {
  struct Search {
    const ElfObject& object;
    uintptr_t address;
    int protection;
  } search{object, address, -1};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* argument) {
        auto& wanted = *static_cast<Search*>(argument);
        if (info->dlpi_addr != wanted.object.base) return 0;
        bool read_only = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& header = info->dlpi_phdr[i];
          const uintptr_t low = info->dlpi_addr + header.p_vaddr;
          if (wanted.address - low >= header.p_memsz) continue;
          if (header.p_type == PT_GNU_RELRO) read_only = true;
          if (header.p_type == PT_LOAD) {
            wanted.protection = ((header.p_flags & PF_R) != 0 ? PROT_READ : 0) |
                                ((header.p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
                                ((header.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
          }
        }
        if (read_only && wanted.protection >= 0) wanted.protection &= ~PROT_WRITE;
        return 1;
      },
      &search);
  return search.protection;
}

/// The memory that holds the object's relocated constants, or, in one without RELRO, its writable data.
struct Constants {
  uintptr_t base;
  uintptr_t low = 0;
  uintptr_t high = 0;
};

int find_constants(dl_phdr_info* info, size_t, void* argument) {
  auto& found = *static_cast<Constants*>(argument);
  if (info->dlpi_addr != found.base) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const bool is_data = header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0 && found.low == 0;
    if (header.p_type != PT_GNU_RELRO && !is_data) continue;
    found.low = info->dlpi_addr + header.p_vaddr;
    found.high = found.low + (is_data ? header.p_filesz : header.p_memsz);
    if (!is_data) break;
  }
  return 1;
}

}  // namespace

WritableSlots::WritableSlots(const ElfObject& object, const void* slots, size_t bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto low = reinterpret_cast<uintptr_t>(slots);
  low_ = low & ~(page - 1);
  bytes_ = ((low + bytes + page - 1) & ~(page - 1)) - low_;
  protection_ = protection_of(object, low);
  if (protection_ < 0 || protection_ != protection_of(object, low + bytes - 1)) return;
  changed_ = (protection_ & PROT_WRITE) == 0;
  writable_ = !changed_ || mprotect(address(), bytes_, protection_ | PROT_WRITE) == 0;
  changed_ = changed_ && writable_;
}

WritableSlots::~WritableSlots() {
  if (changed_) mprotect(address(), bytes_, protection_);
}

size_t replace_function(const ElfObject& object, const void* from, const void* to) {
  Constants constants{.base = object.base};
  dl_iterate_phdr(find_constants, &constants);
  constexpr uintptr_t kWord = sizeof(void*);
  size_t replaced = 0;
  for (uintptr_t at = (constants.low + kWord - 1) & ~(kWord - 1); at + kWord <= constants.high; at += kWord) {
    auto* word = reinterpret_cast<const void**>(at);
    if (*word != from) continue;
    const WritableSlots writable(object, word, kWord);
    if (!writable) continue;
    __atomic_store_n(word, to, __ATOMIC_RELEASE);
    ++replaced;
  }
  return replaced;
}

}  // namespace xsp::guest
