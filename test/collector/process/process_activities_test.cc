/// What CUPTI told, from a guest's stream and shared memory to the trace.

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "base/monotonic_clock.h"
#include "collector/server/peer.h"
#include "collector/server/status_report.h"
#include "test/catch.h"
#include "test/collector/nanoseconds.h"
#include "test/collector/peer_bench.h"

namespace xsp::test {
namespace {

/// CUPTI's clock in these tests, against the guest's CLOCK_MONOTONIC.
constexpr uint64_t kOffset = 1'700'000'000'000'000'000;

using Reference = std::pair<int64_t, uint32_t>;
const Reference kNone{-1, 0};

shm::ActivityRecord kernel(uint64_t begin, uint32_t correlation, uint32_t name, uint32_t stream = 7) {
  shm::ActivityRecord activity{};
  activity.begin = kOffset + begin;
  activity.end = kOffset + begin + 1000;
  activity.correlation = correlation;
  activity.name = name;
  activity.stream = stream;
  activity.context = 1;
  activity.kind = KIND_KERNEL;
  return activity;
}

uint64_t loss_of(const Trace& trace, Loss::Reason reason) {
  uint64_t count = 0;
  for (const auto& packet : trace.packet()) {
    if (packet.has_loss() && packet.loss().reason() == reason) count = packet.loss().count();
  }
  return count;
}

/// `bytes` with a byte that is no UTF-8 for each '#': libprotobuf complains about writing one.
std::string not_utf8(std::string bytes) {
  std::replace(bytes.begin(), bytes.end(), '#', '\xff');
  return bytes;
}

/// A guest that has said hello and read CUPTI's clock.
struct Session {
  Session() {
    bench.receive(guest.hello(), {guest.memory_fd()});
    bench.receive(guest.cupti_reading(kOffset + kSecond, kSecond));
    bench.receive(guest.cupti_reading(kOffset + 100 * kSecond, 100 * kSecond));
  }
  Trace finish_with_goodbye() {
    bench.receive(guest.goodbye());
    return bench.finish();
  }

