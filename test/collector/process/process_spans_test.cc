/// Arguments of calls on their way through the collector: before their span, each once, whatever the guest does.

#include <functional>

#include "collector/messages/peer_limits.h"
#include "collector/server/peer.h"
#include "collector/writing/ring_stream.h"
#include "test/catch.h"
#include "test/collector/peer_bench.h"

namespace xsp::test {
namespace {

const ProcessEnd& end_of(const Trace& trace) { return trace.packet(trace.packet_size() - 1).process_end(); }

uint64_t corrupt_of(const Trace& trace) {
  uint64_t count = 0;
  for (const auto& packet : trace.packet()) {
    if (packet.loss().reason() == Loss::CORRUPT) count = packet.loss().count();
  }
  return count;
}

/// Bytes that name the call they belong to.
std::string values_of(uint32_t call, size_t length) {
  std::string values = std::to_string(call) + ":";
  while (values.size() < length) values += static_cast<char>('a' + values.size() % 26);
  return values;
}

TEST_CASE("arguments are in the trace before their spans, as they were sent") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const uint32_t layout = guest.intern("m:i4 n:i4");
  const uint32_t name = guest.intern("gemm");
  std::vector<std::string> expected;
  std::string stream;
  for (uint32_t i = 0; i < 3000; ++i) {
    expected.push_back(values_of(i, 4 + i % 170));
    guest.add_call(i % 2, 10 * i, 10 * i + 5, name, layout, expected.back());
    if (i % 2 == 1 && i % 7 == 0) stream += guest.strings() + guest.batch(0) + guest.batch(1);
  }
  stream += guest.strings() + guest.batch(0) + guest.batch(1);
  while (guest.ring(0).sent < guest.ring(0).head || guest.ring(1).sent < guest.ring(1).head) {
    stream += guest.batch(0) + guest.batch(1);
  }
  bench.receive(stream);
  bench.receive(guest.goodbye());
  const Trace trace = bench.finish();
  CHECK(read_spans(trace).size() == 3000);
  const auto arguments = read_arguments(trace);
  REQUIRE(arguments.size() == 3000);
  for (const auto& entry : arguments) {
    CHECK(entry.layout == "m:i4 n:i4");
    const auto call = static_cast<size_t>(std::stoi(entry.values));
    CHECK(entry.values == expected[call]);
    CHECK(entry.ring == call % 2);
  }
}

TEST_CASE("a guest killed after any byte it sent has the arguments of each of its calls in the trace once") {
  const auto run = [](size_t cut) -> size_t {
    PeerBench bench;
    FakeGuest guest;
    std::string stream = guest.hello();
    const size_t handshake = stream.size();
    for (uint32_t i = 0; i < 6; ++i) {
      const uint32_t text = guest.intern("x" + std::to_string(i));
      guest.add_call(0, 10, 20, text, text, values_of(i, 100));
      guest.add_call(0, 30, 40, text, text, values_of(i, 10));
      // The last strings and records are never sent; batches end behind a span.
      if (i < 5) stream += guest.strings() + guest.batch(0, 6);
    }
    if (cut < handshake) return stream.size();
    bench.receive(stream.substr(0, handshake), {guest.memory_fd()});
    bench.receive(stream.substr(handshake, std::min(cut, stream.size()) - handshake));
    const Trace trace = bench.finish();
    CHECK(read_spans(trace).size() == 12);
    const auto arguments = read_arguments(trace);
    REQUIRE(arguments.size() == 12);
    for (size_t i = 0; i < arguments.size(); ++i) {
      CHECK(arguments[i].values == values_of(static_cast<uint32_t>(i / 2), i % 2 == 0 ? 100 : 10));
      CHECK(arguments[i].layout == "x" + std::to_string(i / 2));
    }
    CHECK(corrupt_of(trace) == 0);
    return stream.size();
  };
  const size_t size = run(0);
  for (size_t cut = 0; cut <= size; ++cut) run(cut);
}

TEST_CASE("the parts of calls that a signal handler's calls came between are recovered with their own spans") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const uint32_t layout = guest.intern("layout");
  const std::string full(shm::kArgumentBytes, 'o');
  guest.add_argument_part(0, 6, layout, 0, full);  // record 0
  guest.add_argument_part(0, 4, layout, 0, full);
  guest.add_argument_part(0, 4, layout, 1, "inner");
  guest.add_span(0, 2, 3, layout);  // id 4
  guest.add_argument_part(0, 6, layout, 1, "outer");
  guest.add_span(0, 1, 4, layout);                      // id 6
  guest.add_argument_part(0, 8, layout, 1, "no head");  // its part 0 was dropped
  guest.add_span(0, 5, 6, layout);                      // id 8
  guest.add_argument_part(0, 99, layout, 0, "killed before its span");
  const auto arguments = read_arguments(bench.finish());
  REQUIRE(arguments.size() == 2);
  CHECK(arguments[0].span == 4);
  CHECK(arguments[0].values == full + "inner");
  CHECK(arguments[1].span == 6);
  CHECK(arguments[1].values == full + "outer");
}

