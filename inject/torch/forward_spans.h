#pragma once

#include <cstdint>

namespace xsp::guest {

struct Thread;

/// Which forward operator had which sequence number of autograd, by thread: what a backward node is linked by, on any
/// thread and after the forward thread's end. Each thread keeps its latest 131,072 numbers; there are tables for 64
/// threads, and with more the one that was given out longest ago changes hands. Nothing survives a fork.

/// A span as another thread can name it. 0 0: none.
struct ForwardSpan {
  uint32_t ring = 0;  // + 1
  uint32_t id = 0;
};

/// Of several operators with one number the last to begin makes the node. The thread's number in PyTorch is known
/// (TorchThread).
void keep_forward_span(Thread& thread, int64_t sequence, uint32_t span);

ForwardSpan forward_span(uint64_t torch_thread, int64_t sequence);

}  // namespace xsp::guest
