#include "inject/cupti/records/activity_buffers.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "inject/cupti/records/activity_control.h"
#include "inject/cupti/state/other_profiler.h"
#include "inject/cupti/state/session.h"
#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/guard/pause.h"
#include "inject/record/clock.h"

namespace xsp::guest {
namespace {

constexpr size_t kMaxWords = 4;

/// Buffers of one size. A bit per buffer says that it is free, or that it waits to be read; without either CUPTI has
/// it.
struct BufferClass {
  uint8_t* memory;
  size_t buffer_bytes;
  size_t count;
  std::atomic<uint64_t> free[kMaxWords];
  std::atomic<uint64_t> completed[kMaxWords];
  size_t valid_bytes[kMaxWords * 64];
  uint32_t sessions[kMaxWords * 64];
  bool forced[kMaxWords * 64];

  uint8_t* buffer(size_t index) const { return memory + index * buffer_bytes; }
  bool contains(const uint8_t* address) const {
    return memory != nullptr && address >= memory && address < memory + count * buffer_bytes;
  }
  size_t index_of(const uint8_t* address) const { return static_cast<size_t>(address - memory) / buffer_bytes; }
};

constexpr size_t kNone = SIZE_MAX;

/// Index of the discard buffer that is given to several threads at once when all others are taken. What they write
/// there cannot be read.
constexpr size_t kShared = 0;

/// Clears the lowest bit that is set; its index, or kNone.
size_t take_bit(std::atomic<uint64_t>* words) {
  for (size_t word = 0; word < kMaxWords; ++word) {
    uint64_t bits = words[word].load(std::memory_order_acquire);
    while (bits != 0) {
      if (words[word].compare_exchange_weak(bits, bits & (bits - 1), std::memory_order_acq_rel)) {
        return word * 64 + static_cast<size_t>(std::countr_zero(bits));
      }
    }
  }
  return kNone;
}

void set_bit(std::atomic<uint64_t>* words, size_t index) {
  words[index / 64].fetch_or(uint64_t{1} << (index % 64), std::memory_order_acq_rel);
}

enum Class : size_t { kLarge, kSmall, kDiscard, kClasses };

struct ActivityBuffers {
  std::atomic<uint32_t> ready;
  BufferClass classes[kClasses];
  std::atomic<uint32_t> out;
  std::atomic<uint32_t> given_back;
  std::atomic<uint32_t> stuck_at;  // given_back when nothing came for long, + 1
  bool may_refuse;
};

constinit ForkWiped<ActivityBuffers> pool;

bool reserve(BufferClass& buffers, size_t buffer_bytes, size_t count) {
  // Address space may be limited (ulimit -v): half as many are better than none.
  for (; count > 0; count /= 2) {
    void* memory =
        mmap(nullptr, buffer_bytes * count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) continue;
    buffers.memory = static_cast<uint8_t*>(memory);
    buffers.buffer_bytes = buffer_bytes;
    buffers.count = count;
    for (size_t i = 0; i < count; ++i) set_bit(buffers.free, i);
    return true;
  }
  return false;
}

bool take_from(ActivityBuffers& buffers, Class which, uint8_t** buffer, size_t* bytes) {
  BufferClass& from = buffers.classes[which];
  const size_t index = take_bit(from.free);
  if (index == kNone) return false;
  *buffer = from.buffer(index);
  *bytes = from.buffer_bytes;
  return true;
}

/// Whether only some of the large buffers are free: what one launch of a large graph takes.
bool is_short(const ActivityBuffers& buffers) {
  constexpr size_t kOfOneLaunch = 16;
  const BufferClass& large = buffers.classes[kLarge];
  size_t free = 0;
  for (const std::atomic<uint64_t>& word : large.free) {
    free += static_cast<size_t>(std::popcount(word.load(std::memory_order_relaxed)));
  }
  return free < std::min(kOfOneLaunch, large.count / 4);
}

BufferClass* class_of(ActivityBuffers& buffers, const uint8_t* address) {
  for (BufferClass& candidate : buffers.classes) {
    if (candidate.contains(address)) return &candidate;
  }
  return nullptr;
}

}  // namespace

bool open_activity_buffers(bool may_refuse) {
  ActivityBuffers* buffers = pool.make();
  if (buffers == nullptr) return false;
  if (buffers->ready.load(std::memory_order_acquire) != 0) return true;
  buffers->may_refuse = may_refuse;
  if (!reserve(buffers->classes[kLarge], kLargeBufferBytes, kLargeBuffers) ||
      !reserve(buffers->classes[kSmall], kSmallBufferBytes, kSmallBuffers) ||
      (!may_refuse && !reserve(buffers->classes[kDiscard], kDiscardBufferBytes, kDiscardBuffers))) {
    return false;
  }
  if (!may_refuse) buffers->classes[kDiscard].free[0].fetch_and(~(uint64_t{1} << kShared), std::memory_order_relaxed);
  buffers->ready.store(1, std::memory_order_release);
  return true;
}

void on_buffer_requested(uint8_t** buffer, size_t* bytes, size_t* max_records) {
  *buffer = nullptr;
  *bytes = 0;
  *max_records = 0;
  ActivityBuffers* buffers = pool.get();
  if (buffers == nullptr || buffers->ready.load(std::memory_order_acquire) == 0) return;
  if (!take_from(*buffers, kLarge, buffer, bytes) && !take_from(*buffers, kSmall, buffer, bytes)) {
    if (buffers->may_refuse) return;
    BufferClass& discard = buffers->classes[kDiscard];
    if (!take_from(*buffers, kDiscard, buffer, bytes)) {
      *buffer = discard.buffer(kShared);
      memset(*buffer, 0, discard.buffer_bytes);
      *bytes = discard.buffer_bytes;
      return;
    }
  }
  if (buffers->out.fetch_add(1, std::memory_order_acq_rel) == 0) wake_activity_thread();
}

void on_buffer_completed(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid_bytes) {
  const ErrnoGuard errno_guard;
  ActivityBuffers* buffers = pool.get();
  if (buffers == nullptr || buffer == nullptr) return;
  BufferClass* from = class_of(*buffers, buffer);
  if (from == nullptr) {
    if (const Session* session = device_session()) {
      pass_on_buffer(*session, context, stream, buffer, bytes, valid_bytes);
    }
    return;
  }
  const size_t index = from->index_of(buffer);
  if (from == &buffers->classes[kDiscard] && index == kShared) {
    count_lost_activities(wire::LossReason::kActivity, 1);
    return;
  }
  buffers->out.fetch_sub(1, std::memory_order_acq_rel);
  if (valid_bytes == 0) {
    set_bit(from->free, index);
    return;
  }
  from->valid_bytes[index] = valid_bytes < from->buffer_bytes ? valid_bytes : from->buffer_bytes;
  const Session* session = device_session();
  from->sessions[index] = session == nullptr ? 0 : session->kernel_sessions.load(std::memory_order_relaxed);
  from->forced[index] = session != nullptr && session->is_forcing.load(std::memory_order_relaxed);
  set_bit(from->completed, index);
  wake_activity_thread();
}

bool is_own_buffer(const uint8_t* buffer) {
  ActivityBuffers* buffers = pool.get();
  return buffers != nullptr && class_of(*buffers, buffer) != nullptr;
}

bool buffers_are_out() {
  const ActivityBuffers* buffers = pool.get();
  return buffers != nullptr && buffers->out.load(std::memory_order_acquire) != 0;
}

bool take_completed_buffer(CompletedBuffer* buffer) {
  ActivityBuffers* buffers = pool.get();
  if (buffers == nullptr) return false;
  for (size_t which = 0; which < kClasses; ++which) {
    BufferClass& from = buffers->classes[which];
    const size_t index = take_bit(from.completed);
    if (index == kNone) continue;
    *buffer = {from.buffer(index), from.valid_bytes[index], from.sessions[index], from.forced[index],
               which == kDiscard};
    return true;
  }
  return false;
}

void give_back_buffer(const CompletedBuffer& buffer) {
  ActivityBuffers* buffers = pool.get();
  if (buffers == nullptr) return;
  BufferClass* from = class_of(*buffers, buffer.bytes);
  if (from == nullptr) return;
  memset(buffer.bytes, 0, buffer.valid_bytes);
  set_bit(from->free, from->index_of(buffer.bytes));
  buffers->given_back.fetch_add(1, std::memory_order_relaxed);
}

void wait_for_buffers() {
  constexpr uint64_t kLongestStandstillNs = 2'000'000'000;
  ActivityBuffers* buffers = pool.get();
  if (buffers == nullptr || __builtin_expect(!is_short(*buffers), 1)) return;
  const CancelGuard cancel_guard;
  uint32_t given_back = buffers->given_back.load(std::memory_order_relaxed);
  uint64_t since = nanoseconds(CLOCK_MONOTONIC);
  while (is_short(*buffers) && buffers->stuck_at.load(std::memory_order_relaxed) != given_back + 1) {
    wake_activity_thread();
    pause_for(500'000);
    const uint32_t now_back = buffers->given_back.load(std::memory_order_relaxed);
    const uint64_t time = nanoseconds(CLOCK_MONOTONIC);
    if (now_back != given_back) {
      given_back = now_back;
      since = time;
    } else if (time - since > kLongestStandstillNs) {
      // What runs on the device may be waiting for this very thread: stop waiting until a buffer has come back.
      buffers->stuck_at.store(given_back + 1, std::memory_order_relaxed);
    }
  }
}

}  // namespace xsp::guest
