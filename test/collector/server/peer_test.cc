#include "collector/server/peer.h"

#include <cmath>
#include <set>

#include <sys/socket.h>
#include <unistd.h>

#include "collector/clocks/tsc_rate.h"
#include "test/catch.h"
#include "test/collector/peer_bench.h"

namespace xsp::test {
namespace {

const ProcessEnd& end_of(const Trace& trace) {
  REQUIRE(trace.packet_size() > 0);
  const Packet& last = trace.packet(trace.packet_size() - 1);
  REQUIRE(last.has_process_end());
  return last.process_end();
}

std::set<uint32_t> ids_of(const std::vector<ReadSpan>& spans) {
  std::set<uint32_t> ids;
  for (const auto& span : spans) REQUIRE(ids.insert(span.id).second);
  return ids;
}

uint64_t loss_of(const Trace& trace, Loss::Reason reason) {
  uint64_t count = 0;
  for (const auto& packet : trace.packet()) {
    if (packet.has_loss() && packet.loss().reason() == reason) count = packet.loss().count();
  }
  return count;
}

TEST_CASE("a stream with a goodbye is in the trace as it was sent") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const uint32_t conv = guest.intern("conv1");
  guest.add_span(0, 1000, 2000, conv, 2);
  guest.add_span(0, 900, 2500, guest.intern("root"));
  guest.add_tag(0, 2, guest.intern("key"), guest.intern("value"));
  bench.receive(guest.strings() + guest.batch(0));
  bench.receive(guest.goodbye());
  bench.peer.disconnect();

  const Trace trace = bench.finish();
  CHECK(trace.packet(0).hello().executable() == "/bin/guest");
  CHECK(trace.packet(0).hello().environment().at("RANK") == "3");
  const auto spans = read_spans(trace);
  REQUIRE(spans.size() == 2);
  CHECK(spans[0].name == "conv1");
  CHECK(spans[0].begin == 1000);
  CHECK(spans[0].end == 2000);
  CHECK(spans[0].parent == 2);
  CHECK(spans[0].thread == 100);
  CHECK(spans[1].name == "root");
  int tags = 0;
  for (const auto& packet : trace.packet()) tags += packet.tags().span_size();
  CHECK(tags == 1);
  CHECK(end_of(trace).how() == ProcessEnd::GOODBYE);
  CHECK(end_of(trace).spans() == 2);
  CHECK(end_of(trace).recovered() == 0);
  CHECK(end_of(trace).guest_cpu_ns() == 77);
}

TEST_CASE("a guest killed after any byte it sent has each of its spans in the trace once") {
  const auto run = [](size_t cut) -> size_t {
    PeerBench bench;
    FakeGuest guest;
    std::string stream = guest.hello();
    const size_t handshake = stream.size();
    for (int i = 0; i < 6; ++i) {
      const uint32_t name = guest.intern("layer" + std::to_string(i));
      for (uint64_t k = 0; k < 5; ++k) guest.add_span(i % 2, 1000 * k, 1000 * k + 500, name);
      guest.add_tag(i % 2, 1, name, name);
      // The last strings and records are never sent.
      if (i < 5) stream += guest.strings() + guest.batch(i % 2, 4);
    }
    guest.push_open(0, 5000, 99, 1);
    if (cut < handshake) return stream.size();
    bench.receive(stream.substr(0, handshake), {guest.memory_fd()});
    bench.receive(stream.substr(handshake, std::min(cut, stream.size()) - handshake));
    bench.peer.disconnect();

    const Trace trace = bench.finish();
    std::map<uint32_t, std::vector<ReadSpan>> by_ring;
    int tags = 0;
    int open = 0;
    for (const auto& span : read_spans(trace)) by_ring[span.ring].push_back(span);
    for (const auto& packet : trace.packet()) {
      tags += packet.tags().span_size();
      open += packet.open_spans().span_size();
    }
    for (uint32_t ring = 0; ring < 2; ++ring) {
      CHECK(ids_of(by_ring[ring]).size() == 15);
      for (const auto& span : by_ring[ring]) CHECK(span.name.substr(0, 5) == "layer");
    }
    CHECK(tags == 6);
    CHECK(open == 1);
    CHECK(end_of(trace).how() == ProcessEnd::DISCONNECTED);
    CHECK(end_of(trace).spans() == 30);
    CHECK(loss_of(trace, Loss::CORRUPT) == 0);
    return stream.size();
  };
  const size_t size = run(0);
  for (size_t cut = 0; cut <= size; ++cut) run(cut);
}

TEST_CASE("a batch that comes twice counts once, and missing records are a loss") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const uint32_t name = guest.intern("layer");
  for (int i = 0; i < 30; ++i) guest.add_span(0, 10, 20, name);
  const std::string first = guest.strings() + guest.batch(0, 10);
  bench.receive(first);
  bench.receive(first);
  guest.batch(0, 10);  // lost on the way
  bench.receive(guest.batch(0, 10));
  bench.receive(guest.goodbye());
  bench.peer.disconnect();
  const Trace trace = bench.finish();
  CHECK(ids_of(read_spans(trace)).size() == 20);
  CHECK(loss_of(trace, Loss::CORRUPT) == 10);
}

