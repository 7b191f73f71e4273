#pragma once

#include <cstdint>

#include "inject/objects/elf_object.h"

namespace xsp::guest {

/// Whether the object is a library that the function belongs to. Its file's name or soname must begin with one of the
/// library's sonames (libcudnn.so.9 does, libcudnn_graph.so.9 does not).
bool is_library_of(const ElfObject& object, uint32_t function);

/// What the caller's reference to the function would have reached without the guest (doc/library.md), as far as scopes
/// can say. It is found as the loader finds it, in the version that the caller asks for. If the caller asks for no
/// version and the library is a versioned one, the libraries that the caller itself needs are searched first. `caller`
/// null: code that lies in no loaded object. Null when no scope has it. Never one of the guest's wrappers.
///
/// Holds the loader's lock for moments, allocates nothing but a scratch mapping, and leaves dlerror as it was. Not for
/// signal handlers.
void* find_in_scopes(uint32_t function, const ElfObject* caller);

/// The first definition in the caller and what it needs, other than the guest's.
void* find_in_scope_of(const ElfObject& caller, const char* name, const char* version);

/// The function of the first loaded library of the right name.
void* find_in_any_library(uint32_t function, const char* version);

/// The only definition in the process; null if there are several, or it does not lie in a library of the right name.
void* find_only_definition(uint32_t function, const char* version);

}  // namespace xsp::guest
