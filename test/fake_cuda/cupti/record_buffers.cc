#include "record_buffers.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "callbacks.h"
#include "conditions.h"
#include "records.h"

namespace fake {
namespace {

constexpr uint64_t kEverybody = 0, kLibrary = 1;  // owners that are no thread
constexpr size_t kLateBytes = 64 << 10;           // of a buffer that is requested when it is handed over

struct Slot {
  std::vector<uint8_t> bytes;
  uint32_t context = 0;
  bool finished = false, absent = false;
};

struct Buffer {
  uint64_t owner = 0;
  uint8_t* memory = nullptr;  // null: not requested yet
  size_t size = 0, used = 0;
  std::vector<Slot> slots;
  size_t unfinished = 0;
  bool full = false;
};

struct Buffers {
  std::mutex lock;
  std::condition_variable wake;
  std::mutex requests;                   // of the buffer that everybody shares: one at a time
  std::mutex delivery;                   // one at a time
  std::map<uint64_t, Buffer> buffers;    // by number
  std::map<uint64_t, uint64_t> current;  // owner: number
  uint64_t made = 0;
  uint64_t dropped = 0;
  BufferRequested* requested = nullptr;
  BufferCompleted* completed = nullptr;
  uint32_t period_ms = 0;
  bool worker = false;
};

Buffers& state() {
  static Buffers* const instance = new Buffers;
  return *instance;
}

std::atomic<bool> per_thread{false}, zeroed{false};
thread_local bool in_delivery = false;

[[noreturn]] void give_up(const char* why) {
  fprintf(stderr, "stand-in libcupti: %s\n", why);
  abort();
}

std::mt19937& dice() {
  static auto* const instance = new std::mt19937(20);
  return *instance;
}

uint64_t owner_here(bool of_library) {
  if (of_library) return kLibrary;
  return per_thread ? static_cast<uint64_t>(syscall(SYS_gettid)) : kEverybody;
}

/// A buffer of the client's, or null when it gives none.
uint8_t* request(size_t* size) {
  uint8_t* buffer = nullptr;
  size_t max_records = 0;
  *size = 0;
  state().requested(&buffer, size, &max_records);
  if (buffer == nullptr || *size == 0) {
    if (misbehaves("no_null") || !refused_buffer_is_told()) give_up("a buffer that is none, before 12.9");
    tell_state(kStateWarning, 12, "the client gave no buffer");
    return nullptr;
  }
  // CUPTI wants them aligned, and writes no farther than it was told.
  if (reinterpret_cast<uintptr_t>(buffer) % 8 != 0) give_up("a buffer that is not aligned");
  if (!zeroed) {
    memset(buffer, 0, *size);
  } else if (std::any_of(buffer, buffer + *size, [](uint8_t byte) { return byte != 0; })) {
    give_up("a buffer that was to be zero and is not");
  }
  uint64_t small = 0;
  if (misbehaves("small", &small)) *size = std::min(*size, static_cast<size_t>(small));
  return buffer;
}

bool is_ready(const Buffer& buffer, HandOver which) {
  if (buffer.slots.empty()) return false;
  if (which == HandOver::kAll) return true;
  return buffer.unfinished == 0 && (which == HandOver::kFinished || buffer.full);
}

/// The lock is held.
bool any_is_ready(HandOver which) {
  const auto& buffers = state().buffers;
  return std::any_of(buffers.begin(), buffers.end(), [&](const auto& entry) { return is_ready(entry.second, which); });
}

/// The lock is held.
void add_slot(Buffer& buffer, const void* record, size_t bytes, uint32_t context) {
  const auto* const first = static_cast<const uint8_t*>(record);
  buffer.used += bytes;
  ++buffer.unfinished;
  buffer.slots.push_back({{first, first + bytes}, context, false, false});
}

/// The lock is held. Null: the owner needs another buffer.
Buffer* with_room(uint64_t owner, size_t bytes) {
  Buffers& s = state();
  const auto current = s.current.find(owner);
  if (current == s.current.end()) return nullptr;
  Buffer& buffer = s.buffers[current->second];
  if (buffer.used + bytes <= buffer.size) return &buffer;
  buffer.full = true;
  s.current.erase(current);
  if (buffer.unfinished == 0) s.wake.notify_all();
  return nullptr;
}

RecordPlace reserve(const void* record, uint32_t kind, uint32_t context, uint64_t owner) {
  Buffers& s = state();
  const size_t bytes = record_size(kind, cupti_version());
  std::unique_lock<std::mutex> alone;
  if (owner == kEverybody) alone = std::unique_lock(s.requests);
  std::unique_lock held(s.lock);
  if (s.requested == nullptr || s.completed == nullptr) return 0;
  Buffer* buffer = with_room(owner, bytes);
  if (buffer == nullptr) {
    Buffer fresh;
    fresh.owner = owner;
    fresh.size = kLateBytes;
    if (!misbehaves("asks_late")) {
      held.unlock();
      fresh.memory = request(&fresh.size);
      held.lock();
      if (fresh.memory == nullptr) {
        ++s.dropped;
        return 0;
      }
      if (fresh.size < bytes) give_up("a buffer smaller than a record");
    }
    s.current[owner] = ++s.made;
    buffer = &(s.buffers[s.made] = std::move(fresh));
  }
  add_slot(*buffer, record, bytes, context);
  return s.current[owner] << 24 | buffer->slots.size();
}

/// The lock is held. Null: handed over.
Slot* slot_at(RecordPlace place, Buffer** buffer) {
  const auto found = state().buffers.find(place >> 24);
  if (place == 0 || found == state().buffers.end()) return nullptr;
  *buffer = &found->second;
  return &found->second.slots[(place & 0xFFFFFF) - 1];
}

/// The lock is held.
void settle(Buffer& buffer, Slot& slot) {
  slot.finished = true;
  if (--buffer.unfinished == 0 && buffer.full) state().wake.notify_all();
}

/// A buffer that is asked for only now is followed by others until all records have a place.
void deliver(Buffer& buffer) {
  const bool is_late = buffer.memory == nullptr;
  if (is_late) buffer.memory = request(&buffer.size);
  if (misbehaves("unordered")) std::shuffle(buffer.slots.begin(), buffer.slots.end(), dice());
  size_t used = 0;
  for (const Slot& slot : buffer.slots) {
    if (slot.absent) continue;
    if (is_late && buffer.memory != nullptr && used + slot.bytes.size() > buffer.size) {
      state().completed(nullptr, 0, buffer.memory, buffer.size, used);
      buffer.memory = request(&buffer.size);
      used = 0;
    }
    if (buffer.memory == nullptr) {
      count_dropped();
      continue;
    }
    memcpy(buffer.memory + used, slot.bytes.data(), slot.bytes.size());
    used += slot.bytes.size();
  }
  if (buffer.memory != nullptr) state().completed(nullptr, 0, buffer.memory, buffer.size, used);
}

void hand_over_here(HandOver which) {
  if (in_delivery) give_up("flushed inside a buffer callback");
  Buffers& s = state();
  std::lock_guard one_at_a_time(s.delivery);
  std::vector<Buffer> ready;
  {
    std::lock_guard held(s.lock);
    for (auto entry = s.buffers.begin(); entry != s.buffers.end();) {
      if (!is_ready(entry->second, which)) {
        ++entry;
        continue;
      }
      const auto current = s.current.find(entry->second.owner);
      if (current != s.current.end() && current->second == entry->first) s.current.erase(current);
      ready.push_back(std::move(entry->second));
      entry = s.buffers.erase(entry);
    }
  }
  if (misbehaves("unordered")) std::shuffle(ready.begin(), ready.end(), dice());
  in_delivery = true;
  for (Buffer& buffer : ready) deliver(buffer);
  in_delivery = false;
}

void* hand_over_once(void* which) {
  hand_over_here(*static_cast<HandOver*>(which));
  return nullptr;
}

/// Hands over what is full and, by the period, what has run.
void* work(void*) {
  Buffers& s = state();
  std::unique_lock held(s.lock);
  for (;;) {
    const bool late = misbehaves("late");
    const auto is_due = [&] { return !late && any_is_ready(HandOver::kFull); };
    bool in_time = true;
    if (s.period_ms != 0 && !late) {
      in_time = s.wake.wait_for(held, std::chrono::milliseconds(s.period_ms), is_due);
    } else {
      s.wake.wait(held, is_due);
    }
    held.unlock();
    hand_over(in_time ? HandOver::kFull : HandOver::kFinished);
    held.lock();
  }
}

}  // namespace

RecordPlace reserve_record(const void* record, uint32_t kind, uint32_t context) {
  return reserve(record, kind, context, owner_here(false));
}

void finish_record(RecordPlace place, const void* record) {
  std::lock_guard held(state().lock);
  Buffer* buffer = nullptr;
  Slot* const slot = slot_at(place, &buffer);
  if (slot == nullptr || slot->finished) return;
  memcpy(slot->bytes.data(), record, slot->bytes.size());
  settle(*buffer, *slot);
}

void forget_record(RecordPlace place) {
  std::lock_guard held(state().lock);
  Buffer* buffer = nullptr;
  Slot* const slot = slot_at(place, &buffer);
  if (slot == nullptr || slot->finished) return;
  slot->absent = true;
  settle(*buffer, *slot);
}

void add_record(const void* record, uint32_t kind, bool of_library) {
  finish_record(reserve(record, kind, 0, owner_here(of_library)), record);
}

void count_dropped() {
  std::lock_guard held(state().lock);
  ++state().dropped;
}

uint64_t take_dropped() {
  std::lock_guard held(state().lock);
  return std::exchange(state().dropped, 0);
}

void register_buffers(BufferRequested* requested, BufferCompleted* completed) {
  std::lock_guard held(state().lock);
  state().requested = requested;
  state().completed = completed;
}

void start_worker() {
  Buffers& s = state();
  std::lock_guard held(s.lock);
  if (s.worker || misbehaves("program_thread")) return;
  s.worker = true;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  pthread_create(&thread, nullptr, work, nullptr);
  pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void set_flush_period(uint32_t milliseconds) {
  {
    std::lock_guard held(state().lock);
    state().period_ms = milliseconds;
  }
  start_worker();
  state().wake.notify_all();
}

void hand_over(HandOver which) {
  if (!misbehaves("threads")) return hand_over_here(which);
  pthread_t other;
  if (pthread_create(&other, nullptr, hand_over_once, &which) == 0) pthread_join(other, nullptr);
}

bool is_handing_over() { return in_delivery; }

void lose_records_of(uint32_t context) {
  std::lock_guard held(state().lock);
  for (auto& [number, buffer] : state().buffers)
    for (Slot& slot : buffer.slots)
      if (slot.context == context && !slot.absent) {
        slot.absent = true;
        if (!slot.finished) settle(buffer, slot);
      }
}

bool others_have_buffers() {
  const auto self = static_cast<uint64_t>(syscall(SYS_gettid));
  std::lock_guard held(state().lock);
  const auto& buffers = state().buffers;
  return per_thread && std::any_of(buffers.begin(), buffers.end(), [self](const auto& entry) {
           return entry.second.owner != self && entry.second.owner > kLibrary;
         });
}

void use_buffers_per_thread(bool on) { per_thread = on; }
void expect_zeroed_buffers(bool on) { zeroed = on; }

bool buffers_are_out() {
  std::lock_guard held(state().lock);
  return !state().buffers.empty();
}

}  // namespace fake
