#pragma once

#include <cstdint>

#include "inject/objects/elf_object.h"

namespace xsp::guest {

/// Whether the object is a library that has the function, by its file's name or soname: a first part of either is among
/// the library's sonames (libcudnn.so.9 is, libcudnn_graph.so.9 is not).
bool is_library_of(const ElfObject& object, uint32_t function);

/// What the caller's reference to the function would have reached without the guest (doc/library.md), as far as scopes
/// tell: as the loader finds it, in the version that the caller asks for; a caller that asks for no version and a
/// function of a versioned library: in what the caller needs itself first. `caller` null: code that no loaded object
/// holds. Null when no scope has it. Never one of the guest's wrappers.
///
/// Holds the loader's lock for moments, allocates no memory but a scratch mapping, leaves dlerror as it was. Not for
/// signal handlers.
void* find_in_scopes(uint32_t function, const ElfObject* caller);

/// The first definition in the caller and what it needs, without the guest's.
void* find_in_scope_of(const ElfObject& caller, const char* name, const char* version);

/// The function of the first loaded library of the right name.
void* find_in_any_library(uint32_t function, const char* version);

/// The only definition in the process, if there is but one and it lies in a library of the right name.
void* find_only_definition(uint32_t function, const char* version);

}  // namespace xsp::guest