  PeerBench bench;
  FakeGuest guest;
};

TEST_CASE("a kernel is written with the span that launched it") {
  Session session;
  FakeGuest& guest = session.guest;
  const uint32_t call = guest.intern("cudaLaunchKernel");
  guest.intern("gemm");
  guest.intern("grid=[80,1,1] block=[256,1,1]");
  guest.add_launch(0, 2 * kSecond, 2 * kSecond + 5000, call, 17);
  shm::ActivityRecord gemm = kernel(2 * kSecond + 9000, 17, 2);
  gemm.configuration = 3;
  gemm.device = 1;
  guest.add_activity(1, gemm);
  session.bench.receive(guest.strings() + guest.batch(0) + guest.activities(1));

  const Trace trace = session.finish_with_goodbye();
  const auto executions = read_executions(trace);
  REQUIRE(executions.size() == 1);
  CHECK(executions[0].launch == Reference{0, 1});
  CHECK(executions[0].capture == kNone);
  CHECK(executions[0].name == "gemm");
  CHECK(executions[0].configuration == "grid=[80,1,1] block=[256,1,1]");
  CHECK(executions[0].begin == 2 * kSecond + 9000);
  CHECK(executions[0].end == 2 * kSecond + 10000);
  CHECK(executions[0].level == LEVEL_DEVICE);
  CHECK(executions[0].kind == KIND_KERNEL);
  CHECK(executions[0].device == 1);
  CHECK(executions[0].context == 1);
  CHECK(executions[0].stream == 7);
  const auto spans = read_spans(trace);
  REQUIRE(spans.size() == 1);
  CHECK(spans[0].correlation == 17);
  CHECK(session.bench.recording.summary.executions == 1);
  CHECK(session.bench.recording.summary.unmatched_executions == 0);
}

TEST_CASE("an execution that comes before its launch waits for it, one without a launch is written at the end") {
  Session session;
  FakeGuest& guest = session.guest;
  guest.intern("name");
  guest.add_activity(1, kernel(3 * kSecond, 5, 1));
  guest.add_activity(1, kernel(3 * kSecond, 6, 1));
  session.bench.receive(guest.strings() + guest.activities(1));
  guest.add_launch(0, 2 * kSecond, 2 * kSecond + 1, 1, 5);
  session.bench.receive(guest.batch(0));
  const auto executions = read_executions(session.finish_with_goodbye());
  REQUIRE(executions.size() == 2);
  CHECK(executions[0].launch == Reference{0, 1});
  CHECK(executions[1].launch == kNone);
  CHECK(executions[1].correlation == 6);
  CHECK(session.bench.recording.summary.executions == 2);
  CHECK(session.bench.recording.summary.unmatched_executions == 1);
  const std::string status = status_report({}, session.bench.recording);
  CHECK(status.find("\"executions\":2") != std::string::npos);
  CHECK(status.find("\"unmatched_executions\":1") != std::string::npos);
}

TEST_CASE("any order of batches gives the same join") {
  std::mt19937 random(5);
  for (int round = 0; round < 40; ++round) {
    Session session;
    FakeGuest& guest = session.guest;
    guest.intern("name");
    session.bench.receive(guest.strings());
    // Around the wrap of the 32-bit id; launch i of ring i % 3 has i % 4 executions.
    const auto id_of = [](uint32_t i) { return UINT32_MAX - 150 + i + (i > 150 ? 1 : 0); };
    std::map<uint32_t, Reference> launches;
    size_t expected = 0;
    std::vector<uint32_t> ids;
    for (uint32_t i = 0; i < 300; ++i) ids.push_back(i);
    std::shuffle(ids.begin(), ids.end(), random);
    for (const uint32_t i : ids) {
      const uint32_t span = guest.add_launch(i % 3, 2 * kSecond + i, 2 * kSecond + i + 1, 1, id_of(i));
      launches[id_of(i)] = {i % 3, span};
    }
    std::shuffle(ids.begin(), ids.end(), random);
    for (const uint32_t i : ids) {
      for (uint32_t k = 0; k < i % 4; ++k, ++expected) {
        guest.add_activity(3, kernel(3 * kSecond + i * 10 + k, id_of(i), 1, i % 5));
      }
    }
    for (int empty = 0; empty < 60;) {
      const auto index = static_cast<uint32_t>(random() % 4);
      const auto limit = static_cast<uint32_t>(1 + random() % 60);
      const std::string bytes = index == 3 ? guest.activities(3, limit) : guest.batch(index, limit);
      empty = bytes.empty() ? empty + 1 : 0;
      if (!bytes.empty()) session.bench.receive(bytes);
    }
    const auto executions = read_executions(session.finish_with_goodbye());
    REQUIRE(executions.size() == expected);
    std::set<uint64_t> begins;
    for (const auto& execution : executions) {
      REQUIRE(execution.launch == launches[execution.correlation]);
      begins.insert(execution.begin);
      REQUIRE(execution.stream == (execution.begin - 3 * kSecond) / 10 % 5);
    }
    CHECK(begins.size() == expected);
  }
}

TEST_CASE("one launch has any number of executions, and a launch none") {
  Session session;
  FakeGuest& guest = session.guest;
  guest.intern("name");
  const uint32_t graph = guest.add_launch(0, 2 * kSecond, 2 * kSecond + 1, 1, 100);
  guest.add_launch(0, 2 * kSecond, 2 * kSecond + 1, 1, 101);
  for (uint64_t i = 0; i < 1000; ++i) guest.add_activity(1, kernel(3 * kSecond + i, 100, 1));
  session.bench.receive(guest.strings() + guest.activities(1, 300) + guest.batch(0) + guest.activities(1));
  const auto executions = read_executions(session.finish_with_goodbye());
  REQUIRE(executions.size() == 1000);
  for (const auto& execution : executions) REQUIRE(execution.launch == Reference{0, graph});
}

TEST_CASE("two processes may use the same correlation ids") {
  MemoryFile file;
  TraceWriter writer{file};
  Recording recording{writer};
  uint32_t processes = 0;
  Peer first{-1, recording, processes};
  Peer second{-1, recording, processes};
  FakeGuest guests[2];
  Peer* peers[] = {&first, &second};
  const auto send = [&](size_t i, const std::string& bytes, std::vector<int> fds = {}) {
    peers[i]->receive(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), std::move(fds));
  };
  for (size_t i = 0; i < 2; ++i) {
    guests[i].intern("name");
    send(i, guests[i].hello(), {guests[i].memory_fd()});
    send(i, guests[i].strings() + guests[i].cupti_reading(kOffset + 9 * kSecond, 9 * kSecond));
    guests[i].add_activity(3, kernel(3 * kSecond, 5, 1));
    send(i, guests[i].activities(3));
  }
  // Only the second one's launch comes.
  guests[1].add_launch(2, 2 * kSecond, 2 * kSecond + 1, 1, 5);
  send(1, guests[1].batch(2));
  for (Peer* peer : peers) {
    peer->disconnect();
    while (peer->process()->work()) {
    }
  }
  writer.flush();
  const auto executions = read_executions(parse_trace(file.bytes));
  REQUIRE(executions.size() == 2);
  for (const auto& execution : executions) {
    CHECK(execution.launch == (execution.process == 2 ? Reference{2, 1} : kNone));
  }
}

TEST_CASE("a guest killed after any byte it sent has each execution in the trace once, with its launch") {
  const auto run = [](size_t cut) -> size_t {
    PeerBench bench;
    FakeGuest guest;
    std::string stream = guest.hello();
    const size_t handshake = stream.size();
    stream += guest.cupti_reading(kOffset + 100 * kSecond, 100 * kSecond);
    uint32_t correlation = 0;
    for (int i = 0; i < 6; ++i) {
      const uint32_t name = guest.intern("kernel" + std::to_string(i));
      for (uint64_t k = 0; k < 4; ++k) {
        ++correlation;
        guest.add_launch(2, 2 * kSecond, 2 * kSecond + 1, name, correlation);
        guest.add_graph_node(2, 50 + correlation, 0, guest.ring(2).head);
        shm::ActivityRecord node = kernel(3 * kSecond + correlation, correlation, name);
        node.graph_node = 50 + correlation;
        guest.add_activity(0, node);
      }
      // The last strings and records are never sent.
      if (i < 5) stream += guest.strings() + guest.activities(0, 3) + guest.batch(2, 5);
    }
    if (cut < handshake) return stream.size();
    bench.receive(stream.substr(0, handshake), {guest.memory_fd()});
    bench.receive(stream.substr(handshake, std::min(cut, stream.size()) - handshake));
    bench.peer.disconnect();

    const Trace trace = bench.finish();
    const auto executions = read_executions(trace);
    CHECK(executions.size() == 24);
    std::set<uint32_t> correlations;
    for (const auto& execution : executions) {
      REQUIRE(correlations.insert(execution.correlation).second);
      // Spans and nodes take turns on the ring.
      REQUIRE(execution.launch == Reference{2, execution.correlation * 2 - 1});
      REQUIRE(execution.capture == execution.launch);
      REQUIRE(execution.name.substr(0, 6) == "kernel");
    }
    CHECK(read_spans(trace).size() == 24);
    CHECK(loss_of(trace, Loss::CORRUPT) == 0);
    const auto& end = trace.packet(trace.packet_size() - 1).process_end();
    CHECK(end.spans() == 48);
    return stream.size();
  };
  const size_t size = run(0);
  for (size_t cut = 0; cut <= size; ++cut) run(cut);
}

TEST_CASE("a kernel of a graph has the span in which its node was captured, of a clone its original's") {
  Session session;
  FakeGuest& guest = session.guest;
  guest.intern("name");
  const uint32_t layer = guest.add_span(2, kSecond, 2 * kSecond, 1);
  guest.add_graph_node(2, 70, 0, layer);
  guest.add_graph_node(3, 71, 70, 0);  // instantiated by another thread
  guest.add_graph_node(3, 72, 71, 0);
  guest.add_graph_node(2, 73, 0, 0);  // made outside of all spans
  const uint32_t launch = guest.add_launch(0, 2 * kSecond, 2 * kSecond + 1, 1, 9);
  for (const uint64_t node : {70, 71, 72, 73, 74}) {
    shm::ActivityRecord activity = kernel(3 * kSecond + node, 9, 1);
    activity.graph_node = node;
    activity.graph = 4;
    guest.add_activity(1, activity);
  }
  session.bench.receive(guest.strings() + guest.batch(3) + guest.activities(1) + guest.batch(0) + guest.batch(2));
  const auto executions = read_executions(session.finish_with_goodbye());
  REQUIRE(executions.size() == 5);
  for (const auto& execution : executions) {
    CHECK(execution.launch == Reference{0, launch});
    CHECK(execution.capture == (execution.graph_node <= 72 ? Reference{2, layer} : kNone));
    CHECK(execution.graph == 4);
  }
}

TEST_CASE("calls of the API that came as records are spans of their threads, and launches") {
  Session session;
  FakeGuest& guest = session.guest;
  guest.intern("cudaMemcpyAsync");
  guest.intern("cudart");
  for (uint32_t i = 0; i < 3; ++i) {
    shm::ActivityRecord call{};
    call.begin = kOffset + 3 * kSecond - i * 10;
    call.end = call.begin + 5;
    call.kind = KIND_RUNTIME_CALL;
    call.name = 1;
    call.configuration = 2;
    call.context = 900 + i % 2;
    call.correlation = 40 + i;
    call.flags = i == 2 ? shm::kFlagFailed : 0;
    guest.add_activity(1, kernel(3 * kSecond + i, 40 + i, 1));
    guest.add_activity(1, call);
  }
  session.bench.receive(guest.strings() + guest.activities(1, 4));
  guest.header().losses[static_cast<size_t>(Loss::ACTIVITY)] = 3;
  const Trace trace = session.bench.finish();  // the last ones come from the ring
  const auto spans = read_spans(trace);
  REQUIRE(spans.size() == 3);
  std::map<uint32_t, Reference> calls;
  for (const auto& span : spans) {
    CHECK(span.name == "cudaMemcpyAsync");
    CHECK(span.type == "cudart");
    CHECK(span.level == LEVEL_RUNTIME);
    CHECK(span.kind == KIND_RUNTIME_CALL);
    CHECK(span.thread == 900 + span.correlation % 2);
    CHECK(span.begin == 3 * kSecond - (span.correlation - 40) * 10);
    CHECK(span.failed == (span.correlation == 42));
    CHECK(span.ring >= 0x20000);
    calls[span.correlation] = {span.ring, span.id};
  }
  CHECK(std::set<Reference>{calls[40], calls[41], calls[42]}.size() == 3);
  const auto executions = read_executions(trace);
  REQUIRE(executions.size() == 3);
  for (const auto& execution : executions) CHECK(execution.launch == calls[execution.correlation]);
  CHECK(loss_of(trace, Loss::ACTIVITY) == 3);
}

TEST_CASE("the driver's call inside a call of the runtime is a part of that, one on its own is a launch") {
  for (const bool is_driver_first : {true, false}) {
    Session session;
    FakeGuest& guest = session.guest;
    guest.intern("name");
    session.bench.receive(guest.strings());
    const auto add_call = [&](Kind kind, uint32_t correlation, uint64_t begin) {
      shm::ActivityRecord call{};
      call.begin = kOffset + begin;
      call.end = call.begin + 5;
      call.kind = static_cast<uint8_t>(kind);
      call.name = 1;
      call.context = 900;
      call.correlation = correlation;
      guest.add_activity(1, call);
      session.bench.receive(guest.activities(1));
    };
    guest.add_activity(1, kernel(3 * kSecond, 40, 1));
    guest.add_activity(1, kernel(3 * kSecond, 41, 1));
    add_call(KIND_DRIVER_CALL, 41, 2 * kSecond);
    if (is_driver_first) add_call(KIND_DRIVER_CALL, 40, 2 * kSecond);
    add_call(KIND_RUNTIME_CALL, 40, kSecond);
    if (!is_driver_first) add_call(KIND_DRIVER_CALL, 40, 2 * kSecond);
    const Trace trace = session.finish_with_goodbye();
    std::map<uint32_t, ReadSpan> calls;
    for (const auto& span : read_spans(trace)) REQUIRE(calls.emplace(span.correlation, span).second);
    REQUIRE(calls.size() == 2);
    CHECK(calls[40].kind == KIND_RUNTIME_CALL);
    CHECK(calls[41].kind == KIND_DRIVER_CALL);
    for (const auto& execution : read_executions(trace)) {
      CHECK(execution.launch == Reference{calls[execution.correlation].ring, calls[execution.correlation].id});
    }
    CHECK(trace.packet(trace.packet_size() - 1).process_end().spans() == 4);
  }
}

TEST_CASE("a stream interval keeps the model span that it measured, by the socket and from the ring") {
  PeerBench bench;
  FakeGuest guest(FakeGuest::Setup{.clock = CLOCK_TSC});
  bench.receive(guest.hello(), {guest.memory_fd()});
  for (uint64_t i = 1; i <= 5; ++i) bench.receive(guest.clock_reading(i * 2 * kSecond, i * kSecond));
  guest.intern("model");
  for (uint32_t i = 0; i < 2; ++i) {
    shm::ActivityRecord interval{};
    interval.begin = 4 * kSecond;
    interval.end = 5 * kSecond;
    interval.kind = KIND_STREAM_INTERVAL;
    interval.graph_node = 12 + i;
    interval.correlation = 2;
    interval.name = 1;
    guest.add_activity(1, interval);
  }
  bench.receive(guest.strings() + guest.activities(1, 1));
  const auto executions = read_executions(bench.finish());
  REQUIRE(executions.size() == 2);
  for (uint32_t i = 0; i < 2; ++i) {
    CHECK(executions[i].launch == Reference{2, 12 + i});
    CHECK(executions[i].kind == KIND_STREAM_INTERVAL);
    CHECK(executions[i].level == LEVEL_DEVICE);
    CHECK(executions[i].begin == 2 * kSecond);
    CHECK(executions[i].end == 2 * kSecond + kSecond / 2);
    CHECK(executions[i].correlation == 0);
    CHECK(executions[i].graph_node == 0);
  }
  CHECK(bench.recording.summary.executions == 0);
}

TEST_CASE("gaps and devices are written through, the same ones once") {
  Session session;
  const auto gap = [](uint64_t begin, uint64_t end, const char* detail) {
    return with([&](Packet& packet) {
      packet.mutable_gap()->set_reason(Gap::OTHER_PROFILER);
      packet.mutable_gap()->set_level(LEVEL_DEVICE);
      packet.mutable_gap()->set_begin_ns(begin);
      packet.mutable_gap()->set_end_ns(end);
      packet.mutable_gap()->set_detail(detail);
    });
  };
  session.bench.receive(gap(10, 0, "torch.profiler") + gap(10, 0, "torch.profiler") + gap(10, 30, "torch.profiler") +
                        not_utf8(gap(50, 40, "x#")));
  const auto device = with([](Packet& packet) {
    packet.mutable_device()->set_index(2);
    packet.mutable_device()->set_name("A # GPU");
    packet.mutable_device()->set_uuid(std::string(16, 'u'));
    packet.mutable_device()->set_compute_capability_major(9);
    packet.mutable_device()->set_memory_bytes(uint64_t{80} << 30);
    packet.mutable_device()->set_cupti_version(130001);
    packet.mutable_device()->set_l2_cache_bytes(uint64_t{50} << 30);
    packet.mutable_device()->set_memory_bandwidth(3'350'000'000'000);
    packet.mutable_device()->set_chip("GH#00");
  });
  session.bench.receive(not_utf8(device + device));
  std::vector<Gap> gaps;
  std::vector<Device> devices;
  const Trace trace = session.finish_with_goodbye();
  for (const auto& packet : trace.packet()) {
    if (packet.has_gap()) gaps.push_back(packet.gap());
    if (packet.has_device()) devices.push_back(packet.device());
  }
  REQUIRE(gaps.size() == 3);
  CHECK(gaps[0].end_ns() == 0);
  CHECK(gaps[1].end_ns() == 30);
  CHECK(gaps[1].detail() == "torch.profiler");
  CHECK(gaps[1].level() == LEVEL_DEVICE);
  CHECK(gaps[2].end_ns() == 50);
  CHECK(gaps[2].detail() == "x?");
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].name() == "A ? GPU");
  CHECK(devices[0].index() == 2);
  CHECK(devices[0].uuid() == std::string(16, 'u'));
  CHECK(devices[0].compute_capability_major() == 9);
  CHECK(devices[0].memory_bytes() == uint64_t{80} << 30);
  CHECK(devices[0].cupti_version() == 130001);
  CHECK(devices[0].l2_cache_bytes() == uint64_t{50} << 30);
  CHECK(devices[0].memory_bandwidth() == 3'350'000'000'000);
  CHECK(devices[0].chip() == "GH?00");
}

