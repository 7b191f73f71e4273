/// Peers and shared memory that break the rules: the collector cuts them off or counts a loss, and never believes them.

#include <cstring>
#include <functional>
#include <random>

#include <unistd.h>

#include "collector/messages/peer_limits.h"
#include "collector/server/peer.h"
#include "test/catch.h"
#include "test/collector/peer_bench.h"

namespace xsp::test {
namespace {

ProcessEnd::How how_of(const Trace& trace) { return trace.packet(trace.packet_size() - 1).process_end().how(); }

uint64_t corrupt_of(const Trace& trace) {
  uint64_t count = 0;
  for (const auto& packet : trace.packet()) {
    if (packet.loss().reason() == Loss::CORRUPT) count = packet.loss().count();
  }
  return count;
}

/// A batch of one activity, spoilt.
std::string activities(const std::function<void(ActivityBatch&)>& spoil) {
  return with([&](Packet& packet) {
    ActivityBatch& batch = *packet.mutable_activities();
    batch.set_first_record(1);
    batch.set_record_count(1);
    batch.set_count(1);
    batch.add_begin(1);
    spoil(batch);
  });
}

/// Counters of one kernel, spoilt.
std::string counters(const std::function<void(CounterBatch&)>& spoil) {
  return with([&](Packet& packet) {
    CounterBatch& batch = *packet.mutable_counters();
    batch.set_count(1);
    batch.add_metric(1);
    batch.add_name(1);
    batch.add_ordinal(1);
    batch.add_value(1);
    spoil(batch);
  });
}

TEST_CASE("a Hello whose memory is not as it says is refused") {
  const auto refused = [](const FakeGuest::Setup& setup, const std::function<void(FakeGuest&)>& spoil) {
    PeerBench bench;
    FakeGuest guest(setup);
    spoil(guest);
    CHECK(bench.receive(guest.hello(), {guest.memory_fd()}) == Peer::State::kGone);
    CHECK(bench.peer.process() == nullptr);
    REQUIRE(bench.recording.summary.notices.size() == 1);
    return bench.recording.summary.notices[0].text;
  };
  const auto nothing = [](FakeGuest&) {};
  CHECK(refused({.sealed = false}, nothing).find("not sealed") != std::string::npos);
  CHECK(refused({}, [](FakeGuest& guest) { guest.header().magic = 1; }).find("magic") != std::string::npos);
  CHECK(refused({}, [](FakeGuest& guest) { guest.header().layout_version = 9; }).find("version 9") !=
        std::string::npos);
  refused({}, [](FakeGuest& guest) { guest.header().ring_capacity = 5; });
  refused({}, [](FakeGuest& guest) { guest.header().ring_capacity = 100'000; });
  refused({}, [](FakeGuest& guest) { guest.header().overflow_count = 3; });
  refused({.overflows = shm::kMaxOverflows + 1}, nothing);
  refused({}, [](FakeGuest& guest) { guest.header().arena_offset = UINT64_MAX; });
  refused({}, [](FakeGuest& guest) { guest.header().arena_bytes = UINT64_MAX; });
  refused({.arena_bytes = shm::kDefaultArenaBytes + shm::kPage}, nothing);
  refused({}, [](FakeGuest& guest) { guest.header().total_bytes -= 1; });
  refused({}, [](FakeGuest& guest) { guest.header().clock = 1; });
}

TEST_CASE("a descriptor that is no memfd, or none at all, is refused") {
  FakeGuest guest;
  for (const bool has_fd : {false, true}) {
    PeerBench bench;
    std::vector<int> fds;
    if (has_fd) fds.push_back(::dup(0));
    CHECK(bench.receive(guest.hello(), fds) == Peer::State::kGone);
    CHECK(bench.peer.process() == nullptr);
  }
}

TEST_CASE("a peer of another protocol version is refused with a notice") {
  PeerBench bench;
  CHECK(bench.receive(with([](Packet& packet) { packet.mutable_hello()->set_protocol_version(2); })) ==
        Peer::State::kGone);
  CHECK(bench.recording.summary.notices[0].text.find("protocol version 2") != std::string::npos);
}

TEST_CASE("packets that break a limit cut the peer off, what came before stays") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"no packet", "garbage"},
      {"too large a packet", std::string("\x0A\xFF\xFF\xFF\x7F", 5)},
      {"a length without end", std::string("\x0A\xFF\xFF\xFF\xFF\xFF\xFF", 7)},
      {"a second hello", with([](Packet& packet) { packet.mutable_hello()->set_protocol_version(1); })},
      {"a gap in the strings", with([](Packet& packet) {
         packet.mutable_strings()->set_first_id(9);
         packet.mutable_strings()->add_text("x");
       })},
      {"a huge string", with([](Packet& packet) {
         packet.mutable_strings()->set_first_id(2);
         packet.mutable_strings()->add_text(std::string(kMaxStringBytes + 1, 'x'));
       })},
      {"a count without columns", with([](Packet& packet) {
         packet.mutable_spans()->set_first_record(1);
         packet.mutable_spans()->set_count(60'000);
         packet.mutable_spans()->set_record_count(60'000);
       })},
      {"a huge count", with([](Packet& packet) {
         packet.mutable_spans()->set_count(1u << 31);
         packet.mutable_spans()->set_record_count(1u << 31);
       })},
      {"a short column", with([](Packet& packet) {
         packet.mutable_spans()->set_first_record(1);
         packet.mutable_spans()->set_count(2);
         packet.mutable_spans()->set_record_count(2);
         packet.mutable_spans()->add_begin(1);
         packet.mutable_spans()->add_begin(1);
         packet.mutable_spans()->add_name(1);
       })},
      {"a ring beyond the last", with([](Packet& packet) { packet.mutable_spans()->set_ring(shm::kMaxRings); })},
      {"records beyond the last", with([](Packet& packet) {
         packet.mutable_spans()->set_first_record(UINT64_MAX);
         packet.mutable_spans()->set_record_count(5);
       })},
      {"a span that ends before it begins", with([](Packet& packet) {
         packet.mutable_spans()->set_first_record(1);
         packet.mutable_spans()->set_count(1);
         packet.mutable_spans()->set_record_count(1);
         packet.mutable_spans()->add_begin(100);
         packet.mutable_spans()->add_duration(UINT64_MAX - 5);
       })},
      {"activities without columns", activities([](ActivityBatch& batch) {
         batch.set_count(60'000);
         batch.set_record_count(60'000);
       })},
      {"a huge count of activities", activities([](ActivityBatch& batch) {
         batch.set_count(1u << 31);
         batch.set_record_count(1u << 31);
       })},
      {"more activities than records", activities([](ActivityBatch& batch) { batch.set_record_count(0); })},
      {"activities of a ring beyond the last",
       activities([](ActivityBatch& batch) { batch.set_ring(shm::kMaxRings); })},
      {"activities beyond the last record",
       activities([](ActivityBatch& batch) { batch.set_first_record(UINT64_MAX); })},
      {"activities in an unknown clock",
       activities([](ActivityBatch& batch) { batch.set_clock(static_cast<Clock>(3)); })},
      {"activities in another guest's clock", activities([](ActivityBatch& batch) { batch.set_clock(CLOCK_TSC); })},
      {"a short column of activities", activities([](ActivityBatch& batch) { batch.add_name(1), batch.add_name(1); })},
      {"counters without columns", counters([](CounterBatch& batch) { batch.clear_value(); })},
      {"a huge count of counters", counters([](CounterBatch& batch) { batch.set_count(UINT32_MAX); })},
      {"counters of no metric", counters([](CounterBatch& batch) { batch.clear_metric(); })},
      {"counters of too many metrics", counters([](CounterBatch& batch) {
         batch.clear_value();
         for (size_t i = 0; i < kMaxMetrics; ++i) batch.add_metric(1), batch.add_value(1);
         batch.add_value(1);
       })},
      {"a short column of counters", counters([](CounterBatch& batch) { batch.add_name(1); })},
      {"a queue that is not there", activities([](ActivityBatch& batch) { batch.add_queue_index(1); })},
      {"too many queues", activities([](ActivityBatch& batch) {
         for (size_t i = 0; i <= kMaxBatchQueues; ++i) batch.add_queue();
       })},
      {"an activity that ends before it begins", activities([](ActivityBatch& batch) {
         batch.set_begin(0, 100);
         batch.add_duration(UINT64_MAX - 5);
       })},
      {"spans in CUPTI's clock", with([](Packet& packet) { packet.mutable_spans()->set_clock(CLOCK_CUPTI); })},
      {"graph nodes of a ring beyond the last",
       with([](Packet& packet) { packet.mutable_graph_nodes()->set_ring(shm::kMaxRings); })},
      {"a short column of graph nodes", with([](Packet& packet) {
         packet.mutable_graph_nodes()->add_node(1);
         packet.mutable_graph_nodes()->add_node(1);
         packet.mutable_graph_nodes()->add_span(1);
       })},
  };
  for (const auto& [what, bytes] : cases) {
    INFO(what);
    PeerBench bench;
    FakeGuest guest;
    bench.receive(guest.hello(), {guest.memory_fd()});
    guest.add_span(0, 1, 2, guest.intern("kept"));
    bench.receive(guest.strings() + guest.batch(0));
    CHECK(bench.receive(bytes) == Peer::State::kGone);
    const Trace trace = bench.finish();
    CHECK(read_spans(trace).size() == 1);
    CHECK(how_of(trace) == ProcessEnd::CUT_OFF);
    CHECK_FALSE(trace.packet(trace.packet_size() - 1).process_end().why().empty());
  }
}

TEST_CASE("names of more bytes than a guest's memory holds are cut to nothing, and that is a loss") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  constexpr uint32_t kMost = shm::kDefaultArenaBytes / kMaxStringBytes;
  for (uint32_t id = 1; id <= kMost + 3; ++id) {
    const std::string bytes = with([&](Packet& packet) {
      packet.mutable_strings()->set_first_id(id);
      packet.mutable_strings()->add_text(std::string(kMaxStringBytes, 'x'));
    });
    REQUIRE(bench.receive(bytes) == Peer::State::kOpen);
  }
  const Trace trace = bench.finish();
  size_t bytes = 0;
  for (const auto& packet : trace.packet()) {
    for (const auto& text : packet.strings().text()) bytes += text.size();
  }
  CHECK(bytes == shm::kDefaultArenaBytes);
  CHECK(bench.recording.summary.losses[Loss::STRINGS_FULL] == 3);
}

TEST_CASE("a ring's head that makes no sense is a loss") {
  for (const uint64_t head : {uint64_t{shm::kRingRecords} + 2, uint64_t{1} << 40, UINT64_MAX}) {
    PeerBench bench;
    FakeGuest guest;
    bench.receive(guest.hello(), {guest.memory_fd()});
    guest.add_span(0, 1, 2, 0);
    bench.receive(guest.batch(0));
    guest.ring(0).head = head;
    guest.ring(0).depth = 4'000'000;
    guest.header().rings_used = 4'000'000;
    const Trace trace = bench.finish();
    CHECK(read_spans(trace).size() == 1);
    CHECK(corrupt_of(trace) == 1);
  }
}

TEST_CASE("stretches that make no sense cost what is in them, and no more") {
  const std::pair<const char*, std::function<void(shm::RingHeader&)>> spoils[] = {
      {"an area that is not there", [](shm::RingHeader& ring) { ring.stretches[0].memory = 3; }},
      {"an area far away", [](shm::RingHeader& ring) { ring.stretches[0].memory = UINT32_MAX; }},
      {"begins behind the head", [](shm::RingHeader& ring) { ring.stretches[0].begin = UINT64_MAX; }},
      {"begins in no order",
       [](shm::RingHeader& ring) {
         ring.stretch_count = 3;
         ring.stretches[0].begin = 1'000'000;
         ring.stretches[1].begin = 17;
         ring.stretches[2].begin = 500;
       }},
      {"more than there are", [](shm::RingHeader& ring) { ring.stretch_count = UINT64_MAX; }},
  };
  for (const auto& [what, spoil] : spoils) {
    INFO(what);
    PeerBench bench;
    FakeGuest guest;
    bench.receive(guest.hello(), {guest.memory_fd()});
    guest.add_span(0, 1, 2, 0);
    bench.receive(guest.batch(0));
    guest.begin_stretch(0, 1);
    for (int i = 0; i < 1000; ++i) guest.add_span(0, 1, 2, 0);
    spoil(guest.ring(0));
    const Trace trace = bench.finish();
    // The last places look as if they were being written.
    CHECK(read_spans(trace).size() == 1);
    CHECK(corrupt_of(trace) == 1000 - shm::kMaxUnfinished);
  }
}

TEST_CASE("of the rings of a guest no more than it has areas may hold more than their own places") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  for (uint32_t ring = 0; ring < 4; ++ring) {
    guest.add_span(ring, 1, 2, 0);
    guest.begin_stretch(ring, 1);
    guest.ring(ring).head = shm::kRingRecords + 2;
  }
  const Trace trace = bench.finish();
  // The heads of two rings are believed, and their records are not whole; those of the others make no sense.
  CHECK(read_spans(trace).size() == 2);
  const uint64_t not_whole = shm::kRingRecords + 1 - shm::kMaxUnfinished;
  CHECK(corrupt_of(trace) == 2 * not_whole + 2);
}

TEST_CASE("records of a killed guest are recovered from its own places and from overflow areas") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const uint32_t name = guest.intern("x");
  const auto add = [&](uint32_t ring, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) guest.add_span(ring, 1, 2, name);
  };
  add(0, 700);
  while (guest.ring(0).sent < 700) bench.receive(guest.strings() + guest.batch(0));
  add(0, 3000);
  guest.begin_stretch(0, 2);
  add(0, 5000);
  guest.begin_stretch(0, 0);
  add(0, 100);
  guest.begin_stretch(0, 2);
  // Up to what the area holds, and once around its end.
  add(0, shm::kOverflowRecords - 8100);
  guest.record(0, 5000).sequence = 1;
  add(1, 10);
  guest.begin_stretch(1, 1);
  add(1, shm::kRingRecords + 10);
  const Trace trace = bench.finish();
  CHECK(read_spans(trace).size() == size_t{700} + shm::kOverflowRecords - 1 + shm::kRingRecords + 20);
  CHECK(corrupt_of(trace) == 1);
}

TEST_CASE("a full ring of a killed guest is recovered whole, but for records that were not finished") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const uint32_t name = guest.intern("x");
  for (int i = 0; i < 5000; ++i) guest.add_span(0, 1, 2, name);
  while (guest.ring(0).sent < 5000) bench.receive(guest.strings() + guest.batch(0));
  for (uint32_t i = 0; i < shm::kRingRecords; ++i) guest.add_span(0, 10 + i, 20 + i, name);
  guest.record(0, 5100).sequence = 1;
  guest.record(0, 5200).record_type = 0;
  guest.ring(0).dropped = 17;
  guest.header().losses[Loss::NO_RING] = 4;
  const Trace trace = bench.finish();
  CHECK(read_spans(trace).size() == 5000 + shm::kRingRecords - 2);
  CHECK(corrupt_of(trace) == 2);
  CHECK(bench.recording.summary.losses[Loss::RING_FULL] == 17);
  CHECK(bench.recording.summary.losses[Loss::NO_RING] == 4);
}

