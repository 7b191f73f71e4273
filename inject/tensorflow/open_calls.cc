#include "inject/tensorflow/open_calls.h"

#include <atomic>

#include "inject/guard/fixed_text.h"
#include "inject/guard/fork_wiped.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr uint32_t kMostCalls = 64;
constexpr int64_t kNoStep = INT64_MIN;

struct OpenCall {
  std::atomic<bool> is_used;
  std::atomic<bool> has_layers;
  std::atomic<uint32_t> scope;
  std::atomic<int64_t> step;  // kNoStep: none has begun
};

struct OpenCalls {
  OpenCall calls[kMostCalls];
  std::atomic<uint32_t> most_used;  // places beyond were never taken
};
constinit ForkWiped<OpenCalls> open_calls;

}  // namespace

uint32_t open_tensorflow_call(Thread& thread, const void* frame) {
  uint32_t& mine = thread.of<TensorflowThread>().call;
  const void*& open_frame = thread.of<TensorflowThread>().frame;
  // Stacks grow downwards: what is inside the open call lies below it.
  if (mine != 0 && open_frame <= frame) close_tensorflow_call(thread);
  OpenCalls* all = open_calls.make();
  if (mine != 0 || all == nullptr) return 0;
  for (uint32_t place = 0; place < kMostCalls; ++place) {
    OpenCall& call = all->calls[place];
    if (call.is_used.exchange(true, std::memory_order_acquire)) continue;
    uint32_t most = all->most_used.load(std::memory_order_relaxed);
    while (most <= place && !all->most_used.compare_exchange_weak(most, place + 1)) {
    }
    call.step.store(kNoStep, std::memory_order_relaxed);
    call.has_layers.store(false, std::memory_order_relaxed);
    const uint32_t scope = intern(FixedText<32>().put("tensorflow ").put_number(place + 1).view());
    call.scope.store(scope, std::memory_order_release);
    mine = place + 1;
    open_frame = frame;
    return scope;
  }
  return 0;
}

void close_tensorflow_call(Thread& thread) {
  uint32_t& mine = thread.of<TensorflowThread>().call;
  OpenCalls* all = open_calls.get();
  if (mine == 0 || all == nullptr) return;
  OpenCall& call = all->calls[mine - 1];
  call.scope.store(0, std::memory_order_relaxed);
  call.step.store(kNoStep, std::memory_order_relaxed);
  call.is_used.store(false, std::memory_order_release);
  mine = 0;
}

void tell_of_layers(Thread& thread) {
  const uint32_t mine = thread.of<TensorflowThread>().call;
  OpenCalls* all = open_calls.get();
  if (mine != 0 && all != nullptr) all->calls[mine - 1].has_layers.store(true, std::memory_order_relaxed);
}

bool has_layers(uint32_t scope) {
  const OpenCalls* all = open_calls.get();
  const uint32_t most = all == nullptr ? 0 : all->most_used.load(std::memory_order_relaxed);
  for (uint32_t place = 0; place < most; ++place) {
    const OpenCall& call = all->calls[place];
    if (call.scope.load(std::memory_order_relaxed) == scope) return call.has_layers.load(std::memory_order_relaxed);
  }
  return false;
}

void begin_step(Thread& thread, int64_t step) {
  const uint32_t mine = thread.of<TensorflowThread>().call;
  OpenCalls* all = open_calls.get();
  if (mine != 0 && all != nullptr) all->calls[mine - 1].step.store(step, std::memory_order_release);
}

uint32_t scope_of_step(int64_t step) {
  const OpenCalls* all = open_calls.get();
  if (all == nullptr) return 0;
  const uint32_t most = all->most_used.load(std::memory_order_relaxed);
  for (uint32_t place = 0; place < most; ++place) {
    const OpenCall& call = all->calls[place];
    if (call.step.load(std::memory_order_acquire) == step) return call.scope.load(std::memory_order_relaxed);
  }
  return 0;
}

uint32_t scope_of_only_call() {
  const OpenCalls* all = open_calls.get();
  if (all == nullptr) return 0;
  uint32_t only = 0;
  const uint32_t most = all->most_used.load(std::memory_order_relaxed);
  for (uint32_t place = 0; place < most; ++place) {
    const uint32_t scope = all->calls[place].scope.load(std::memory_order_acquire);
    if (scope == 0) continue;
    if (only != 0) return 0;
    only = scope;
  }
  return only;
}

}  // namespace xsp::guest
