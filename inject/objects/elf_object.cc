#include "inject/objects/elf_object.h"

#include <dlfcn.h>
#include <string.h>

namespace xsp::guest {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kGlobalData = R_X86_64_GLOB_DAT;
constexpr uint32_t kJumpSlot = R_X86_64_JUMP_SLOT;
#elif defined(__aarch64__)
constexpr uint32_t kGlobalData = R_AARCH64_GLOB_DAT;
constexpr uint32_t kJumpSlot = R_AARCH64_JUMP_SLOT;
#else
constexpr uint32_t kGlobalData = UINT32_MAX;
constexpr uint32_t kJumpSlot = UINT32_MAX;
#endif

// The top bit of a DT_VERSYM entry: only references with that very version may bind to the symbol.
constexpr ElfW(Half) kHidden = 0x8000;
constexpr ElfW(Half) kVersionIndex = 0x7fff;

/// Used for symbol names instead of strcmp, which under a sanitizer does not work yet when the sanitizer makes its
/// first lookups.
bool is_same(const char* left, const char* right) {
  for (; *left == *right; ++left, ++right) {
    if (*left == '\0') return true;
  }
  return false;
}

/// Reads the dynamic section. False if the object has none, as in a static program.
bool read_dynamic(ElfObject* object) {
  // The loader relocates these addresses in place, but not in objects that it cannot write to (the vdso).
  const auto at = [object](const ElfW(Dyn) & entry) {
    const uintptr_t address = entry.d_un.d_ptr;
    return address < object->low ? object->base + address : address;
  };
  uintptr_t relative = 0;
  uintptr_t soname = 0;
  bool named = false;
  for (const ElfW(Dyn)* entry = object->dynamic; object->holds(entry) && entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_SYMTAB:
        object->symbols = reinterpret_cast<const ElfW(Sym)*>(at(*entry));
        break;
      case DT_STRTAB:
        object->strings = reinterpret_cast<const char*>(at(*entry));
        break;
      case DT_STRSZ:
        object->string_bytes = entry->d_un.d_val;
        break;
      case DT_GNU_HASH:
        object->gnu_hash = reinterpret_cast<const uint32_t*>(at(*entry));
        break;
      case DT_HASH:
        object->hash = reinterpret_cast<const uint32_t*>(at(*entry));
        break;
      case DT_VERSYM:
        object->versions = reinterpret_cast<const ElfW(Half)*>(at(*entry));
        break;
      case DT_VERDEF:
        object->defined_versions = reinterpret_cast<const ElfW(Verdef)*>(at(*entry));
        break;
      case DT_VERNEED:
        object->needed_versions = reinterpret_cast<const ElfW(Verneed)*>(at(*entry));
        break;
      case DT_RELA:
        object->relocations = reinterpret_cast<const ElfW(Rela)*>(at(*entry));
        break;
      case DT_RELASZ:
        object->relocation_count = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_RELACOUNT:
        relative = entry->d_un.d_val;
        break;
      case DT_JMPREL:
        object->plt_relocations = reinterpret_cast<const ElfW(Rela)*>(at(*entry));
        break;
      case DT_PLTRELSZ:
        object->plt_relocation_count = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_SONAME:
        soname = entry->d_un.d_val;
        named = true;
        break;
      default:
        break;
    }
  }
  // Without symbols and strings the object is of no use; each other table may be missing, or dropped because it is
  // damaged, and lookups do without it.
  if (!object->holds(object->symbols) || !object->holds(object->strings, object->string_bytes)) return false;
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): nothing holds null
  if (object->string_bytes == 0 || object->strings[object->string_bytes - 1] != '\0') return false;
  if (!object->holds(object->versions)) object->versions = nullptr;
  if (!object->holds(object->hash, 2)) object->hash = nullptr;
  if (!object->holds(object->gnu_hash, 4)) object->gnu_hash = nullptr;
  if (!object->holds(object->relocations, object->relocation_count)) object->relocations = nullptr;
  if (!object->holds(object->plt_relocations, object->plt_relocation_count)) object->plt_relocations = nullptr;
  if (named) object->soname = object->text(soname);
  // Relative relocations come first and name no symbol (DT_RELACOUNT): large libraries have tens of thousands to skip.
  if (object->relocations != nullptr && relative <= object->relocation_count) {
    object->relocations += relative;
    object->relocation_count -= relative;
  }
  return true;
}