TEST_CASE("an arena that lies is read as far as it makes sense") {
  for (const uint32_t length : {0xFFFFFFFFu, uint32_t{kMaxStringBytes} + 1, 5000u}) {
    PeerBench bench;
    FakeGuest guest;
    bench.receive(guest.hello(), {guest.memory_fd()});
    guest.intern("good");
    const uint64_t at = guest.header().arena_committed;
    guest.intern("bad");
    auto* entry = reinterpret_cast<char*>(&guest.header()) + guest.header().arena_offset + at;
    std::memcpy(entry, &length, sizeof length);
    guest.header().string_count = 4'000'000;
    if (length == 5000) guest.header().arena_committed = UINT64_MAX;
    guest.add_span(0, 1, 2, 1);
    guest.add_span(0, 3, 4, 3'999'999'999);
    const auto spans = read_spans(bench.finish());
    REQUIRE(spans.size() == 2);
    CHECK(spans[0].name == "good");
  }
}

TEST_CASE("a call in progress is open once, and not when its record was published") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const uint32_t name = guest.intern("layer");
  guest.add_span(0, 1, 2, name);  // id 1
  guest.push_open(0, 1, 1, name);
  guest.push_open(0, 5, 2, name);
  guest.push_open(0, 6, 0, name);  // being pushed
  const Trace trace = bench.finish();
  std::vector<uint32_t> open;
  for (const auto& packet : trace.packet()) {
    for (const auto& span : packet.open_spans().span()) open.push_back(span.id());
  }
  CHECK(open == std::vector<uint32_t>{2});
}

