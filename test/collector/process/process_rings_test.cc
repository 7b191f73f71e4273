/// What a process makes the collector hold is bounded over all of its rings, not in each alone.

#include <malloc.h>

#include "collector/messages/peer_limits.h"
#include "collector/writing/ring_stream.h"
#include "test/catch.h"
#include "test/collector/peer_bench.h"

namespace xsp::test {
namespace {

constexpr uint32_t kRings = shm::kMaxRings;
constexpr uint32_t kCalls = 1000;

size_t allocated() { return ::mallinfo2().uordblks; }

/// Takes everything and keeps nothing, so that what is allocated is the collector's.
class NoFile : public MemoryFile {
 public:
  ssize_t write(const void*, size_t size) override { return static_cast<ssize_t>(size); }
};

struct Bench {
  Bench() {
    REQUIRE(peer.receive(bytes(guest.hello()), guest.hello().size(), {guest.memory_fd()}) == Peer::State::kOpen);
    receive(guest.strings());
  }
  bool receive(const std::string& packet) { return peer.receive(bytes(packet), packet.size()) == Peer::State::kOpen; }
  static const uint8_t* bytes(const std::string& packet) { return reinterpret_cast<const uint8_t*>(packet.data()); }

  NoFile file;
  TraceWriter writer{file};
  Recording recording{writer};
  uint32_t processes = 0;
  FakeGuest guest{{.rings = 4}};
  uint32_t name = guest.intern("n");
  Peer peer{-1, recording, processes};
};

std::string tags(uint32_t ring) {
  return with([&](Packet& packet) {
    TagBatch& batch = *packet.mutable_tags();
    batch.set_ring(ring);
    for (uint32_t i = 0; i < kMaxHeldTags; ++i) {
      batch.add_span(1 + i);
      batch.add_key(1);
      batch.add_value(1);
    }
  });
}

std::string arguments(uint32_t ring) {
  return with([&](Packet& packet) {
    ArgumentBatch& batch = *packet.mutable_arguments();
    batch.set_ring(ring);
    for (uint32_t i = 0; i < kCalls; ++i) {
      batch.add_span(2);  // the next one, as zigzag
      batch.add_layout(1);
      batch.add_length(kMaxArgumentBytes);
    }
    batch.set_values(std::string(kCalls * kMaxArgumentBytes, 'v'));
  });
}

TEST_CASE("tags of all rings whose batches do not come are written early") {
  Bench bench;
  const size_t before = allocated();
  size_t most = 0;
  for (uint32_t ring = 0; ring < kRings; ++ring) {
    REQUIRE(bench.receive(tags(ring)));
    most = std::max(most, allocated() - std::min(before, allocated()));
    REQUIRE(bench.recording.held_bytes <= kMaxHeldBytes);
  }
  CHECK(most < kMaxHeldBytes + (size_t{4} << 20));
  CHECK(bench.peer.is_open());
}

TEST_CASE("a process is cut off for arguments in all rings whose spans do not come") {
  Bench bench;
  const size_t before = allocated();
  size_t most = 0;
  uint32_t ring = 0;
  for (; ring < kRings && bench.receive(arguments(ring)); ++ring) {
    most = std::max(most, allocated() - std::min(before, allocated()));
  }
  CHECK(ring > 4);
  CHECK(ring < kRings);
  CHECK(most < kMaxHeldBytes + (size_t{4} << 20));
  REQUIRE(bench.recording.summary.notices.size() == 1);
  CHECK(bench.recording.summary.notices[0].text.find("arguments of too many calls") != std::string::npos);
  CHECK(bench.recording.held_bytes == 0);
}

TEST_CASE("where all processes together hold too much, one that holds little goes on") {
  Bench bench;
  bench.recording.held_bytes += kMaxHeldBytesOfAll;
  CHECK(bench.receive(arguments(0)));
  for (uint32_t ring = 0; ring < 64; ++ring) CHECK(bench.receive(tags(ring)));
  CHECK(bench.recording.held_bytes <= kMaxHeldBytesOfAll + kMinHeldBytes);
  bool is_open = true;
  for (uint32_t ring = 1; ring < 8; ++ring) is_open = is_open && bench.receive(arguments(ring));
  CHECK_FALSE(is_open);
}

TEST_CASE("spans of many threads with arguments are all there, however early they are written") {
  PeerBench bench;
  FakeGuest guest({.rings = 64});
  REQUIRE(bench.receive(guest.hello(), {guest.memory_fd()}) == Peer::State::kOpen);
  const uint32_t layout = guest.intern("x:u8");
  const uint32_t name = guest.intern("call");
  bench.receive(guest.strings());
  bench.recording.held_bytes += kMaxHeldBytesOfAll;
  for (uint32_t ring = 0; ring < 64; ++ring) {
    for (uint64_t i = 0; i < 300; ++i) guest.add_call(ring, 10 * i, 10 * i + 5, name, layout, std::string(170, 'v'));
    while (guest.ring(ring).sent.load() < guest.ring(ring).head.load()) bench.receive(guest.batch(ring, 100));
  }
  bench.receive(guest.goodbye());
  const Trace trace = bench.finish();
  CHECK(read_spans(trace).size() == 64 * 300);
  CHECK(read_arguments(trace).size() == 64 * 300);
}

TEST_CASE("a profile file with a long path or scope is refused") {
  for (const bool is_path : {true, false}) {
    Bench bench;
    const std::string packet = with([&](Packet& made) {
      made.mutable_profile_file()->set_path(is_path ? std::string(5000, 'p') : "p");
      made.mutable_profile_file()->set_scope(is_path ? "s" : std::string(5000, 's'));
    });
    CHECK_FALSE(bench.receive(packet));
  }
}

}  // namespace
}  // namespace xsp::test
