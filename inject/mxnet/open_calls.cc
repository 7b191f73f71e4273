#include "inject/mxnet/open_calls.h"

#include <atomic>

#include "inject/guard/fixed_text.h"
#include "inject/guard/fork_wiped.h"
#include "inject/record/hook_timer.h"
#include "inject/record/process.h"
#include "inject/record/sampling.h"
#include "inject/record/span.h"

namespace xsp::guest {
namespace {

constexpr auto kKindRun = static_cast<uint8_t>(wire::Kind::kRun);
constexpr uint32_t kMostCalls = 250;  // an MxnetCall has a byte

struct OpenCall {
  std::atomic<bool> is_used;
  std::atomic<bool> has_failed;
  std::atomic<uint32_t> holders;  // its caller, and the work that is not done
  std::atomic<uint32_t> scope;
  std::atomic<uint32_t> input;
  std::atomic<uint64_t> last_end;
  uint64_t begin;
  uint32_t name;
  uint32_t type;
  AsyncModelCall model_call;
};

struct OpenCalls {
  OpenCall calls[kMostCalls];
  std::atomic<uint32_t> most_used;  // places beyond were never taken
};
constinit ForkWiped<OpenCalls> open_calls;

OpenCall* find_call(MxnetCall call) {
  OpenCalls* all = open_calls.get();
  if (call == 0 || all == nullptr) return nullptr;
  OpenCall& found = all->calls[call - 1];
  return found.is_used.load(std::memory_order_acquire) ? &found : nullptr;
}

void raise_to(std::atomic<uint64_t>& time, uint64_t end) {
  uint64_t known = time.load(std::memory_order_relaxed);
  while (known < end && !time.compare_exchange_weak(known, end, std::memory_order_relaxed)) {
  }
}

void record(const OpenCall& call) {
  Thread* thread = ending_thread();
  if (thread == nullptr || !is_window_open() || call.model_call.recorded == Recorded::kCounted) return;
  const HookTimer timer(thread);
  shm::Record span{};
  span.begin = call.begin;
  span.end = call.last_end.load(std::memory_order_relaxed);
  span.name = call.name;
  span.type = call.type;
  span.input = call.input.load(std::memory_order_relaxed);
  span.scope = call.scope.load(std::memory_order_relaxed);
  span.level = kLevelModel;
  span.kind = kKindRun;
  span.flags = static_cast<uint8_t>((call.has_failed.load(std::memory_order_relaxed) ? shm::kFlagFailed : 0) |
                                    (call.model_call.recorded == Recorded::kShallow ? shm::kFlagShallow : 0));
  record_span(*thread, span);
}

}  // namespace

bool open_mxnet_call(Thread& thread, const void* frame, const MxnetModel& model) {
  auto& mine = thread.of<MxnetThread>();
  // Stacks grow downwards: what is inside the open call lies below it. One whose hook is gone was left by a jump.
  if (mine.call != 0 && mine.frame <= frame) leave_mxnet_call(thread, true);
  OpenCalls* all = open_calls.make();
  if (mine.call != 0 || all == nullptr) return false;
  for (uint32_t place = 0; place < kMostCalls; ++place) {
    OpenCall& call = all->calls[place];
    if (call.is_used.load(std::memory_order_relaxed) || call.is_used.exchange(true, std::memory_order_acquire)) {
      continue;
    }
    uint32_t most = all->most_used.load(std::memory_order_relaxed);
    while (most <= place && !all->most_used.compare_exchange_weak(most, place + 1)) {
    }
    call.holders.store(1, std::memory_order_relaxed);
    call.has_failed.store(false, std::memory_order_relaxed);
    call.input.store(model.input, std::memory_order_relaxed);
    call.last_end.store(0, std::memory_order_relaxed);
    call.name = model.name;
    call.type = model.type;
    call.model_call = begin_async_model_call();
    const uint32_t scope = intern(FixedText<32>().put("mxnet ").put_number(place + 1).view());
    call.scope.store(scope, std::memory_order_release);
    mine.call = static_cast<MxnetCall>(place + 1);
    mine.frame = frame;
    mine.pushing_frame = nullptr;
    call.begin = now();
    return true;
  }
  return false;
}

void leave_mxnet_call(Thread& thread, bool failed) {
  auto& mine = thread.of<MxnetThread>();
  const MxnetCall left = mine.call;
  mine.call = 0;
  mine.pushing_frame = nullptr;
  if (OpenCall* call = find_call(left); call != nullptr && failed) call->has_failed.store(true);
  release_mxnet_call(left, now());
}

MxnetCall hold_mxnet_call(Thread& thread) {
  const MxnetCall mine = thread.of<MxnetThread>().call;
  OpenCall* call = find_call(mine);
  if (call == nullptr) return 0;
  call->holders.fetch_add(1, std::memory_order_relaxed);
  return mine;
}

void mxnet_operator_ended(MxnetCall call, uint64_t end) {
  if (OpenCall* open = find_call(call)) raise_to(open->last_end, end);
}

void release_mxnet_call(MxnetCall call, uint64_t end) {
  OpenCall* open = find_call(call);
  if (open == nullptr) return;
  raise_to(open->last_end, end);
  if (open->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  record(*open);
  end_async_model_call(open->model_call);
  open->scope.store(0, std::memory_order_relaxed);
  open->is_used.store(false, std::memory_order_release);
}

bool wants_mxnet_input(MxnetCall call) {
  const OpenCall* open = find_call(call);
  return open != nullptr && open->input.load(std::memory_order_relaxed) == 0;
}

void tell_mxnet_input(MxnetCall call, uint32_t shapes) {
  uint32_t unknown = 0;
  if (OpenCall* open = find_call(call)) open->input.compare_exchange_strong(unknown, shapes);
}

uint32_t scope_of_mxnet_call(MxnetCall call) {
  const OpenCall* open = find_call(call);
  return open == nullptr ? 0 : open->scope.load(std::memory_order_acquire);
}

MxnetCall only_mxnet_call() {
  const OpenCalls* all = open_calls.get();
  if (all == nullptr) return 0;
  MxnetCall only = 0;
  const uint32_t most = all->most_used.load(std::memory_order_relaxed);
  for (uint32_t place = 0; place < most; ++place) {
    if (all->calls[place].scope.load(std::memory_order_acquire) == 0) continue;
    if (only != 0) return 0;
    only = static_cast<MxnetCall>(place + 1);
  }
  return only;
}

}  // namespace xsp::guest