TEST_CASE("an activity of an unknown kind is a loss, a launch that it claims is not believed") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  bench.receive(activities([](ActivityBatch& batch) {
    batch.set_first_record(0);
    batch.set_record_count(4);
    batch.set_count(4);
    for (const uint32_t kind : {8, 20, 13, 16}) batch.add_level_kind(kind << 3);
    for (int i = 0; i < 3; ++i) batch.add_begin(1);
    for (int i = 0; i < 4; ++i) {
      batch.add_launch_ring(3);
      batch.add_launch(5);
      batch.add_capture_ring(3);
      batch.add_capture(5);
    }
  }));
  const Trace trace = bench.finish();
  const auto executions = read_executions(trace);
  REQUIRE(executions.size() == 2);
  for (const auto& execution : executions) {
    CHECK(execution.launch.first == -1);
    CHECK(execution.capture.first == -1);
    CHECK(execution.level == LEVEL_DEVICE);
  }
  CHECK(corrupt_of(trace) == 2);
}

TEST_CASE("what is left in a ring and cannot be taken is not recovered") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  guest.add_span(0, 1, 2, guest.intern("kept"));
  shm::ActivityRecord activity{};
  activity.kind = static_cast<uint8_t>(KIND_KERNEL);
  for (const uint64_t begin : {0, 0, 1000}) {
    activity.begin = begin;
    activity.end = 2000;
    guest.add_activity(1, activity);
  }
  const Trace trace = bench.finish();
  CHECK(read_executions(trace).size() == 1);
  CHECK(trace.packet(trace.packet_size() - 1).process_end().recovered() == 2);
}

