#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace xsp::guest {

/// One loaded object (program, library, vdso), read from its memory: no file is opened, nothing is allocated, and the
/// state that dlerror reports is not touched. Valid while the object is loaded.
struct ElfObject {
  const char* path;    ///< as the loader knows it; "" for the program
  const char* soname;  ///< null: none
  uintptr_t base;
  uintptr_t low;   ///< start of its lowest segment
  uintptr_t high;  ///< end of its highest segment
  const ElfW(Dyn) * dynamic;
  const ElfW(Sym) * symbols;
  const char* strings;
  size_t string_bytes;  ///< of `strings`, which end with a NUL
  const uint32_t* gnu_hash;
  const uint32_t* hash;
  const ElfW(Half) * versions;  ///< per symbol; null: its symbols have no versions
  const ElfW(Verdef) * defined_versions;
  const ElfW(Verneed) * needed_versions;
  const ElfW(Rela) * relocations;
  size_t relocation_count;
  const ElfW(Rela) * plt_relocations;
  size_t plt_relocation_count;

  bool contains(uintptr_t address) const { return address - low < high - low; }
  /// Whether `count` values lie in the object. A damaged object may point anywhere: the loader reads less of it than we
  /// do, and a program that runs without the guest must not crash with it.
  template <typename Value>
  bool holds(const Value* values, size_t count = 1) const {
    const auto at = reinterpret_cast<uintptr_t>(values);
    return at % alignof(Value) == 0 && at >= low && at <= high && count <= (high - at) / sizeof(Value);
  }
  /// A text of its string table; "" if the offset lies outside of it.
  const char* text(size_t offset) const { return offset < string_bytes ? strings + offset : ""; }
  /// The name without its folders.
  const char* file_name() const;
};

/// Calls `visit(object)` for every loaded object in load order until it returns true. The loader's lock is held during
/// the calls, so `visit` must not wait for another thread.
bool visit_objects(bool (*visit)(const ElfObject& object, void* argument), void* argument);

template <typename Visit>
bool each_object(Visit&& visit) {
  return visit_objects([](const ElfObject& object, void* argument) { return (*static_cast<Visit*>(argument))(object); },
                       const_cast<void*>(static_cast<const void*>(&visit)));
}

/// The object that holds an address. False if there is none, as for generated code.
bool find_object(uintptr_t address, ElfObject* found);

/// Whether the object itself defines and exports a symbol. With `version` null its default version counts; otherwise
/// that version, or a definition without any, as the loader matches them.
bool defines_symbol(const ElfObject& object, const char* name, const char* version);

/// Address of such a symbol; for an indirect function (IFUNC) the address it resolves to. Null if there is none.
void* find_symbol(const ElfObject& object, const char* name, const char* version);

/// The version with which the object refers to the symbol, or defines it. Null if it does neither, or does so without a
/// version.
const char* version_of_reference(const ElfObject& object, const char* name);

/// A slot of the object that the loader fills with the address of a function.
struct SymbolSlot {
  const char* name;
  uintptr_t* place;
  uintptr_t value;  ///< inside the object itself while a call through the PLT has not been made yet
  bool weak;
};

void visit_slots(const ElfObject& object, void (*visit)(const SymbolSlot& slot, void* argument), void* argument);

template <typename Visit>
void each_slot(const ElfObject& object, Visit&& visit) {
  visit_slots(
      object, [](const SymbolSlot& slot, void* argument) { (*static_cast<Visit*>(argument))(slot); },
      const_cast<void*>(static_cast<const void*>(&visit)));
}

/// The hash of a name in a GNU hash table.
uint32_t gnu_hash_of(const char* name);

/// Whether the object is the guest itself, which is never searched for a real function.
bool is_guest(const ElfObject& object);

/// Whether the object comes before the guest in load order: the program, or another interposer. A call into the guest
/// from there is meant for the definition after the guest's, never for the caller's own.
bool is_in_front(const ElfObject& object);

}  // namespace xsp::guest
