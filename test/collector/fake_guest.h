#pragma once

/// A guest written for the collector's tests: builds real shared memory and the matching stream, byte by byte under the
/// test's control. Packets are made with libprotobuf, so that they do not share an encoder with the collector.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "proto/shared_memory.h"
#include "trace.pb.h"

namespace xsp::test {

/// Frames a packet as the socket carries it.
std::string framed(const Packet& packet);

class FakeGuest {
 public:
  struct Setup {
    uint32_t rings = 4;
    uint32_t overflows = 2;
    uint64_t arena_bytes = 1 << 20;
    Clock clock = CLOCK_MONOTONIC_NS;
    bool sealed = true;
    uint32_t pid = 4711;
  };

  FakeGuest();
  explicit FakeGuest(const Setup& setup);
  ~FakeGuest();
  FakeGuest(const FakeGuest&) = delete;
  FakeGuest& operator=(const FakeGuest&) = delete;

  /// A duplicate of the memfd, to be handed over.
  int memory_fd() const;
  shm::SharedHeader& header() { return *reinterpret_cast<shm::SharedHeader*>(memory_); }
  shm::RingHeader& ring(uint32_t index);
  shm::Record& record(uint32_t ring, uint64_t sequence);

  /// From now on the ring's records lie in this memory, as in shm::Stretch.
  void begin_stretch(uint32_t ring, uint32_t memory);

  /// Adds a string to the arena; the next strings() sends it.
  uint32_t intern(const std::string& text);
  /// Publishes a span record on a ring; ids count from 1. Returns the id.
  uint32_t add_span(uint32_t ring, uint64_t begin, uint64_t end, uint32_t name, uint32_t parent = 0,
                    Level level = LEVEL_LAYER);
  void add_tag(uint32_t ring, uint32_t span, uint32_t key, uint32_t value);
  /// Publishes one part of a call's arguments, at most kArgumentBytes.
  void add_argument_part(uint32_t ring, uint32_t span, uint32_t layout, uint8_t part, const std::string& values);
  /// Publishes a call: all parts of its arguments, then its span, whose id is returned.
  uint32_t add_call(uint32_t ring, uint64_t begin, uint64_t end, uint32_t name, uint32_t layout,
                    const std::string& values);
  /// Publishes the span of a call of the CUDA API; returns its id.
  uint32_t add_launch(uint32_t ring, uint64_t begin, uint64_t end, uint32_t name, uint32_t correlation);
  /// Publishes an activity; record type and sequence are set here.
  void add_activity(uint32_t ring, const shm::ActivityRecord& activity);
  /// Publishes that a graph's node was made.
  void add_graph_node(uint32_t ring, uint64_t node, uint64_t original, uint32_t span);
  /// Publishes that another thread has taken the ring over.
  void add_owner(uint32_t ring, uint32_t thread);
  void push_open(uint32_t ring, uint64_t begin, uint32_t id, uint32_t name);

  /// The packets; each returns framed bytes and, as the guest does, updates what it remembers as sent.
  std::string hello();
  std::string strings();
  /// The unsent records of a ring up to the first activity, at most `limit`: their tags, arguments and graph nodes,
  /// then their spans.
  std::string batch(uint32_t ring, uint32_t limit = 1024);
  /// The unsent activities of a ring, up to the first record of another type or clock, at most `limit`.
  std::string activities(uint32_t ring, uint32_t limit = 1024);
  std::string clock_reading(uint64_t ticks, uint64_t ns);
  std::string cupti_reading(uint64_t ticks, uint64_t ns);
  std::string goodbye();

 private:
  Setup setup_;
  int fd_ = -1;
  size_t size_ = 0;
  char* memory_ = nullptr;
  std::vector<std::string> interned_;
  size_t strings_sent_ = 0;
};

/// Reads a trace as any libprotobuf program would; fails the test if it cannot.
Trace parse_trace(const std::string& bytes);

/// A span of a trace, with its columns resolved.
struct ReadSpan {
  uint32_t process = 0;
  uint32_t thread = 0;
  uint32_t ring = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t id = 0;
  uint32_t parent = 0;
  uint32_t level = 0;
  uint32_t kind = 0;
  uint64_t bytes = 0;
  bool has_bytes = false;
  uint32_t correlation = 0;
  bool failed = false;
  std::string name;
  std::string type;
  std::string shape;
  std::string scope;
};

/// Something executed on a device, with its columns resolved.
struct ReadExecution {
  uint32_t process = 0;
  uint32_t device = 0;
  uint32_t context = 0;
  uint32_t stream = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t level = 0;
  uint32_t kind = 0;
  uint64_t bytes = 0;
  uint32_t correlation = 0;
  uint64_t graph_node = 0;
  uint32_t graph = 0;
  /// (ring, span id); ring -1: none.
  std::pair<int64_t, uint32_t> launch;
  std::pair<int64_t, uint32_t> capture;
  std::string name;
  std::string configuration;
};

/// All executions in order; fails the test if a column has the wrong length, a string was not sent, or a batch does not
/// follow the one before it.
std::vector<ReadExecution> read_executions(const Trace& trace);

/// The arguments of a call in a trace, with the layout resolved.
struct ReadArguments {
  uint32_t process = 0;
  uint32_t ring = 0;
  uint32_t span = 0;
  std::string layout;
  std::string values;
};

/// All arguments in order. Fails the test if a column or the values have the wrong length, or if the span of an entry
/// precedes it.
std::vector<ReadArguments> read_arguments(const Trace& trace);

/// All spans in order, with the checks that every trace must pass: sequences without gaps, strings before their use,
/// columns of equal length.
std::vector<ReadSpan> read_spans(const Trace& trace);

}  // namespace xsp::test
