#pragma once

#include <cstdint>

#include "inject/cupti/records/activity_texts.h"
#include "inject/cupti/state/session.h"
#include "proto/shared_memory.h"

namespace xsp::guest {

/// Turns activity records of the loaded version of CUPTI into ring records. For use by one thread.
class ActivityReader {
 public:
  enum class Outcome { kKept, kIgnored, kZeroTime, kInverted };

  ActivityReader(const Session& session, ActivityTexts& texts) : session_(session), texts_(texts) {}

  /// `out` is complete but for its sequence when the record is kept. `session`: the number of CUPTI's session,
  /// from 1 on (Session::kernel_sessions).
  Outcome read(const uint8_t* record, uint32_t session, shm::ActivityRecord* out);

 private:
  void read_place(const uint8_t* record, size_t device, shm::ActivityRecord* out);
  void read_kernel(const uint8_t* record, shm::ActivityRecord* out);
  void read_memcpy(const uint8_t* record, shm::ActivityRecord* out);
  void read_peer_memcpy(const uint8_t* record, shm::ActivityRecord* out);
  void read_memset(const uint8_t* record, shm::ActivityRecord* out);
  bool read_synchronization(const uint8_t* record, shm::ActivityRecord* out);
  void read_overhead(const uint8_t* record, shm::ActivityRecord* out);
  bool read_memory(const uint8_t* record, shm::ActivityRecord* out);
  void drop_wrong_launch(uint32_t session, shm::ActivityRecord* out) const;
  bool read_api_call(const uint8_t* record, int kind, shm::ActivityRecord* out);

  const Session& session_;
  ActivityTexts& texts_;
  /// The device of a context, by its id: synchronizations name none.
  uint8_t device_of_context_[256] = {};
};

}  // namespace xsp::guest