TEST_CASE("counters are written through but for numbers of executions, which a guest does not know") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const uint32_t metric = guest.intern("dram__bytes_read.sum");
  const uint32_t kernel = guest.intern("gemm");
  bench.receive(guest.strings());
  bench.receive(with([&](Packet& packet) {
    CounterBatch& batch = *packet.mutable_counters();
    batch.set_device(3);
    batch.set_passes(2);
    batch.set_detail("kernel replay");
    batch.set_count(2);
    batch.add_metric(metric);
    batch.add_metric(999);
    batch.add_name(kernel);
    batch.add_name(kernel);
    batch.add_ordinal(4);
    batch.add_ordinal(1);
    batch.add_execution(2);
    batch.add_execution(2);
    for (int i = 0; i < 4; ++i) batch.add_value(i + 0.25);
  }));
  const Trace trace = bench.finish();
  std::vector<CounterBatch> found;
  for (const auto& packet : trace.packet()) {
    if (packet.has_counters()) found.push_back(packet.counters());
  }
  REQUIRE(found.size() == 1);
  const CounterBatch& batch = found[0];
  CHECK(batch.device() == 3);
  CHECK(batch.passes() == 2);
  CHECK(batch.detail() == "kernel replay");
  CHECK(batch.count() == 2);
  REQUIRE(batch.metric_size() == 2);
  CHECK(batch.metric(0) == metric);
  CHECK(batch.metric(1) == 0);
  REQUIRE(batch.name_size() == 2);
  CHECK(batch.name(1) == kernel);
  REQUIRE(batch.ordinal_size() == 2);
  CHECK(batch.ordinal(1) == 1);
  CHECK(batch.execution_size() == 0);
  REQUIRE(batch.value_size() == 4);
  CHECK(batch.value(3) == 3.25);
}