TEST_CASE("records without a span are covered by the packet of the next ones") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const uint32_t name = guest.intern("span");
  const std::string strings = guest.strings();
  guest.add_owner(0, 7001);
  bench.receive(strings + guest.batch(0));
  guest.add_span(0, 100, 200, name);
  bench.receive(guest.batch(0));
  bench.receive(guest.goodbye());
  bench.peer.disconnect();

  const Trace trace = bench.finish();
  for (const auto& packet : trace.packet()) {
    if (!packet.has_spans()) continue;
    CHECK(packet.spans().first_record() == 0);
    CHECK(packet.spans().record_count() == 2);
  }
  CHECK(read_spans(trace).size() == 1);
  CHECK(loss_of(trace, Loss::CORRUPT) == 0);
}

TEST_CASE("a record that was being written at the death of its process is none, a damaged one is a loss") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const uint32_t name = guest.intern("layer");
  for (int i = 0; i < 40; ++i) guest.add_span(0, 10, 20, name);
  guest.record(0, 3).sequence = 0;   // too far from the head
  guest.record(0, 20).sequence = 7;  // of no lap
  guest.record(0, 38).sequence = 0;  // a signal handler recorded inside it, before the process died
  bench.receive(guest.strings());
  bench.peer.disconnect();
  const Trace trace = bench.finish();
  CHECK(ids_of(read_spans(trace)).size() == 37);
  CHECK(loss_of(trace, Loss::CORRUPT) == 2);
}

TEST_CASE("each record of a ring that several threads had is its thread's, when the process has died") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const uint32_t name = guest.intern("span");
  guest.add_span(0, 100, 200, name);
  bench.receive(guest.strings() + guest.batch(0));
  guest.add_span(0, 300, 400, name);
  guest.add_owner(0, 7001);
  guest.add_owner(0, 7002);
  guest.add_span(0, 500, 600, name);
  guest.add_span(0, 700, 800, name);
  guest.add_owner(0, 7003);
  guest.add_span(0, 900, 1000, name);
  guest.push_open(0, 1100, 99, name);
  guest.ring(0).thread = 7003;
  guest.ring(0).sent_thread = 7002;  // it had sent more than has come
  bench.peer.disconnect();

  const Trace trace = bench.finish();
  std::vector<std::pair<uint64_t, uint32_t>> threads;
  for (const auto& span : read_spans(trace)) threads.emplace_back(span.begin, span.thread);
  CHECK(threads ==
        std::vector<std::pair<uint64_t, uint32_t>>{{100, 100}, {300, 100}, {500, 7002}, {700, 7002}, {900, 7003}});
  CHECK(end_of(trace).recovered() == 4);
  CHECK(loss_of(trace, Loss::CORRUPT) == 0);
  uint32_t in_progress = 0;
  for (const auto& packet : trace.packet()) {
    if (packet.has_open_spans()) in_progress = packet.open_spans().thread();
  }
  CHECK(in_progress == 7003);
}

TEST_CASE("ticks become nanoseconds by the readings that came, those in shared memory, or the collector's own rate") {
  for (const int readings : {0, 1, 2, 3}) {
    PeerBench bench;
    FakeGuest guest(FakeGuest::Setup{.clock = CLOCK_TSC});
    usleep(20'000);  // the collector's own rate is as exact as the time over which it is measured
    const double rate = bench.recording.tsc_rate.ticks_per_ns();
    const auto ticks_at = [&](double ns) { return static_cast<uint64_t>(1e12 + ns * rate); };
    bench.receive(guest.hello(), {guest.memory_fd()});
    if (readings == 0) {
      guest.header().clock_ticks[0] = ticks_at(1e9);
      guest.header().clock_ns[0] = 1'000'000'000;
      guest.header().clock_ticks[1] = ticks_at(2e9);
      guest.header().clock_ns[1] = 2'000'000'000;
    }
    for (int i = 0; i < readings; ++i) {
      bench.receive(guest.clock_reading(ticks_at(1e9 + i * 1e9), 1'000'000'000 + 1'000'000'000 * uint64_t(i)));
    }
    guest.add_span(0, ticks_at(1.01e9), ticks_at(1.02e9), guest.intern("x"));
    bench.receive(guest.strings() + guest.batch(0));
    guest.add_span(0, ticks_at(1.03e9), ticks_at(1.04e9), 1);
    bench.peer.disconnect();
    const auto spans = read_spans(bench.finish());
    REQUIRE(spans.size() == 2);
    INFO(readings);
    for (int i = 0; i < 2; ++i) {
      const ReadSpan& span = spans[static_cast<size_t>(i)];
      CHECK(std::abs(static_cast<double>(span.begin) - (1.01e9 + i * 2e7)) < 1e5);
      CHECK(std::abs(static_cast<double>(span.end - span.begin) - 1e7) < 1e5);
    }
  }
}

TEST_CASE("a thread that records one span a batch pays no packet for each") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  guest.intern("layer");
  bench.receive(guest.strings());
  const size_t before = bench.file.bytes.size();
  constexpr uint64_t kSpans = 4000;
  for (uint64_t i = 0; i < kSpans; ++i) {
    guest.add_span(0, 5'000'000'000'000 + i * 160'000, 5'000'000'150'000 + i * 160'000, 1, 1);
    bench.receive(guest.batch(0));
  }
  bench.receive(guest.goodbye());
  bench.peer.disconnect();
  CHECK(read_spans(bench.finish()).size() == kSpans);
  CHECK(bench.file.bytes.size() - before <= 24 * kSpans);
}

}  // namespace
}  // namespace xsp::test
