#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "inject/guard/settings.h"
#include "inject/guard/spin_lock.h"
#include "inject/record/clock.h"
#include "inject/record/hook_times.h"
#include "inject/record/recording_window.h"
#include "inject/record/sampling.h"
#include "inject/record/shared_region.h"
#include "inject/record/string_table.h"
#include "inject/record/switches.h"

namespace xsp::guest {

/// Packets other than spans and strings (notices, announced files), encoded and waiting for the sender.
inline constexpr size_t kOutboxBytes = size_t{64} * 1024;

/// Everything this process has, on pages that a fork wipes: a child finds `phase` zero and starts afresh. No destructor
/// anywhere, as hooks run after static destructors.
struct Process {
  enum Phase : uint32_t { kNone = 0, kReady = 1 };

  std::atomic<uint32_t> phase;
  SpinLock lock;  // threads, strings, outbox
  int pid;
  Settings settings;
  SharedRegion region;
  std::atomic<uint32_t> no_ring_left;  // 1: the last thread that looked found none, and none has come free since
  StringTable strings;
  ClockPair first_clock;
  RecordingWindow window;
  SpinLock pause_lock;
  std::atomic<uint8_t> pause_reasons;  // PauseReason
  ModelSampling sampling;
  HookTimes hook_times;

  // The sender and its connection.
  int socket;
  uint64_t socket_device;
  uint64_t socket_inode;
  std::atomic<uint32_t> wake_word;  // futex; bumped to wake the sender
  std::atomic<uint32_t> sender_sleeping;
  std::atomic<uint32_t> stop_requested;
  std::atomic<uint32_t> sender_done;  // futex; 1 when the sender thread has ended
  std::atomic<uint32_t> sender_running;
  std::atomic<void*> lone_sender;  // set while it ends the process, as the only thread that is left
  uint8_t* outbox;
  size_t outbox_used;

  shm::RingHeader* ring(uint32_t index) const { return region.ring(index); }
};

/// The process's state if it is recording or paused, else null. Wakes the guest at the first call: makes the shared
/// memory, connects, starts the sender. Never blocks on the collector.
Process* wake_process();

/// The same without waking.
Process* awake_process();

/// Has hooks open no more spans, and open them again where no other reason is left. Nobody listens when the sender
/// could not start, or has lost its connection: for the rest of the process, whose exit handlers do their work all the
/// same.
enum class PauseReason : uint8_t { kOutsideWindow = 1, kNotSampled = 2, kNobodyListens = 4 };
void pause_hooks(PauseReason reason);
void resume_hooks(PauseReason reason);

/// Ends recording for good; spans already in the rings stay there for the collector. `why` is told once, if it can be.
void turn_off(const char* why);

/// Id of a string in this process's arena; 0 when the guest is off.
uint32_t intern(std::string_view text);

/// Queues a Notice packet (proto: severity 0 info, 1 warning, 2 error).
void notify(uint32_t severity, std::string_view component, std::string_view text);

/// Queues an encoded packet (with its Trace framing). False when the outbox is full or nothing records.
bool post_packet(const void* bytes, size_t length);

}  // namespace xsp::guest