TEST_CASE("times of the device and of the host agree within the error that the trace tells") {
  PeerBench bench;
  FakeGuest guest(FakeGuest::Setup{.clock = CLOCK_TSC});
  bench.receive(guest.hello(), {guest.memory_fd()});
  guest.intern("x");
  bench.receive(guest.strings());
  std::mt19937 random(9);
  std::normal_distribution<double> noise(0, 200);
  const auto tsc_at = [](double ns) { return static_cast<uint64_t>(1e12 + ns * 2.1); };
  // CLOCK_REALTIME, slewed by 200 ppm.
  const auto cupti_at = [](double ns) { return static_cast<uint64_t>(1.7e18) + static_cast<uint64_t>(ns * 1.0002); };
  const auto reading = [&](double ns) {
    bench.receive(guest.clock_reading(tsc_at(ns), static_cast<uint64_t>(ns + noise(random))) +
                  guest.cupti_reading(cupti_at(ns), static_cast<uint64_t>(ns + noise(random))));
  };
  reading(1e9);
  uint32_t correlation = 0;
  for (double now = 1.1e9; now < 30e9; now += 1e8) {
    ++correlation;
    // A call and its kernel, which begins and ends with it.
    guest.add_launch(0, tsc_at(now - 5e7), tsc_at(now - 4e7), 1, correlation);
    shm::ActivityRecord activity{};
    activity.begin = cupti_at(now - 5e7);
    activity.end = cupti_at(now - 4e7);
    activity.kind = KIND_KERNEL;
    activity.correlation = correlation;
    guest.add_activity(1, activity);
    reading(now);
    bench.receive(guest.batch(0) + guest.activities(1));
  }
  bench.receive(guest.goodbye());
  const Trace trace = bench.finish();
  double error = 0;
  int clocks = 0;
  for (const auto& packet : trace.packet()) {
    if (!packet.has_clock()) continue;
    ++clocks;
    error += static_cast<double>(packet.clock().error_ns());
    CHECK(packet.clock().ticks_per_ns() ==
          Approx(packet.clock().clock() == CLOCK_CUPTI ? 1.0002 : 2.1).epsilon(0.0001));
  }
  CHECK(clocks == 2);
  CHECK(error < 100'000);
  std::map<uint32_t, ReadSpan> launches;
  for (const auto& span : read_spans(trace)) launches[span.correlation] = span;
  const auto executions = read_executions(trace);
  REQUIRE(executions.size() == correlation);
  for (const auto& execution : executions) {
    const ReadSpan& launch = launches[execution.correlation];
    REQUIRE(std::abs(static_cast<double>(execution.begin) - static_cast<double>(launch.begin)) <= error);
    REQUIRE(std::abs(static_cast<double>(execution.end) - static_cast<double>(launch.end)) <= error);
  }
}

TEST_CASE("without a reading of CUPTI's clock it is taken for CLOCK_REALTIME") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  guest.intern("x");
  const uint64_t now = monotonic_ns();
  shm::ActivityRecord activity{};
  activity.begin = now + static_cast<uint64_t>(realtime_offset_ns());
  activity.end = activity.begin + 10;
  activity.kind = KIND_KERNEL;
  guest.add_activity(1, activity);
  const auto executions = read_executions(bench.finish());
  REQUIRE(executions.size() == 1);
  CHECK(std::abs(static_cast<double>(executions[0].begin) - static_cast<double>(now)) < 1e6);
}

