#pragma once

#include <cstdint>

namespace xsp::guest {

struct Thread;

/// Which forward operator had which of autograd's sequence numbers, by thread. Backward nodes are linked by it, on any
/// thread and even after the end of the forward thread. Each thread keeps its latest 131,072 numbers; there are tables
/// for 64 threads, and if there are more, the table that was given out longest ago is taken over. Nothing survives a
/// fork.

/// How another thread names a span. Both 0: none.
struct ForwardSpan {
  uint32_t ring = 0;  // + 1
  uint32_t id = 0;
};

/// Of several operators with the same number the last to begin makes the node. The thread's number in PyTorch must be
/// known (TorchThread).
void keep_forward_span(Thread& thread, int64_t sequence, uint32_t span);

ForwardSpan forward_span(uint64_t torch_thread, int64_t sequence);

}  // namespace xsp::guest
