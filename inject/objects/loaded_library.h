#pragma once

namespace xsp::guest {

/// Address of a symbol in a library that is loaded already, whatever scope it was loaded into (Python loads with
/// RTLD_LOCAL, which dlsym(RTLD_DEFAULT) does not see). `soname_prefix` is the start of the file's name, for example
/// "libtorch_cpu.so". Null if the library or the symbol is not there. Loads nothing.
void* symbol_in_loaded_library(const char* soname_prefix, const char* symbol);

/// Whether a library of that name is loaded.
bool is_library_loaded(const char* soname_prefix);

/// Address of a symbol in the library that holds `address`, or in one it needs. Null if there is none; never a symbol
/// of the guest itself.
void* symbol_beside(const void* address, const char* symbol);

}  // namespace xsp::guest
