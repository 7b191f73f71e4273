/* libxsp_audit.so, for xsp-run --audit: an auditor of the loader (LD_AUDIT, rtld-audit(7)) that redirects what a
 * preloaded library cannot reach, above all the bindings of libraries that are opened with RTLD_DEEPBIND, to the
 * wrappers of libxsp_inject.so.
 *
 * It lives in a namespace of its own, shares nothing with the guest but the guest's exported symbols, and needs no
 * library, so that the namespace holds nothing else. Lookups by name are not redirected here: their callers are bound
 * to the guest's dlsym, which tells copies of a library apart. All calls come with the loader's lock held. */

#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

struct audited_name {
  const char* name;
  unsigned char library;
};
#include "audited_names.h"

enum { kNames = sizeof audited_names / sizeof audited_names[0] };

/* Found in the guest instead of in the C library, so that lookups of a caller bound past the guest come to it. */
static const char* const kLoaderFunctions[] = {"dlsym", "dlvsym", "dlclose", "dlerror"};

static const struct link_map* guest;

static int compare(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return (unsigned char)*a - (unsigned char)*b;
}

static int begins_with(const char* text, const char* beginning) {
  while (*beginning != '\0' && *text == *beginning) ++text, ++beginning;
  return *beginning == '\0';
}

static const char* file_name(const struct link_map* map) {
  const char* name = map->l_name;
  for (const char* at = map->l_name; *at != '\0'; ++at) {
    if (*at == '/') name = at + 1;
  }
  return name;
}

/* Index of the name, or kNames. */
static size_t find_name(const char* name) {
  size_t low = 0;
  size_t high = kNames;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const int order = compare(audited_names[middle].name, name);
    if (order == 0) return middle;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return kNames;
}

/* Whether a definition in this file is the library's, and not that of a part with the same names. */
static int is_library_file(const char* file, unsigned library) {
  const char* const* soname = library_sonames[library];
  if (*soname == 0) return 1;
  for (; *soname != 0; ++soname) {
    if (begins_with(file, *soname)) return 1;
  }
  return 0;
}

static int is_loader_function(const char* name) {
  for (size_t i = 0; i < sizeof kLoaderFunctions / sizeof kLoaderFunctions[0]; ++i) {
    if (compare(kLoaderFunctions[i], name) == 0) return 1;
  }
  return 0;
}

/* The guest's exported definition, by its DT_GNU_HASH. 0: it has none. */
static uintptr_t find_in_guest(const char* name) {
  const Elf64_Sym* symbols = 0;
  const char* strings = 0;
  const uint32_t* table = 0;
  for (const Elf64_Dyn* entry = guest->l_ld; entry->d_tag != DT_NULL; ++entry) {
    const uintptr_t address = entry->d_un.d_ptr < guest->l_addr ? guest->l_addr + entry->d_un.d_ptr : entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) symbols = (const Elf64_Sym*)address;
    if (entry->d_tag == DT_STRTAB) strings = (const char*)address;
    if (entry->d_tag == DT_GNU_HASH) table = (const uint32_t*)address;
  }
  if (symbols == 0 || strings == 0 || table == 0 || table[0] == 0) return 0;
  uint32_t hash = 5381;
  for (const char* at = name; *at != '\0'; ++at) hash = hash * 33 + (unsigned char)*at;
  const uint32_t first = table[1];
  const uint32_t* buckets = table + 4 + 2 * (size_t)table[2];
  const uint32_t* chains = buckets + table[0];
  uint32_t index = buckets[hash % table[0]];
  if (index < first) return 0;
  for (;; ++index) {
    const uint32_t chain = chains[index - first];
    if ((chain | 1) == (hash | 1) && symbols[index].st_shndx != SHN_UNDEF &&
        compare(strings + symbols[index].st_name, name) == 0) {
      return guest->l_addr + symbols[index].st_value;
    }
    if ((chain & 1) != 0) return 0;
  }
}

EXPORT unsigned la_version(unsigned version) { return version < LAV_CURRENT ? version : LAV_CURRENT; }

EXPORT unsigned la_objopen(struct link_map* map, Lmid_t namespace, uintptr_t* cookie) {
  *cookie = (uintptr_t)map;
  if (namespace != LM_ID_BASE) return 0;
  if (begins_with(file_name(map), "libxsp_inject.so")) {
    // What it binds itself, and what is bound to it already, stays so.
    guest = map;
    return 0;
  }
  return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

EXPORT uintptr_t la_symbind64(Elf64_Sym* symbol, unsigned index, uintptr_t* from, uintptr_t* to, unsigned* flags,
                              const char* name) {
  (void)index;
  (void)from;
  if (guest == 0 || (*flags & LA_SYMB_DLSYM) != 0) return symbol->st_value;
  const char* file = file_name((const struct link_map*)*to);
  const size_t found = find_name(name);
  const int redirected = found < kNames ? is_library_file(file, audited_names[found].library)
                                        : is_loader_function(name) && begins_with(file, "libc.so.6");
  const uintptr_t wrapper = redirected ? find_in_guest(name) : 0;
  return wrapper != 0 ? wrapper : symbol->st_value;
}
