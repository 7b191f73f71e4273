#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inject/cupti/session.h"

namespace xsp::guest {

/// Another profiler in the program (PyTorch's, XLA's, Triton's): what it does with CUPTI passes through wrappers of
/// CUPTI's functions (inject/library/description/cupti.txt), and our session gives way:
///
/// - before it subscribes, our subscriber leaves, and calls come as records;
/// - before it chooses buffers per thread, sets the clock, registers buffers or enables a kind, our records are flushed
///   and our kinds disabled;
/// - when it has disabled all kinds and flushed, or has unsubscribed or finalized CUPTI, and calls nothing more for a
///   moment, our own thread goes on.
///
/// Buffers find back to who gave them, whose callback ever CUPTI calls. Libraries loaded from several files of CUPTI
/// are told apart by the file.

/// It has the subscriber, or is about to ask for it.
bool other_profiler_has_subscriber();

/// It has registered buffers or enabled a kind, and is not done with them.
bool other_profiler_has_buffers();

/// There was one, or is.
bool other_profiler_was_there();

/// File name of whose call came last.
std::string_view other_profiler_name();

/// Takes back what it has let go of since the last time. On our own thread only, which its calls wake. Returns in how
/// many nanoseconds to come again, at the latest; UINT64_MAX: when woken.
uint64_t settle_with_other_profiler(const Session& session);

/// A completed buffer that is not ours, of the libcupti that our session has loaded: goes to who registered there last.
void pass_on_buffer(const Session& session, void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
                    size_t valid_bytes);

}  // namespace xsp::guest