bool read_object(const dl_phdr_info& info, ElfObject* object) {
  *object = {};
  object->path = info.dlpi_name == nullptr ? "" : info.dlpi_name;
  object->base = info.dlpi_addr;
  object->low = UINTPTR_MAX;
  for (size_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    const uintptr_t begin = object->base + segment.p_vaddr;
    if (segment.p_type == PT_DYNAMIC) object->dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    if (segment.p_type != PT_LOAD) continue;
    if (begin < object->low) object->low = begin;
    if (begin + segment.p_memsz > object->high) object->high = begin + segment.p_memsz;
  }
  return object->high != 0 && object->dynamic != nullptr && read_dynamic(object);
}

const char* defined_version_name(const ElfObject& object, ElfW(Half) index) {
  if (object.defined_versions == nullptr) return nullptr;
  const auto* at = reinterpret_cast<const char*>(object.defined_versions);
  while (true) {
    const auto* definition = reinterpret_cast<const ElfW(Verdef)*>(at);
    if (!object.holds(definition)) return nullptr;
    if (definition->vd_ndx == index) {
      const auto* name = reinterpret_cast<const ElfW(Verdaux)*>(at + definition->vd_aux);
      return object.holds(name) ? object.text(name->vda_name) : nullptr;
    }
    if (definition->vd_next == 0) return nullptr;
    at += definition->vd_next;
  }
}

const char* needed_version_name(const ElfObject& object, ElfW(Half) index) {
  if (object.needed_versions == nullptr) return nullptr;
  const auto* at = reinterpret_cast<const char*>(object.needed_versions);
  while (true) {
    const auto* needed = reinterpret_cast<const ElfW(Verneed)*>(at);
    if (!object.holds(needed)) return nullptr;
    const char* part = at + needed->vn_aux;
    for (size_t i = 0; i < needed->vn_cnt; ++i) {
      const auto* version = reinterpret_cast<const ElfW(Vernaux)*>(part);
      if (!object.holds(version)) return nullptr;
      if ((version->vna_other & kVersionIndex) == index) return object.text(version->vna_name);
      if (version->vna_next == 0) break;
      part += version->vna_next;
    }
    if (needed->vn_next == 0) return nullptr;
    at += needed->vn_next;
  }
}

/// Decides as the loader's check_match does.
bool version_matches(const ElfObject& object, size_t index, const char* version) {
  if (object.versions == nullptr || !object.holds(object.versions + index)) return true;
  const ElfW(Half) entry = object.versions[index];
  if (version == nullptr) return (entry & kHidden) == 0;
  const ElfW(Half) number = entry & kVersionIndex;
  const char* name = number <= VER_NDX_GLOBAL ? nullptr : defined_version_name(object, number);
  return name == nullptr ? (entry & kHidden) == 0 : is_same(name, version);
}

bool is_exported(const ElfW(Sym) & symbol) {
  if (symbol.st_shndx == SHN_UNDEF) return false;
  const unsigned binding = symbol.st_info >> 4;
  const unsigned type = symbol.st_info & 15;
  // A thread-local symbol's value is an offset and no address that anyone could call.
  return (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE) && type != STT_TLS;
}

bool defines(const ElfObject& object, size_t index, const char* name, const char* version) {
  if (!object.holds(object.symbols + index)) return false;
  const ElfW(Sym)& symbol = object.symbols[index];
  return is_exported(symbol) && is_same(object.text(symbol.st_name), name) && version_matches(object, index, version);
}

