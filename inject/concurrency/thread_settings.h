#pragma once

#include <cstdint>

#include "inject/concurrency/processor_waits.h"
#include "inject/record/thread.h"

namespace xsp::guest {

/// With how many threads PyTorch computes model calls and their layers, where XSP_CONCURRENCY asks for it. Numbers are
/// set for the calling thread only, outside the spans that they apply to, and are what the program had when the span
/// has ended, however it did. One thread at a time computes with other numbers than the program's; it is the one that
/// calls models, another only after it has made none for a while. In a forked child, in which OpenMP may have lost its
/// threads, numbers are only told.

/// Whether module calls have to tell that they begin and end. False unless XSP_CONCURRENCY asks for something.
extern constinit bool are_threads_told;

/// What is kept of a layer under one root. All zeros: nothing is known.
struct LayerThreads {
  uint32_t curve;  // of the schedule
  uint32_t schedule;
  uint16_t advised;  // 0: nothing is
  bool is_resolved;  // `advised` is right for its type
  bool is_leaf;      // called no other module when it was called last
};

struct RootThreads;

/// What is kept of a thread that calls models.
struct ConcurrencyThread {
  static constexpr ThreadRoom kRoom = ThreadRoom::kConcurrency;

  RootThreads* root;  // what the open call is measured or advised for; null: another number is not set
  ProcessorWaits waits;
  uint32_t call_span;  // the open outermost call, 0: none
  uint32_t call_slot;
  uint32_t layer_span;  // the layer in it that has its own number, 0: none
  uint32_t layer_slot;
  uint32_t own;        // the program's number; 0 before the thread's first call has ended
  uint32_t set;        // what is set now; 0: the program's
  uint32_t whole;      // what the open call has outside such layers; 0: the program's
  int32_t mkl_before;  // what MKL had for this thread before
  uint32_t block;
  uint8_t setting;  // wire::ThreadCountsSetting
  bool sets_layers;
};

/// The process wakes, or a forked child. Process::lock is held.
void begin_thread_settings(Process& process);

/// In a forked child, before fork() returns there.
void restore_threads_of_child();

/// The thread ends.
void drop_thread_settings(Thread& thread);

/// An outermost call has opened the span in `slot`; `instance`: of its root. Sets the call's number and the span's
/// beginning anew.
void begin_call_threads(Thread& thread, uint32_t slot, uint32_t instance);
/// The same of a call inside. `type`: string id of the layer's type.
void begin_layer_threads(Thread& thread, uint32_t slot, LayerThreads& layer, uint32_t type);

/// They end; their spans are still open. `end`: as their spans will have it.
void end_call_threads(Thread& thread, uint32_t slot, uint64_t end, bool failed);
void end_layer_threads(Thread& thread, uint32_t slot, LayerThreads& layer, uint64_t end, bool is_leaf);

/// Whether numbers are changed here. Then torch.get_num_threads() and torch.set_num_threads() go through the next two
/// functions (torch_hooks.py): what the program sees and sets is its own number, also inside a call with another one.
bool are_threads_changed();
/// The program's number on the calling thread, while another one is set; else 0.
uint32_t number_of_program();
/// The program is about to set a number: ours is undone, and no other is set from now on.
void leave_threads_to_program();

/// Spans may have been forgotten: what was set for them is undone.
void restore_unwound_threads(Thread& thread);

/// What sessions of ONNX Runtime are to be made with; 0: as the program has it.
struct SessionThreads {
  uint16_t intra;
  uint16_t inter;
};
SessionThreads session_threads();

}  // namespace xsp::guest