TEST_CASE("graph nodes beyond what is kept are a loss") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  constexpr size_t kPart = kMaxGraphNodes / 64;
  for (uint64_t part = 0; part < 65; ++part) {
    bench.receive(with([&](Packet& packet) {
      for (uint64_t i = 0; i < kPart; ++i) packet.mutable_graph_nodes()->add_node(1 + part * kPart + i);
    }));
  }
  bench.finish();
  CHECK(bench.recording.summary.losses[Loss::GRAPH_NODES] == kPart);
}

TEST_CASE("rings of any content never break the trace") {
  std::mt19937 random(8);
  for (int round = 0; round < 300; ++round) {
    PeerBench bench;
    FakeGuest guest;
    bench.receive(guest.hello(), {guest.memory_fd()});
    bench.receive(guest.cupti_reading(1'000'000, 1'000'000));
    for (uint32_t i = 0; i < 200; ++i) {
      guest.add_span(i % 4, 1, 2, 0);
      shm::Record& record = guest.record(i % 4, guest.ring(i % 4).head - 1);
      const uint32_t sequence = record.sequence;
      auto* bytes = reinterpret_cast<uint8_t*>(&record);
      for (size_t k = 0; k < sizeof record; ++k) {
        bytes[k] = static_cast<uint8_t>(random() % 3 == 0 ? random() : random() % 20);
      }
      record.record_type = static_cast<uint8_t>(random() % 7);
      record.sequence = sequence;
    }
    const Trace trace = bench.finish();
    read_spans(trace);
    read_executions(trace);
  }
}

