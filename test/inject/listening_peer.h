#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "proto/shared_memory.h"
#include "trace.pb.h"

namespace xsp::test {

/// One span as received, with its strings looked up.
struct ReceivedSpan {
  std::string name;
  std::string type;
  uint32_t id;
  uint32_t parent;
  uint32_t level;
  uint32_t kind;
  uint32_t ring;
  uint32_t thread;
  uint32_t start_thread;
  uint64_t begin;
  uint64_t end;
  bool shallow;
};

/// One activity as received.
struct ReceivedActivity {
  std::string name;
  std::string configuration;
  uint32_t level;
  uint32_t kind;
  uint32_t ring;
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  uint32_t correlation;
  uint32_t graph;
  uint64_t graph_node;
  uint64_t bytes;
  uint64_t begin;
  uint64_t end;
  Clock clock;
  bool after_clock;  // a reading of its clock, taken at or after its end, came before it
};

/// What one guest process sent, and the memory it left behind: parsed by libprotobuf, as an independent reader.
struct Received {
  Hello hello;
  Trace trace;
  std::vector<std::string> strings;  // by id; [0] is empty
  std::vector<ReceivedSpan> spans;
  std::vector<ReceivedActivity> activities;
  std::map<uint32_t, uint64_t> next_record;            // by ring
  uint64_t left_out = 0;                               // records between batches
  std::vector<uint8_t> memory;                         // the shared memory as it was at the end, to the last ring
  std::map<uint32_t, std::vector<uint8_t>> overflows;  // its overflow areas, as in shm::Stretch
  bool goodbye = false;

  const shm::RingHeader* ring(uint32_t index) const {
    return reinterpret_cast<const shm::RingHeader*>(memory.data() + shm::kRingsOffset + index * shm::kRingStride);
  }
  uint64_t loss(Loss::Reason reason) const;
  std::vector<std::string> span_names() const;
  /// Texts of the notices, one a line.
  std::string notices() const;
  /// Finished records that were in the rings but never sent, by ring sequence and span name.
  std::vector<std::string> left_in_rings() const;
};

/// The simplest possible collector: accepts guests on its own socket and keeps what they sent.
class ListeningPeer {
 public:
  ListeningPeer();
  ~ListeningPeer();

  const std::string& path() const { return path_; }
  /// Otherwise a record left out ends the test.
  void allow_records_left_out() { may_leave_out_ = true; }

  /// Forks `program` with the guest's environment set, waits for it to end, and returns what arrived, one entry per
  /// guest process in order of connection. `status` receives wait()'s status.
  std::vector<Received> run(const std::function<void()>& program, int* status = nullptr);

 private:
  std::string directory_;
  std::string path_;
  int listener_;
  bool may_leave_out_ = false;
};

}  // namespace xsp::test