struct GnuHash {
  uint32_t bucket_count;
  uint32_t first_symbol;
  uint32_t filter_words;
  uint32_t filter_shift;
  const ElfW(Addr) * filter;
  const uint32_t* buckets;
  const uint32_t* chains;

  explicit GnuHash(const uint32_t* table)
      : bucket_count(table[0]), first_symbol(table[1]), filter_words(table[2]), filter_shift(table[3]) {
    filter = reinterpret_cast<const ElfW(Addr)*>(table + 4);
    buckets = reinterpret_cast<const uint32_t*>(filter + filter_words);
    chains = buckets + bucket_count;
  }
};

size_t index_by_gnu_hash(const ElfObject& object, const char* name, const char* version) {
  const GnuHash table(object.gnu_hash);
  if (table.bucket_count == 0 || table.filter_words == 0 || !object.holds(table.filter, table.filter_words) ||
      !object.holds(table.buckets, table.bucket_count)) {
    return 0;
  }
  constexpr uint32_t kBits = sizeof(ElfW(Addr)) * 8;
  const uint32_t hash = gnu_hash_of(name);
  const ElfW(Addr) word = table.filter[(hash / kBits) % table.filter_words];
  // A Bloom filter over the object's names: most lookups in objects that lack the symbol end here.
  if ((word >> (hash % kBits) & word >> ((hash >> (table.filter_shift % 32)) % kBits) & 1) == 0) return 0;
  size_t index = table.buckets[hash % table.bucket_count];
  if (index < table.first_symbol) return 0;
  for (;; ++index) {
    if (!object.holds(table.chains + (index - table.first_symbol))) return 0;
    const uint32_t chain = table.chains[index - table.first_symbol];
    // The lowest bit of a chain's word is not part of the hash: it marks the chain's last entry.
    if ((chain | 1) == (hash | 1) && defines(object, index, name, version)) return index;
    if ((chain & 1) != 0) return 0;
  }
}

/// Number of symbols before the exported ones, among which are the undefined ones; of all symbols when there is no GNU
/// hash table.
size_t unhashed_symbols(const ElfObject& object) {
  if (object.gnu_hash != nullptr) return object.gnu_hash[1];
  return object.hash != nullptr ? object.hash[1] : 0;
}

size_t index_linearly(const ElfObject& object, const char* name, const char* version) {
  const size_t count = object.hash != nullptr ? object.hash[1] : 0;
  for (size_t i = 1; i < count && object.holds(object.symbols + i); ++i) {
    if (defines(object, i, name, version)) return i;
  }
  return 0;
}

/// 0 (the null symbol) if it is not defined there.
size_t symbol_index(const ElfObject& object, const char* name, const char* version) {
  return object.gnu_hash != nullptr ? index_by_gnu_hash(object, name, version) : index_linearly(object, name, version);
}

void visit_part(const ElfObject& object, const ElfW(Rela) * relocations, size_t count,
                void (*visit)(const SymbolSlot& slot, void* argument), void* argument) {
  for (size_t i = 0; i < count; ++i) {
    const auto type = static_cast<uint32_t>(ELF64_R_TYPE(relocations[i].r_info));
    // Only these two fill slots of the global offset table, through which calls by name go.
    if (type != kGlobalData && type != kJumpSlot) continue;
    const ElfW(Sym)* symbol = object.symbols + ELF64_R_SYM(relocations[i].r_info);
    auto* place = reinterpret_cast<uintptr_t*>(object.base + relocations[i].r_offset);
    if (!object.holds(symbol) || !object.holds(place)) continue;
    const SymbolSlot slot{object.text(symbol->st_name), place, *place, symbol->st_info >> 4 == STB_WEAK};
    visit(slot, argument);
  }
}

}  // namespace

uint32_t gnu_hash_of(const char* name) {
  uint32_t value = 5381;
  for (; *name != '\0'; ++name) value = value * 33 + static_cast<uint8_t>(*name);
  return value;
}

