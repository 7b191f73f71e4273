#pragma once

#include <cstdint>

namespace xsp::guest {

/// Per function the one real address in whose place a lookup by name was given the wrapper. A program may call such a
/// pointer from anywhere (ctypes does from libffi), and the wrapper must find its way from there: so there is one
/// address per function, and further copies of it are left to themselves.

/// Null: none yet.
void* given_pointer(uint32_t function);

/// Whether the wrapper may stand for the address: nothing was given for the function before, or this. Remembers it.
bool may_give(uint32_t function, void* real);

/// A second copy of a function that a lookup reached, and who looked it up.
struct SecondCopy {
  uint32_t function;
  uintptr_t address;
  uintptr_t caller;
};
void remember_second_copy(const SecondCopy& copy);
/// The i-th, i counting from 0; false behind the last. Only the first ones are kept, one for each library and caller.
bool second_copy(uint32_t index, SecondCopy* copy);

/// Forgets addresses of libraries that are no longer loaded.
void forget_closed_pointers();

}  // namespace xsp::guest
