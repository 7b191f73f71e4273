#pragma once

#include <cstdint>

namespace xsp::guest {

/// For each function, the one real address in whose place a lookup by name was given the wrapper. A program may call
/// such a pointer from anywhere (ctypes calls it from libffi), where the caller says nothing about the target. So only
/// one address per function gets the wrapper; lookups of further copies get the copies themselves.

/// The function's address; null if there is none yet.
void* given_pointer(uint32_t function);

/// Whether the wrapper may stand for the address: it stands for none yet, or for this one. Remembers the address.
bool may_give(uint32_t function, void* real);

/// A second copy of a function that a lookup reached, and who looked it up.
struct SecondCopy {
  uint32_t function;
  uintptr_t address;
  uintptr_t caller;
};
void remember_second_copy(const SecondCopy& copy);
/// The copy at `index`, from 0 on; false past the last. Only the first copies are kept, one for each library and
/// caller.
bool second_copy(uint32_t index, SecondCopy* copy);

/// Forgets addresses of libraries that are no longer loaded.
void forget_closed_pointers();

}  // namespace xsp::guest
