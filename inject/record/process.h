#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "inject/guard/settings.h"
#include "inject/guard/spin_lock.h"
#include "inject/record/clock.h"
#include "inject/record/hook_times.h"
#include "inject/record/overflow.h"
#include "inject/record/recording_window.h"
#include "inject/record/rooms.h"
#include "inject/record/sampling.h"
#include "inject/record/shared_region.h"
#include "inject/record/string_table.h"
#include "inject/record/switches.h"

namespace xsp::guest {

/// Packets other than spans and strings (notices, announced files), encoded and waiting for the sender.
inline constexpr size_t kOutboxBytes = size_t{64} * 1024;

enum class ProcessRoom : uint8_t { kSend };

/// All state of this process, on pages that a fork wipes: a child finds `phase` zero and starts afresh. Nothing in it
/// has a destructor, as hooks still run after static destructors.
struct Process {
  enum Phase : uint32_t { kNone = 0, kReady = 1 };

  std::atomic<uint32_t> phase;
  SpinLock<LockOrder::kProcess> lock;  // threads, strings, outbox
  int pid;
  Settings settings;
  SharedRegion region;
  OverflowAreas overflow;
  std::atomic<uint32_t> no_ring_left;  // 1: the last thread that looked found none, and none has been freed since
  StringTable strings;
  ClockPair first_clock;
  RecordingWindow window;
  SpinLock<LockOrder::kPauses> pause_lock;
  std::atomic<uint8_t> pause_reasons;  // PauseReason
  ModelSampling sampling;
  HookTimes hook_times;

  // What the other threads know of the sender.
  std::atomic<uint32_t> wake_word;  // futex; bumped to wake it
  std::atomic<uint32_t> sender_sleeping;
  std::atomic<uint32_t> sender_running;

  uint8_t* outbox;
  size_t outbox_used;
  // Bytes that were put into the outbox, and sent from it, so far. Atomic, to be read without the lock by an _exit in a
  // signal handler.
  std::atomic<uint64_t> posted_bytes;
  std::atomic<uint64_t> sent_bytes;
  Rooms<ProcessRoom, 40> rooms;  // in the order of ProcessRoom

  /// What a floor above keeps of the process in this page; see rooms.h. Most have pages of their own (ForkWiped).
  template <typename Data>
  Data& of() {
    return rooms.of<Data>();
  }
  template <typename Data>
  const Data& of() const {
    return rooms.of<Data>();
  }

  shm::RingHeader* ring(uint32_t index) const { return region.ring(index); }
};

/// The process's state if it is recording or paused, else null. Wakes the guest at the first call: makes the shared
/// memory, connects, starts the sender (inject/lifecycle), all of it with Process::lock held. Never blocks on the
/// collector.
Process* wake_process();

/// The same, but never wakes the guest.
Process* awake_process();

/// Why hooks open no spans; they open them again when no reason is left. kNobodyListens (the sender could not start, or
/// lost its connection) lasts for the rest of the process, whose exit handlers do their work all the same.
enum class PauseReason : uint8_t { kOutsideWindow = 1, kNotSampled = 2, kNobodyListens = 4 };
void pause_hooks(PauseReason reason);
void resume_hooks(PauseReason reason);

/// Cheap when the sender is awake already.
void wake_sender(Process& process);

/// Switches the hooks of a prepared process on: they record from here on, or pause where there is a reason to. Called
/// by inject/lifecycle, which holds the process's lock.
void turn_hooks_on(Process& process);

/// Switches them off for the rest of the process.
void turn_hooks_off();

/// Ends recording for good; spans already in the rings stay there for the collector. `why` becomes a notice, if one can
/// still be sent.
void turn_off(const char* why);

/// Id of a string in this process's arena; 0 when the guest is off.
uint32_t intern(std::string_view text);

/// Queues a Notice packet (proto: severity 0 info, 1 warning, 2 error).
void notify(uint32_t severity, std::string_view component, std::string_view text);

/// Queues an encoded packet (with its Trace framing). False when the outbox is full or nothing records.
bool post_packet(const void* bytes, size_t length);

/// Waits until the sender has sent all that was posted before the call, for at most `longest_ns`. Takes no lock, and
/// returns at once where there is nothing to wait for or no sender.
void wait_until_posted_is_sent(Process& process, uint64_t longest_ns);

}  // namespace xsp::guest
