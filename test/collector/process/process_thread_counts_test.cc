/// With how many threads calls were computed, on the way through the collector.

#include "collector/messages/peer_limits.h"
#include "collector/server/peer.h"
#include "test/catch.h"
#include "test/collector/peer_bench.h"

namespace xsp::test {
namespace {

std::vector<ThreadCounts> counts_in(const Trace& trace) {
  std::vector<ThreadCounts> found;
  for (const auto& packet : trace.packet()) {
    if (!packet.has_thread_counts()) continue;
    CHECK(packet.process() == 1);
    found.push_back(packet.thread_counts());
  }
  return found;
}

TEST_CASE("numbers of threads are in the trace as the guest sent them") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  ThreadCounts counts;
  counts.set_cores(8);
  counts.set_own(4);
  counts.set_ended(ThreadCounts::MEASURED);
  counts.set_sessions(3);
  counts.set_sessions_intra(2);
  counts.set_sessions_inter(1);
  for (uint32_t i = 0; i < 200; ++i) {
    auto* call = counts.add_call();
    call->set_ring(i % 3);
    call->set_span(1 + i * 1000);
    call->set_threads(1 + i % 8);
    call->set_setting(i % 2 == 0 ? ThreadCounts::PROBE : ThreadCounts::OWN);
    call->set_block(i);
    call->set_runnable(i % 5);
    call->set_waited_ns(uint64_t{i} << 40);
  }
  auto* change = counts.add_switch_();
  change->set_from(2);
  change->set_to(8);
  change->set_cost_ns(25'000);
  change->set_n(40);
  bench.receive(with([&](Packet& packet) { *packet.mutable_thread_counts() = counts; }));
  const auto found = counts_in(bench.finish());
  REQUIRE(found.size() == 1);
  CHECK(found[0].SerializeAsString() == counts.SerializeAsString());
}

TEST_CASE("what makes no sense in numbers of threads is left out") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  bench.receive(with([&](Packet& packet) {
    auto* counts = packet.mutable_thread_counts();
    counts->set_ended(static_cast<ThreadCounts::Ended>(99));
    counts->add_call()->set_threads(7);  // of no span
    auto* call = counts->add_call();
    call->set_span(5);
    call->set_setting(static_cast<ThreadCounts::Setting>(77));
    counts->add_switch_()->set_from(2);
  }));
  const auto found = counts_in(bench.finish());
  REQUIRE(found.size() == 1);
  CHECK(found[0].ended() == ThreadCounts::NOT_ENDED);
  REQUIRE(found[0].call_size() == 1);
  CHECK(found[0].call(0).span() == 5);
  CHECK(found[0].call(0).setting() == ThreadCounts::SETTING_UNSPECIFIED);
  CHECK(found[0].switch__size() == 0);
}

TEST_CASE("a packet of more calls than may be told at once ends its peer, and broken ones do") {
  const auto state_after = [](const std::string& bytes) {
    PeerBench bench;
    FakeGuest guest;
    bench.receive(guest.hello(), {guest.memory_fd()});
    return bench.receive(bytes);
  };
  const auto calls = [&](size_t count) {
    return state_after(with([&](Packet& packet) {
      for (size_t i = 0; i < count; ++i) packet.mutable_thread_counts()->add_call()->set_span(1);
    }));
  };
  CHECK(calls(kMaxThreadCounts) == Peer::State::kOpen);
  CHECK(calls(kMaxThreadCounts + 1) == Peer::State::kGone);
  CHECK(state_after(with([&](Packet& packet) {
          for (size_t i = 0; i <= kMaxThreadSwitches; ++i) {
            packet.mutable_thread_counts()->add_switch_()->set_from(1);
            packet.mutable_thread_counts()->mutable_switch_(static_cast<int>(i))->set_to(2);
          }
        })) == Peer::State::kGone);
  // A call that is cut off inside: its length says more than there is.
  CHECK(state_after(std::string("\x0a\x08\xda\x01\x05\x22\x7f\x08\x01\x10", 10)) == Peer::State::kGone);
}

}  // namespace
}  // namespace xsp::test
