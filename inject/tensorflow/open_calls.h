#pragma once

#include <cstdint>

#include "inject/record/shapes.h"
#include "inject/record/thread.h"

namespace xsp::guest {

/// Calls of TensorFlow's models that are open now, by step. TensorFlow numbers each call of a function or session (the
/// step), and its kernels, which run on threads of a pool, carry the number. A call has a scope, a text that its model
/// span and its kernels share, and by which they are joined. Of calls that are open at the same time no two have the
/// same scope.

/// What a thread keeps.
struct TensorflowThread {
  static constexpr ThreadRoom kRoom = ThreadRoom::kTensorflow;
  uint32_t call;             // the place of its open call in the table + 1; 0: none
  uint32_t operation_call;   // of XLA's operation that ended last on the thread (xla_calls.h)
  const void* frame;         // the stack address of the open call's hook
  const void* context;       // of the kernel that runs on the thread (allocated_bytes.h)
  uint64_t allocated;        // bytes so far
  void* status;              // its OwnStatus (tensorflow_library.h)
  uint64_t following_begin;  // of those that waited for an operation, if they were told last; else 0
  uint64_t operation_begin;  // of XLA's operation that ended last on the thread
};

/// Takes a place for a call that begins on the thread, in a hook with this stack address. Returns its scope (a string
/// id), or 0 if there is no place left or the thread has an open call already: then this one has no kernels of its own.
/// An open call whose hook is gone from the stack (by an exception or a jump) is forgotten.
uint32_t open_tensorflow_call(Thread& thread, const void* frame);
/// The thread's open call has layers that are recorded: its kernels on other threads are no layers of their own.
void tell_of_layers(Thread& thread);
bool has_layers(uint32_t scope);

/// The thread's open call ends.
void close_tensorflow_call(Thread& thread);
/// The thread ends, maybe inside a call.
void leave_tensorflow(Thread& thread);

/// The thread's open call runs as this step. Returns the one before; kNoTensorflowStep: none.
inline constexpr int64_t kNoTensorflowStep = INT64_MIN;
int64_t begin_step(Thread& thread, int64_t step);

/// The inputs of the thread's open call are not known where it begins: its kernels of type _Arg tell them.
void ask_for_inputs(Thread& thread);
bool wants_inputs(uint32_t scope);
/// Shape of the call's input of this number; those beyond the first eight are left out.
void tell_input(uint32_t scope, uint32_t number, const Shapes& input);
/// String id of the shapes that the thread's open call was told; 0 for none.
uint32_t told_inputs(Thread& thread);

/// Scope of the open call that runs as this step; 0 if there is none.
uint32_t scope_of_step(int64_t step);

/// Scope of the thread's open call if it runs as no step: a function that XLA compiled runs as one kernel, which has a
/// step of its own. Else 0.
uint32_t scope_without_step(Thread& thread);

/// Scope of the only open call; 0 if there are several or none. For kernels whose step cannot be read.
uint32_t scope_of_only_call();

}  // namespace xsp::guest
