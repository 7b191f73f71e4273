#include "inject/mxnet/model_calls.h"

#include "inject/guard/errno_guard.h"
#include "inject/mxnet/engine_hooks.h"
#include "inject/mxnet/mxnet_library.h"
#include "inject/mxnet/open_calls.h"
#include "inject/record/hook_timer.h"
#include "inject/record/process.h"
#include "inject/record/sampling.h"

namespace xsp::guest {
namespace {

/// Whether a call that begins now is one whose gradients will be asked for.
bool is_recorded_by_autograd() {
  const MxnetLibrary* library = mxnet_library();
  bool is_recording = false;
  return library != nullptr && library->is_recording(&is_recording) == 0 && is_recording;
}

template <typename NameOf>
bool begin_call(NameOf&& name_of, bool trains, uint32_t input, const void* frame) {
  const ErrnoGuard errno_guard;
  Thread* thread = is_sampling.load(std::memory_order_relaxed) ? model_call_thread() : recording_thread();
  if (thread == nullptr) return false;
  const HookTimer timer(thread);
  watch_mxnet();
  const char* type = trains || is_recorded_by_autograd() ? "MXNet training" : "MXNet";
  return open_mxnet_call(*thread, frame, {.name = name_of(), .type = intern(type), .input = input});
}

void end_call(bool failed) {
  const ErrnoGuard errno_guard;
  Thread* thread = known_thread();
  if (thread == nullptr) return;
  const HookTimer timer(thread);
  leave_mxnet_call(*thread, failed);
}

}  // namespace

MxnetGraphCall::MxnetGraphCall(const char* name, bool trains) {
  is_open_ = begin_call([&] { return intern(name); }, trains, 0, __builtin_frame_address(0));
}

void MxnetGraphCall::end(bool failed) {
  if (is_open_) end_call(failed);
}

bool begin_block_call(uint32_t name, uint32_t input, const void* frame) {
  return begin_call([&] { return name; }, false, input, frame);
}

void end_block_call(bool failed) { end_call(failed); }

}  // namespace xsp::guest
