#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inject/cupti/state/session.h"

namespace xsp::guest {

/// What every part may ask about another profiler in the program (PyTorch's, XLA's, Triton's), to which our session
/// gives way (giving_way.h). False and empty where there is none.

/// It has the subscriber, or is about to ask for it.
bool other_profiler_has_subscriber();

/// It has registered buffers or enabled a kind, and is not done with them.
bool other_profiler_has_buffers();

/// There was one, or is.
bool other_profiler_was_there();

/// File name of the profiler that called last.
std::string_view other_profiler_name();

/// Passes a completed buffer that is not ours, from the libcupti that our session has loaded, to whoever registered
/// there last.
void pass_on_buffer(const Session& session, void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
                    size_t valid_bytes);

}  // namespace xsp::guest
