#pragma once

#include "inject/record/span.h"

namespace xsp::guest {

/// Whether it is a call of the CUDA API, whose mark has a correlation id.
inline bool is_api_call(uint8_t kind) { return kind == kKindRuntimeCall || kind == kKindDriverCall; }

/// Records as failed, ending now, the innermost calls of libraries and the CUDA API whose frames are gone: a longjmp
/// left them. They are recognised by their marks' addresses, which lie at or below `frame`, an address in the caller's
/// frame.
void close_abandoned_calls(Thread& thread, const void* frame);

}  // namespace xsp::guest
