#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "proto/shared_memory.h"
#include "test/inject/listening_peer.h"

namespace xsp::test {

/// The records that a guest has put into its rings, in order, ring by ring: sending does not remove them.
template <typename Record = shm::Record>
std::vector<Record> records_of(const Received& received, shm::RecordType type) {
  std::vector<Record> found;
  const auto* header = reinterpret_cast<const shm::SharedHeader*>(received.memory.data());
  for (uint32_t i = 0; i < header->rings_used; ++i) {
    const uint8_t* base = received.memory.data() + shm::kRingsOffset + i * shm::kRingStride;
    const auto* ring = reinterpret_cast<const shm::RingHeader*>(base);
    for (uint64_t at = 0; at < ring->head; ++at) {
      shm::Record record;
      memcpy(&record, base + shm::kPage + (at % shm::kRingRecords) * sizeof record, sizeof record);
      if (record.record_type != static_cast<uint8_t>(type)) continue;
      Record typed;
      memcpy(&typed, &record, sizeof typed);
      found.push_back(typed);
    }
  }
  return found;
}

struct Call {
  std::string name;
  std::string type;
  shm::Record record;
  bool failed() const { return (record.flags & shm::kFlagFailed) != 0; }
};

inline std::vector<Call> calls_of(const Received& received) {
  std::vector<Call> calls;
  for (const shm::Record& record : records_of(received, shm::RecordType::kSpan)) {
    calls.push_back({received.strings.at(record.name), received.strings.at(record.type), record});
  }
  return calls;
}

inline std::vector<std::string> names_of(const std::vector<Call>& calls) {
  std::vector<std::string> names;
  for (const Call& call : calls) names.push_back(call.name);
  return names;
}

}  // namespace xsp::test