const char* ElfObject::file_name() const {
  const char* slash = strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

bool visit_objects(bool (*visit)(const ElfObject& object, void* argument), void* argument) {
  struct Visitor {
    bool (*visit)(const ElfObject& object, void* argument);
    void* argument;
  } visitor{visit, argument};
  return dl_iterate_phdr(
             [](dl_phdr_info* info, size_t, void* data) {
               const auto& with = *static_cast<const Visitor*>(data);
               ElfObject object;
               return read_object(*info, &object) && with.visit(object, with.argument) ? 1 : 0;
             },
             &visitor) != 0;
}

bool find_object(uintptr_t address, ElfObject* found) {
  dl_find_object object;
  if (_dl_find_object(reinterpret_cast<void*>(address), &object) != 0) return false;
  // _dl_find_object takes no lock, so it may be called in a child of fork and in a signal handler; dl_iterate_phdr may
  // not.
  const link_map* map = object.dlfo_link_map;
  *found = {};
  found->path = map->l_name == nullptr ? "" : map->l_name;
  found->base = map->l_addr;
  found->low = reinterpret_cast<uintptr_t>(object.dlfo_map_start);
  found->high = reinterpret_cast<uintptr_t>(object.dlfo_map_end);
  found->dynamic = map->l_ld;
  return found->dynamic != nullptr && read_dynamic(found);
}

bool defines_symbol(const ElfObject& object, const char* name, const char* version) {
  return symbol_index(object, name, version) != 0;
}

void* find_symbol(const ElfObject& object, const char* name, const char* version) {
  const size_t index = symbol_index(object, name, version);
  if (index == 0) return nullptr;
  // Absolute symbols (versions' names among them) are not moved with the object.
  const ElfW(Sym)& symbol = object.symbols[index];
  const uintptr_t address = symbol.st_shndx == SHN_ABS ? symbol.st_value : object.base + symbol.st_value;
  if ((symbol.st_info & 15) != STT_GNU_IFUNC) return reinterpret_cast<void*>(address);
  return reinterpret_cast<void* (*)()>(address)();
}

const char* version_of_reference(const ElfObject& object, const char* name) {
  if (object.versions == nullptr) return nullptr;
  const size_t count = unhashed_symbols(object);
  for (size_t i = 1; i < count && object.holds(object.symbols + i) && object.holds(object.versions + i); ++i) {
    const ElfW(Sym)& symbol = object.symbols[i];
    if (symbol.st_shndx != SHN_UNDEF || !is_same(object.text(symbol.st_name), name)) continue;
    const ElfW(Half) number = object.versions[i] & kVersionIndex;
    return number <= VER_NDX_GLOBAL ? nullptr : needed_version_name(object, number);
  }
  // No reference: the object may define the symbol itself, as an interposer does.
  const size_t own = symbol_index(object, name, nullptr);
  const ElfW(Half) number = own == 0 || !object.holds(object.versions + own) ? 0 : object.versions[own] & kVersionIndex;
  return number <= VER_NDX_GLOBAL ? nullptr : defined_version_name(object, number);
}

void visit_slots(const ElfObject& object, void (*visit)(const SymbolSlot& slot, void* argument), void* argument) {
  if (object.relocations != nullptr) {
    visit_part(object, object.relocations, object.relocation_count, visit, argument);
  }
  if (object.plt_relocations != nullptr) {
    visit_part(object, object.plt_relocations, object.plt_relocation_count, visit, argument);
  }
}

bool is_guest(const ElfObject& object) { return object.contains(reinterpret_cast<uintptr_t>(&is_guest)); }

bool is_in_front(const ElfObject& object) {
  bool in_front = false;
  each_object([&](const ElfObject& loaded) {
    if (is_guest(loaded)) return true;
    in_front = in_front || loaded.dynamic == object.dynamic;
    return in_front;
  });
  return in_front;
}

}  // namespace xsp::guest
