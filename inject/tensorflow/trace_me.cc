#include "inject/tensorflow/trace_me.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#include <atomic>

#include "inject/guard/errno_guard.h"
#include "inject/guard/safe_copy.h"
#include "inject/objects/elf_object.h"
#include "inject/objects/loaded_library.h"
#include "inject/objects/writable_slots.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

/// TraceMeRecorder::Event.
struct Event {
  const char* text;  // a std::string of libstdc++
  size_t size;
  char local[16];
  int64_t begin;
  int64_t end;
};

constexpr const char* kRecord = "_ZN3tsl8profiler15TraceMeRecorder6RecordEONS1_5EventE";
/// (int level) in 2.18, and in 2.21 also (int level, uint64_t mask).
constexpr const char* kStarts[] = {"_ZN3tsl8profiler15TraceMeRecorder5StartEi",
                                   "_ZN3tsl8profiler15TraceMeRecorder5StartEim"};
constexpr const char* kStop = "_ZN3tsl8profiler15TraceMeRecorder4StopEv";  // returns the events, in memory
constexpr const char* kLevel = "_ZN3tsl8profiler8internal13g_trace_levelE";
using Record = void (*)(Event* event);
using Start = bool (*)(int level, uint64_t mask);
using Stop = void* (*)(void* events);

constexpr int kDisabled = -1;
constexpr int kOperations = 1;  // XLA's operations are of the first level
constexpr int kMostTries = 1000;
constexpr size_t kLongestText = 1 << 16;
constexpr int64_t kLongestNs = 3'600'000'000'000;
constexpr uint32_t kEventConfirmations = 8;

constinit std::atomic<Record> real_record{nullptr};
constinit std::atomic<Start> real_starts[2]{};
constinit std::atomic<Stop> real_stop{nullptr};
constinit std::atomic<std::atomic<int>*> trace_level{nullptr};
constinit std::atomic<TraceMeListener> listener{nullptr};
constinit std::atomic<bool> is_ours{false};          // the level was set by the guest
constinit std::atomic<bool> is_the_programs{false};  // its profiler runs, or is being started
constinit std::atomic<uint32_t> confirmed{0};

/// Whether the members are what they are taken for.
bool is_event(const Event* event) {
  const ErrnoGuard errno_guard;
  Event copy;
  char last = 1;
  if (!copy_safely(event, &copy, sizeof copy) || copy.size > kLongestText) return false;
  if (!copy_safely(copy.text + copy.size, &last, 1) || last != 0) return false;
  const int64_t time = trace_me_now();
  // The begin or end of an activity has a number, below 0, in place of the other time.
  const auto is_now = [&](int64_t of) { return of <= 0 || (of <= time && of > time - kLongestNs); };
  return is_now(copy.begin) && is_now(copy.end) && (copy.begin > 0 || copy.end > 0);
}

__attribute__((noinline, cold)) void turn_off() {
  if (listener.exchange(nullptr) == nullptr) return;
  switch_trace_me_off();
  notify(0, "tensorflow", "this TensorFlow tells its profiler in another way: functions compiled by XLA are one layer");
}

void pass_on(Event* event) {
  const TraceMeListener hears = listener.load(std::memory_order_acquire);
  if (hears == nullptr) return;
  if (__builtin_expect(confirmed.load(std::memory_order_relaxed) < kEventConfirmations, 0)) {
    if (!is_event(event)) return turn_off();
    confirmed.fetch_add(1, std::memory_order_relaxed);
  }
  if (event->begin > 0 && event->end >= event->begin) hears({event->text, event->size}, event->begin, event->end);
}

/// What nobody but the guest asked for is not kept: nobody would take it.
void record_event(Event* event) {
  const bool is_wanted = is_the_programs.load(std::memory_order_acquire);
  pass_on(event);
  if (is_wanted) real_record.load(std::memory_order_relaxed)(event);
}

template <size_t index>
bool start_recorder(int level, uint64_t mask) {
  const Start real = real_starts[index].load(std::memory_order_relaxed);
  const std::atomic<int>& recorded = *trace_level.load(std::memory_order_relaxed);
  is_the_programs.store(true);
  for (int tries = 0; tries < kMostTries; ++tries) {
    switch_trace_me_off();
    if (real(level, mask)) return true;
    // A call may have set the level just now, else another profiler of the program runs.
    if (recorded.load() > kOperations) break;
    sched_yield();
  }
  is_the_programs.store(recorded.load() != kDisabled);
  return false;
}

void* stop_recorder(void* events) {
  void* const result = real_stop.load(std::memory_order_relaxed)(events);
  is_the_programs.store(false);
  return result;
}

void* in_framework(const char* symbol) { return symbol_in_loaded_library("libtensorflow_framework.so", symbol); }

template <typename Function>
void replace(const ElfObject& object, const SymbolSlot& slot, std::atomic<Function>* real, Function hook) {
  void* const function = in_framework(slot.name);
  if (function == nullptr) return;
  const auto known = real->load(std::memory_order_relaxed);
  if (known != nullptr && known != reinterpret_cast<Function>(function)) return;
  const WritableSlots writable(object, slot.place, sizeof *slot.place);
  if (!writable) return;
  real->store(reinterpret_cast<Function>(function), std::memory_order_relaxed);
  __atomic_store_n(slot.place, reinterpret_cast<uintptr_t>(hook), __ATOMIC_RELEASE);
}

bool hook_recorder() {
  auto* const level = static_cast<std::atomic<int>*>(in_framework(kLevel));
  const bool has_start = in_framework(kStarts[0]) != nullptr || in_framework(kStarts[1]) != nullptr;
  // Versions up to 2.16 have other functions, and nothing to tell of XLA.
  if (level == nullptr || !has_start || in_framework(kRecord) == nullptr || in_framework(kStop) == nullptr)
    return false;
  trace_level.store(level, std::memory_order_relaxed);
  each_object([&](const ElfObject& object) {
    each_slot(object, [&](const SymbolSlot& slot) {
      if (strcmp(slot.name, kRecord) == 0) replace(object, slot, &real_record, record_event);
      if (strcmp(slot.name, kStarts[0]) == 0) replace(object, slot, &real_starts[0], start_recorder<0>);
      if (strcmp(slot.name, kStarts[1]) == 0) replace(object, slot, &real_starts[1], start_recorder<1>);
      if (strcmp(slot.name, kStop) == 0) replace(object, slot, &real_stop, stop_recorder);
    });
    return false;
  });
  return true;
}

}  // namespace

int64_t trace_me_now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

bool listen_to_trace_me(TraceMeListener to) {
  const ErrnoGuard errno_guard;
  // A profiler that runs already was started without the hook.
  if (!hook_recorder()) return false;
  is_the_programs.store(trace_level.load(std::memory_order_relaxed)->load() != kDisabled);
  listener.store(to, std::memory_order_release);
  return true;
}

void switch_trace_me_on() {
  if (listener.load(std::memory_order_acquire) == nullptr || is_the_programs.load()) return;
  std::atomic<int>& level = *trace_level.load(std::memory_order_relaxed);
  int expected = kDisabled;
  if (!level.compare_exchange_strong(expected, kOperations)) return;
  is_ours.store(true);
  if (is_the_programs.load()) switch_trace_me_off();
}

void switch_trace_me_off() {
  if (!is_ours.exchange(false)) return;
  int expected = kOperations;
  trace_level.load(std::memory_order_relaxed)->compare_exchange_strong(expected, kDisabled);
}

}  // namespace xsp::guest