TEST_CASE("executions without a time are a loss") {
  Session session;
  session.guest.intern("x");
  shm::ActivityRecord activity = kernel(0, 1, 1);
  activity.begin = activity.end = 0;
  session.guest.add_activity(1, activity);
  session.bench.receive(session.guest.strings() + session.guest.activities(1));
  const Trace trace = session.finish_with_goodbye();
  CHECK(read_executions(trace).empty());
  CHECK(loss_of(trace, Loss::ZERO_TIME) == 1);
}

TEST_CASE("executions of another day are a loss") {
  constexpr uint64_t kDay = uint64_t{24} * 3600 * 1'000'000'000;
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  guest.intern("x");
  const uint64_t now = monotonic_ns();
  const uint64_t offset = static_cast<uint64_t>(realtime_offset_ns());
  bench.receive(guest.strings() + guest.cupti_reading(now + offset, now));
  for (const uint64_t begin : {now + kDay, now, uint64_t{0} - kDay}) {  // the last one before the machine started
    shm::ActivityRecord activity = kernel(0, 1, 1);
    activity.begin = begin + offset;
    activity.end = activity.begin + 10;
    guest.add_activity(1, activity);
  }
  bench.receive(guest.activities(1));
  const Trace trace = bench.finish();
  CHECK(read_executions(trace).size() == 1);
  CHECK(loss_of(trace, Loss::ZERO_TIME) == 2);
}

}  // namespace
}  // namespace xsp::test