TEST_CASE("random and mutated streams never break the trace") {
  FakeGuest guest;
  std::string stream = guest.hello();
  for (int i = 0; i < 4; ++i) {
    const uint32_t name = guest.intern("layer" + std::to_string(i));
    for (uint64_t k = 0; k < 5; ++k) guest.add_span(0, 1000 * k, 1000 * k + 500, name, 1);
    guest.add_tag(0, 1, name, name);
    guest.add_call(0, 10, 20, name, name, std::string(60, 'v'));
    guest.add_launch(0, 5, 6, name, 70 + static_cast<uint32_t>(i));
    guest.add_graph_node(0, 3, 2, 1);
    for (const Kind kind : {KIND_KERNEL, KIND_RUNTIME_CALL, KIND_STREAM_INTERVAL, KIND_MEMCPY}) {
      shm::ActivityRecord activity{};
      activity.begin = 1000;
      activity.end = 2000;
      activity.kind = static_cast<uint8_t>(kind);
      activity.correlation = 70 + static_cast<uint32_t>(i);
      activity.graph_node = 3;
      guest.add_activity(1, activity);
    }
    stream += guest.cupti_reading(5, 7 + static_cast<uint64_t>(i));
    stream += guest.strings() + guest.batch(0) + guest.activities(1) + guest.activities(1) + guest.activities(1);
    stream += with([](Packet& packet) { packet.mutable_gap()->set_detail("x"); });
    stream += with([](Packet& packet) { packet.mutable_device()->set_name("x"); });
    stream += with([](Packet& packet) {
      packet.mutable_loss()->set_reason(Loss::NO_RING);
      packet.mutable_loss()->set_count(5);
      packet.mutable_loss()->set_detail("x");
    });
    stream += with([](Packet& packet) { packet.mutable_notice()->set_text("a notice"); });
    stream += with([](Packet& packet) { packet.mutable_unintercepted()->set_library("onednn"); });
    stream += guest.clock_reading(5, 7);
  }
  stream += guest.goodbye();
  std::mt19937 random(5);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = stream;
    for (int i = 0; i <= round % 8; ++i) {
      const size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
          break;
        case 2:
          bytes.erase(at, random() % 9);
          break;
        default:
          bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 40));
      }
    }
    if (round % 50 == 0) {
      for (char& byte : bytes) byte = static_cast<char>(random());
    }
    PeerBench bench;
    for (size_t at = 0; at < bytes.size();) {
      const size_t part = std::min<size_t>(1 + random() % 300, bytes.size() - at);
      std::vector<int> fds;
      if (at == 0) fds.push_back(guest.memory_fd());
      if (bench.receive(bytes.substr(at, part), fds) == Peer::State::kGone) break;
      at += part;
    }
    const Trace trace = bench.finish();
    read_spans(trace);
    read_executions(trace);
  }
}

}  // namespace
}  // namespace xsp::test
