#pragma once

/// Plays a recording: one thread for each recorded one, the events in their recorded order and at their recorded times
/// from the beginning of play() on. Calls inside calls are played as frames inside frames, as the guest inspects its
/// stack. No lock is held while the client's functions run.
///
/// A buffer that the recorder's own flush returned comes with the client's next flush; every other one comes on its
/// thread, at its time. Of its records, those come whose kind the client had enabled when they were launched.

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>

#include "recording.h"

namespace fake {

using Callback = void(void* user_data, int domain, uint32_t callback, const void* data);
using BufferRequested = void(uint8_t** buffer, size_t* bytes, size_t* max_records);
using BufferCompleted = void(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid);

constexpr int kDomains = 7;
constexpr uint32_t kCallbacks = 2048, kMostKinds = 64;

class Player {
 public:
  explicit Player(const std::string& path) : recording_(path) {}

  /// Returns when the last event is over. To be called once.
  void play();

  const Recording& recording() const { return recording_; }
  uint64_t cupti_now() const;

  /// The client's functions, as registered with CUPTI.
  std::atomic<Callback*> callback{nullptr};
  std::atomic<void*> user_data{nullptr};
  std::atomic<uint8_t> enabled[kDomains][kCallbacks] = {};
  std::atomic<uint8_t> kinds[kMostKinds] = {};
  std::atomic<uint64_t> ever_enabled{0};  // kinds, a bit each
  std::atomic<BufferRequested*> requested{nullptr};
  std::atomic<BufferCompleted*> completed{nullptr};

  /// Hands over what the recorder's flushes have returned up to now.
  void flush();
  uint64_t take_dropped();
  /// cuptiActivityGetNextRecord, as observed with libcupti 13.0.1: a record cut by the buffer's end does not exist, and
  /// before one of an unknown kind the walk stops with CUPTI_ERROR_INVALID_KIND.
  int next_record(uint8_t* buffer, size_t valid, uint8_t** record);

 private:
  struct Part {
    size_t offset;
    bool cut, unknown;
  };
  struct Memory {
    uint8_t* bytes = nullptr;
    size_t size = 0;
  };
  struct Actor;

  void act(Actor& actor, const Event* outer, int depth);
  void take_turn(size_t event);
  void pass_turn();
  void deliver(const Event& event);
  void call_back(int domain, uint32_t id, const void* data);
  void note_kinds(uint32_t correlation);
  bool was_wanted(const RecordedActivity& record);
  void complete(uint32_t number);
  bool request(Memory* memory);
  void hand_over(const Memory& memory, size_t used, std::vector<Part> parts);

  const Recording recording_;
  uint64_t begun_ = 0;  // CLOCK_MONOTONIC of the first event; 0: not yet
  std::mutex turns_;
  std::condition_variable turn_changed_;
  size_t turn_ = 0;
  std::mutex buffers_;
  std::map<uint32_t, Memory> held_;  // by the buffer's number
  std::vector<uint32_t> flushable_;
  std::map<const uint8_t*, std::vector<Part>> layouts_;
  std::map<uint32_t, uint64_t> kinds_of_calls_;  // kinds enabled when a call began, a bit each, by correlation id
  uint64_t dropped_ = 0;
  bool failed_ = false;
};

}  // namespace fake
