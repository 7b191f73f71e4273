#include "inject/torch/allocations.h"

#include <string.h>
#include <sys/mman.h>

#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/objects/loaded_library.h"
#include "inject/torch/live_blocks.h"
#include "inject/torch/operators.h"

namespace xsp::guest {

constinit std::atomic<bool> allocations_heard{false};

namespace {

enum class Counting : uint8_t { kUndecided, kOn, kOff };
constinit std::atomic<Counting> counting{Counting::kUndecided};

/// 8 MiB of address space; only pages that blocks fall into are used.
constexpr size_t kMaxLiveBlocks = size_t{1} << 19;
constinit LiveBlocks live_blocks;

constexpr size_t kMaxDevices = 32;

/// Plain memory: after a fork both processes have the blocks.
struct Totals {
  alignas(64) std::atomic<int64_t> cpu;
  std::atomic<bool> cpu_incomplete;  // more blocks than the table takes
  alignas(64) std::atomic<int64_t> device;
  std::atomic<bool> device_heard;
  std::atomic<uint64_t> reserved[kMaxDevices];
};
constinit Totals live{};

/// The model calls that are open in this process; a forked child finds none.
struct WatchedCalls {
  std::atomic<uint32_t> taken;
  std::atomic<uint32_t> watched;
  struct Peak {
    alignas(64) std::atomic<int64_t> cpu;
    std::atomic<int64_t> device;
  };
  Peak peak[kMaxWatchedCalls];
};
constinit ForkWiped<WatchedCalls> watched_calls;

void raise(std::atomic<int64_t>& peak, int64_t to) {
  int64_t known = peak.load(std::memory_order_relaxed);
  while (known < to && !peak.compare_exchange_weak(known, to, std::memory_order_relaxed)) {
  }
}

void raise_peaks(std::atomic<int64_t> WatchedCalls::Peak::*of, int64_t to) {
  WatchedCalls* calls = watched_calls.get();
  if (calls == nullptr) return;
  for (uint32_t left = calls->watched.load(std::memory_order_acquire); left != 0; left &= left - 1) {
    raise(calls->peak[__builtin_ctz(left)].*of, to);
  }
}

void count_for_thread(uint64_t bytes) {
  Thread* thread = this_thread;
  if (thread != nullptr) thread->of<TorchThread>().allocated_bytes += bytes;
}

/// What another thread allocates meanwhile is not counted; when it frees that, it is not in the table.
bool decide() {
  Counting undecided = Counting::kUndecided;
  // Off until the table is there: what is done below may itself allocate through PyTorch.
  if (!counting.compare_exchange_strong(undecided, Counting::kOff)) return undecided == Counting::kOn;
  const ErrnoGuard errno_guard;
  if (!wanted(read_settings())) return false;
  void* pages = mmap(nullptr, kMaxLiveBlocks * sizeof(LiveBlocks::Entry), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return false;
  live_blocks = LiveBlocks(static_cast<LiveBlocks::Entry*>(pages), kMaxLiveBlocks);
  counting.store(Counting::kOn, std::memory_order_release);
  // In a host without Python this is the first sign of PyTorch. If only its allocators (libc10) are loaded, there are
  // no operators.
  if (is_library_loaded("libtorch_cpu.so")) watch_operators();
  return true;
}

/// Which fields the values of a model span have; each combination is a layout.
enum Fields : uint32_t { kCpuFields = 1, kDeviceFields = 2, kReservedField = 4, kFieldSets = 8 };

uint32_t layout_of(uint32_t fields) {
  static constinit std::atomic<uint32_t> known[kFieldSets]{};
  uint32_t id = known[fields].load(std::memory_order_relaxed);
  if (id != 0) return id;
  char text[128] = "";
  if ((fields & kCpuFields) != 0) strcat(text, " cpu_live:u8 cpu_peak:u8");
  if ((fields & kDeviceFields) != 0) strcat(text, " device_live:u8 device_peak:u8");
  if ((fields & kReservedField) != 0) strcat(text, " device_reserved:u8");
  id = intern(text + 1);
  known[fields].store(id, std::memory_order_relaxed);
  return id;
}

struct Values {
  uint64_t value[shm::kArgumentBytes / sizeof(uint64_t)];
  size_t count = 0;

  void add(int64_t number) { value[count++] = number < 0 ? 0 : static_cast<uint64_t>(number); }
};

uint32_t collect(const WatchedCalls::Peak& peak, Values* values) {
  uint32_t fields = 0;
  if (!live.cpu_incomplete.load(std::memory_order_relaxed)) {
    fields |= kCpuFields;
    values->add(live.cpu.load(std::memory_order_relaxed));
    values->add(peak.cpu.load(std::memory_order_relaxed));
  }
  if (!live.device_heard.load(std::memory_order_acquire)) return fields;
  fields |= kDeviceFields;
  values->add(live.device.load(std::memory_order_relaxed));
  values->add(peak.device.load(std::memory_order_relaxed));
  uint64_t reserved = 0;
  for (const std::atomic<uint64_t>& of_device : live.reserved) {
    const uint64_t bytes = of_device.load(std::memory_order_relaxed);
    // The allocator of an old PyTorch does not say: a sum without it would be wrong.
    if (bytes == kUnknownReserved) return fields;
    reserved += bytes;
  }
  values->add(static_cast<int64_t>(reserved));
  return fields | kReservedField;
}

void publish(Thread& thread, uint32_t span, uint32_t layout, const Values& values) {
  if (!has_room(thread) && !find_room(thread, 1)) return;  // the span's own record counts the loss
  const Place place = reserve(thread);
  auto* record = reinterpret_cast<shm::ArgumentRecord*>(place.record);
  record->span = span;
  record->layout = layout;
  record->length = static_cast<uint8_t>(values.count * sizeof values.value[0]);
  memcpy(record->values, values.value, record->length);
  record->record_type = static_cast<uint8_t>(shm::RecordType::kArguments);
  record->part = 0;
  record->flags = 0;
  commit(place);
}

}  // namespace

bool counts_allocations() {
  const Counting decided = counting.load(std::memory_order_acquire);
  if (__builtin_expect(decided == Counting::kUndecided, 0)) return decide();
  return decided == Counting::kOn && state.load(std::memory_order_relaxed) != State::kOff;
}

void count_allocation(const void* block, uint64_t bytes) {
  if (block == nullptr) return;
  if (!allocations_heard.load(std::memory_order_relaxed)) allocations_heard.store(true, std::memory_order_relaxed);
  count_for_thread(bytes);
  if (!live_blocks.enter(block, bytes)) {
    live.cpu_incomplete.store(true, std::memory_order_relaxed);
    return;
  }
  const auto change = static_cast<int64_t>(bytes);
  raise_peaks(&WatchedCalls::Peak::cpu, live.cpu.fetch_add(change, std::memory_order_relaxed) + change);
}

void count_free(const void* block) {
  if (block == nullptr) return;
  const uint64_t bytes = live_blocks.take(block);
  if (bytes != 0) live.cpu.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
}

void count_device_change(int64_t bytes, uint64_t reserved, int8_t index) {
  allocations_heard.store(true, std::memory_order_relaxed);
  // Before `device_heard`, which is what collect() looks at first.
  live.reserved[static_cast<uint8_t>(index) % kMaxDevices].store(reserved, std::memory_order_relaxed);
  live.device_heard.store(true, std::memory_order_release);
  const int64_t now_live = live.device.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (bytes <= 0) return;
  count_for_thread(static_cast<uint64_t>(bytes));
  raise_peaks(&WatchedCalls::Peak::device, now_live);
}

void begin_memory_of_call(Thread& thread) {
  drop_memory_of_call(thread);
  WatchedCalls* calls = watched_calls.make();
  if (calls == nullptr || !allocations_heard.load(std::memory_order_relaxed)) return;
  uint32_t taken = calls->taken.load(std::memory_order_relaxed);
  uint32_t bit;
  do {
    bit = ~taken & (taken + 1);
    if (bit >= 1U << kMaxWatchedCalls) return;
  } while (!calls->taken.compare_exchange_weak(taken, taken | bit, std::memory_order_acquire));
  WatchedCalls::Peak& peak = calls->peak[__builtin_ctz(bit)];
  peak.cpu.store(live.cpu.load(std::memory_order_relaxed), std::memory_order_relaxed);
  peak.device.store(live.device.load(std::memory_order_relaxed), std::memory_order_relaxed);
  // Only now do other threads raise the peaks, which begin at what is live already.
  calls->watched.fetch_or(bit, std::memory_order_release);
  thread.of<TorchThread>().watched_call = bit;
}

void drop_memory_of_call(Thread& thread) {
  if (thread.of<TorchThread>().watched_call == 0) return;
  WatchedCalls* calls = watched_calls.get();
  calls->watched.fetch_and(~thread.of<TorchThread>().watched_call, std::memory_order_relaxed);
  // After `watched`: the next call that takes the place must not get peaks that are raised for this one.
  calls->taken.fetch_and(~thread.of<TorchThread>().watched_call, std::memory_order_release);
  thread.of<TorchThread>().watched_call = 0;
}

void end_memory_of_call(Thread& thread, uint32_t slot) {
  if (thread.of<TorchThread>().watched_call == 0) return;
  Values values;
  const uint32_t fields =
      collect(watched_calls.get()->peak[__builtin_ctz(thread.of<TorchThread>().watched_call)], &values);
  drop_memory_of_call(thread);
  const uint32_t layout = fields == 0 ? 0 : layout_of(fields);
  if (layout == 0) return;
  publish(thread, thread.ring->open[slot].id.load(std::memory_order_relaxed), layout, values);
}

}  // namespace xsp::guest
