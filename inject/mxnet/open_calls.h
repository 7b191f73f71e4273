#pragma once

#include <cstdint>

#include "inject/record/thread.h"

namespace xsp::guest {

/// Calls of MXNet's models that are open. Each returns as soon as its operators are pushed to the engine, whose threads
/// run them: the call ends when it has returned and all the work that was pushed in it is done. So its span is recorded
/// by the thread that ends it. It has a scope, a text that it shares with its operators, and by which they are joined;
/// of calls that are open at the same time no two have the same one.

/// A call's place in the table + 1; 0: none.
using MxnetCall = uint8_t;

/// What a thread keeps.
struct MxnetThread {
  static constexpr ThreadRoom kRoom = ThreadRoom::kMxnet;
  const void* frame;          // the stack address of the hook whose call is open on the thread
  const void* pushing_frame;  // that of the innermost hook of the engine which runs; null: none
  uint32_t block;             // string id of the innermost block of Gluon that is called
  /// Of the operator that is pushed; type 0: none.
  uint32_t name;
  uint32_t type;
  uint32_t shape;
  uint64_t bytes;
  MxnetCall call;     // the one open on the thread
  MxnetCall running;  // the one whose work the thread runs, for a thread of the engine
};

/// String ids; 0: not known.
struct MxnetModel {
  uint32_t name;
  uint32_t type;
  uint32_t input;
};

/// Opens a call on the thread, in a hook with this stack address. False if it gets no span: inside another call, with
/// too many open, where nothing is recorded.
bool open_mxnet_call(Thread& thread, const void* frame, const MxnetModel& model);

/// The thread's call returns.
void leave_mxnet_call(Thread& thread, bool failed);

/// Work is pushed in the thread's open call, if it has one, which does not end before release_mxnet_call().
MxnetCall hold_mxnet_call(Thread& thread);

/// The work is done, at this time.
void release_mxnet_call(MxnetCall call, uint64_t end);

/// An operator of the call was done at this time; `input` are the shapes that it was given.
void mxnet_operator_ended(MxnetCall call, uint64_t end);

/// Sets the call's input, if it is not known.
void tell_mxnet_input(MxnetCall call, uint32_t shapes);
bool wants_mxnet_input(MxnetCall call);

/// 0 for no call.
uint32_t scope_of_mxnet_call(MxnetCall call);

/// The only open call; 0 if there are several or none. For work of which it is not known who pushed it.
MxnetCall only_mxnet_call();

}  // namespace xsp::guest
