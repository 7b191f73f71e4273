#include "inject/tensorflow/open_calls.h"

#include <string.h>

#include <atomic>

#include "inject/guard/fixed_text.h"
#include "inject/guard/fork_wiped.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr uint32_t kMostCalls = 64;

/// An input of a call. Its kernel writes it, once; the bit in `told` says when.
struct Input {
  int rank;
  int64_t sizes[Shapes::kMaxRank];
};

struct OpenCall {
  std::atomic<bool> is_used;
  std::atomic<bool> has_layers;
  std::atomic<uint32_t> scope;
  std::atomic<int64_t> step;  // kNoTensorflowStep: none has begun
  std::atomic<bool> wants_inputs;
  std::atomic<uint32_t> taken;  // inputs that a kernel writes or has written, a bit each
  std::atomic<uint32_t> told;
  Input inputs[Shapes::kMaxTensors];
};

struct OpenCalls {
  OpenCall calls[kMostCalls];
  std::atomic<uint32_t> most_used;  // places beyond were never taken
};
constinit ForkWiped<OpenCalls> open_calls;

OpenCall* call_of(const Thread& thread) {
  const uint32_t mine = thread.of<TensorflowThread>().call;
  OpenCalls* all = open_calls.get();
  return mine == 0 || all == nullptr ? nullptr : &all->calls[mine - 1];
}

OpenCall* call_with(uint32_t scope) {
  OpenCalls* all = open_calls.get();
  const uint32_t most = all == nullptr ? 0 : all->most_used.load(std::memory_order_relaxed);
  for (uint32_t place = 0; place < most; ++place) {
    if (all->calls[place].scope.load(std::memory_order_acquire) == scope) return &all->calls[place];
  }
  return nullptr;
}

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
    call.step.store(kNoTensorflowStep, std::memory_order_relaxed);
    call.has_layers.store(false, std::memory_order_relaxed);
    call.wants_inputs.store(false, std::memory_order_relaxed);
    call.taken.store(0, std::memory_order_relaxed);
    call.told.store(0, std::memory_order_relaxed);
    const uint32_t scope = intern(FixedText<32>().put("tensorflow ").put_number(place + 1).view());
    call.scope.store(scope, std::memory_order_release);
    mine = place + 1;
    open_frame = frame;
    return scope;
  }
  return 0;
}

void close_tensorflow_call(Thread& thread) {
  OpenCall* call = call_of(thread);
  if (call == nullptr) return;
  call->scope.store(0, std::memory_order_relaxed);
  call->step.store(kNoTensorflowStep, std::memory_order_relaxed);
  call->is_used.store(false, std::memory_order_release);
  thread.of<TensorflowThread>().call = 0;
}

void tell_of_layers(Thread& thread) {
  if (OpenCall* call = call_of(thread)) call->has_layers.store(true, std::memory_order_relaxed);
}

bool has_layers(uint32_t scope) {
  const OpenCall* call = call_with(scope);
  return call != nullptr && call->has_layers.load(std::memory_order_relaxed);
}

void ask_for_inputs(Thread& thread) {
  if (OpenCall* call = call_of(thread)) call->wants_inputs.store(true, std::memory_order_relaxed);
}

bool wants_inputs(uint32_t scope) {
  const OpenCall* call = call_with(scope);
  return call != nullptr && call->wants_inputs.load(std::memory_order_relaxed);
}

void tell_input(uint32_t scope, uint32_t number, const Shapes& input) {
  OpenCall* call = call_with(scope);
  if (call == nullptr || number >= Shapes::kMaxTensors || input.tensors != 1) return;
  const uint32_t bit = 1U << number;
  if ((call->taken.fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return;
  Input& told = call->inputs[number];
  told.rank = static_cast<int>(input.sizes[0]);
  memcpy(told.sizes, input.sizes + 1, sizeof(int64_t) * static_cast<size_t>(told.rank));
  call->told.fetch_or(bit, std::memory_order_release);
}

uint32_t told_inputs(Thread& thread) {
  const OpenCall* call = call_of(thread);
  const uint32_t told = call == nullptr ? 0 : call->told.load(std::memory_order_acquire);
  Shapes shapes;
  for (uint32_t number = 0; number < Shapes::kMaxTensors; ++number) {
    if ((told & 1U << number) == 0) continue;
    const Input& input = call->inputs[number];
    shapes.sizes[shapes.used++] = input.rank;
    for (int i = 0; i < input.rank; ++i) shapes.sizes[shapes.used++] = input.sizes[i];
    ++shapes.tensors;
  }
  return intern_shapes(shapes);
}

int64_t begin_step(Thread& thread, int64_t step) {
  OpenCall* call = call_of(thread);
  return call == nullptr ? kNoTensorflowStep : call->step.exchange(step, std::memory_order_acq_rel);
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

uint32_t scope_without_step(Thread& thread) {
  const OpenCall* call = call_of(thread);
  if (call == nullptr || call->step.load(std::memory_order_relaxed) != kNoTensorflowStep) return 0;
  return call->scope.load(std::memory_order_relaxed);
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
