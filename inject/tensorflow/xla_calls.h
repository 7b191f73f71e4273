#pragma once

#include <cstdint>
#include <string_view>

#include "inject/record/thread.h"

namespace xsp::guest {

/// Functions that XLA has compiled (jit_compile=True). One kernel runs all of such a function; its operations (HLO) are
/// the layers, where XLA tells them (trace_me.h), which its CPU runtime does since 2024.

/// Whether a kernel of this type runs a function: "__inference_NAME_12", XlaLaunch.
bool may_be_compiled(std::string_view type);

/// A kernel that may run a compiled function begins on the thread, in a call with this scope. Returns its place, or 0
/// if nothing is to be told of it.
uint32_t begin_xla_call(Thread& thread, uint32_t scope, std::string_view type);

/// It has ended at this time, on any thread. Returns how many operations it had.
uint32_t end_xla_call(uint32_t place, uint64_t end);

}  // namespace xsp::guest