TEST_CASE("argument records that make no sense are counted, and their spans stay") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const uint32_t layout = guest.intern("layout");
  guest.add_argument_part(0, 2, layout, 0, "too long");
  reinterpret_cast<shm::ArgumentRecord&>(guest.record(0, 0)).length = shm::kArgumentBytes + 1;
  guest.add_span(0, 1, 2, layout);
  guest.add_argument_part(0, 4, layout, shm::kMaxArgumentParts, "part");
  guest.add_span(0, 1, 2, layout);
  guest.add_argument_part(0, 6, 4000, 0, "unknown layout");
  guest.add_span(0, 1, 2, layout);
  guest.add_argument_part(0, 8, 0, 0, "no layout");
  guest.add_span(0, 1, 2, layout);
  const Trace trace = bench.finish();
  CHECK(read_spans(trace).size() == 4);
  CHECK(read_arguments(trace).empty());
  CHECK(corrupt_of(trace) == 4);
}

TEST_CASE("argument batches that contradict themselves cut the peer off") {
  const auto batch = [](const std::function<void(ArgumentBatch&)>& fill) {
    return with([&](Packet& packet) {
      packet.mutable_arguments()->add_span(2);
      packet.mutable_arguments()->add_layout(1);
      packet.mutable_arguments()->add_length(4);
      packet.mutable_arguments()->set_values("abcd");
      fill(*packet.mutable_arguments());
    });
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"values too short", batch([](ArgumentBatch& b) { b.set_values("abc"); })},
      {"values too long", batch([](ArgumentBatch& b) { b.set_values("abcde"); })},
      {"a column too long", batch([](ArgumentBatch& b) { b.add_span(3); })},
      {"a column too short", batch([](ArgumentBatch& b) { b.clear_length(); })},
      {"a huge length", batch([](ArgumentBatch& b) { b.set_length(0, UINT32_MAX); })},
      {"a length beyond what a call can have", batch([](ArgumentBatch& b) {
         b.set_length(0, kMaxArgumentBytes + 1);
         b.set_values(std::string(kMaxArgumentBytes + 1, 'x'));
       })},
      {"a ring beyond the last", batch([](ArgumentBatch& b) { b.set_ring(shm::kMaxRings); })},
      {"arguments of too many calls", batch([](ArgumentBatch& b) {
         for (size_t i = 0; i < kMaxHeldArguments; ++i) {
           b.add_span(2);
           b.add_layout(1);
           b.add_length(0);
         }
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
    CHECK(read_arguments(trace).empty());
    CHECK(end_of(trace).how() == ProcessEnd::CUT_OFF);
  }
}

TEST_CASE("arguments of an unknown layout are counted, not believed") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const uint32_t name = guest.intern("gemm");
  guest.add_call(0, 1, 2, name, 77, "abc");
  guest.add_call(0, 3, 4, name, name, "def");
  bench.receive(guest.strings() + guest.batch(0) + guest.goodbye());
  const Trace trace = bench.finish();
  CHECK(read_spans(trace).size() == 2);
  REQUIRE(read_arguments(trace).size() == 1);
  CHECK(read_arguments(trace)[0].values == "def");
  CHECK(corrupt_of(trace) == 1);
}

TEST_CASE("a call in progress is told as open, whatever bytes its arguments have") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const uint32_t name = guest.intern("gemm");
  guest.push_open(0, 5, 7, name);
  const std::string sevens("\7\0\0\0\7\0\0\0\7\0\0\0\7\0\0\0\7\0\0\0\7\0\0\0", 24);
  guest.add_argument_part(0, 7, name, 0, sevens);
  guest.add_tag(0, 7, name, name);
  int open = 0;
  const Trace trace = bench.finish();
  for (const auto& packet : trace.packet()) open += packet.open_spans().span_size();
  CHECK(open == 1);
}

TEST_CASE("libraries that are not intercepted are passed on, each once and at most so many") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const auto library = [](const std::string& file) {
    return with([&](Packet& packet) {
      auto& about = *packet.mutable_unintercepted();
      about.set_reason(Unintercepted::DEEPBIND);
      about.set_library("cublas");
      about.set_file(file);
      about.set_user("/bin/user");
      about.set_detail("why");
    });
  };
  bench.receive(library("/lib/a.so") + library("/lib/a.so"));
  std::string not_utf8 = library("@@");
  not_utf8.replace(not_utf8.find("@@"), 2, "\xff\xfe");
  bench.receive(not_utf8);
  for (size_t i = 0; i < 2 * kMaxUnintercepted; ++i) bench.receive(library("/lib/" + std::to_string(i)));
  CHECK(bench.receive(library(std::string(5000, 'x'))) == Peer::State::kGone);
  std::vector<Unintercepted> found;
  const Trace trace = bench.finish();
  for (const auto& packet : trace.packet()) {
    if (packet.has_unintercepted()) found.push_back(packet.unintercepted());
  }
  REQUIRE(found.size() == kMaxUnintercepted);
  CHECK(found[0].reason() == Unintercepted::DEEPBIND);
  CHECK(found[0].library() == "cublas");
  CHECK(found[0].file() == "/lib/a.so");
  CHECK(found[0].user() == "/bin/user");
  CHECK(found[0].detail() == "why");
  CHECK(found[1].file() == "??");
  CHECK(found[2].file() == "/lib/0");
}

TEST_CASE("a string of the greatest length crosses the socket and the shared memory") {
  for (const bool sent : {false, true}) {
    PeerBench bench;
    FakeGuest guest;
    bench.receive(guest.hello(), {guest.memory_fd()});
    const std::string plan(kMaxStringBytes, 'p');
    guest.add_span(0, 1, 2, guest.intern(plan));
    if (sent) bench.receive(guest.strings() + guest.batch(0));
    const auto spans = read_spans(bench.finish());
    REQUIRE(spans.size() == 1);
    CHECK(spans[0].name == plan);
  }
}

}  // namespace
}  // namespace xsp::test
