#include "inject/torch/allocations.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "test/catch.h"
#include "test/inject/listening_peer.h"

namespace {

using namespace xsp::guest;
using xsp::test::ListeningPeer;
using xsp::test::Received;

constexpr uint8_t kModel = 2;
constexpr uint8_t kRoot = 4;

const void* block(uint64_t number) { return reinterpret_cast<const void*>(0x7f0000000000 + number * 64); }

/// A model call, which is open while `inside` runs.
void call_model(const std::function<void()>& inside) {
  Thread& thread = *recording_thread();
  begin_memory_of_call(thread);
  const uint32_t slot = open_span(thread, kModel, kRoot, intern("model"), 0, 0);
  note_allocations(thread, slot);
  inside();
  SpanResult result;
  tell_allocations(thread, slot, &result);
  end_memory_of_call(thread, slot);
  close_span(thread, slot, now(), 0, result);
}

struct Call {
  std::string layout;
  std::vector<uint64_t> values;
  bool operator==(const Call&) const = default;
};

/// The arguments of the spans of a process, in their order.
std::vector<Call> calls_of(const Received& received) {
  std::vector<Call> calls;
  for (const auto& packet : received.trace.packet()) {
    size_t at = 0;
    for (int i = 0; i < packet.arguments().span_size(); ++i) {
      Call call{received.strings.at(packet.arguments().layout(i)), {}};
      for (size_t end = at + packet.arguments().length(i); at < end; at += sizeof(uint64_t)) {
        std::memcpy(&call.values.emplace_back(), packet.arguments().values().data() + at, sizeof(uint64_t));
      }
      calls.push_back(call);
    }
  }
  return calls;
}

constexpr const char* kCpu = "cpu_live:u8 cpu_peak:u8";

TEST_CASE("a model span tells what was live at its end and at its peak, and what its thread allocated") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    if (!counts_allocations()) std::_Exit(1);
    count_allocation(block(1), 1000);
    call_model([] {
      count_allocation(block(2), 500);
      count_free(block(1));
      count_allocation(block(3), 200);
    });
    count_allocation(block(4), 5000);
    count_free(block(4));
    call_model([] { std::thread([] { count_allocation(block(5), 70); }).join(); });
  });
  CHECK(calls_of(received.at(0)) == std::vector<Call>{{kCpu, {700, 1500}}, {kCpu, {770, 770}}});
  uint64_t bytes = 0;
  for (const auto& packet : received[0].trace.packet()) {
    for (const uint64_t value : packet.spans().bytes()) bytes += value;
    if (packet.spans().count() != 0) CHECK(packet.spans().has_bytes());
  }
  CHECK(bytes == 700);
}

TEST_CASE("without an allocation nothing is known") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    if (!counts_allocations()) std::_Exit(1);
    call_model([] {});
  });
  CHECK(calls_of(received.at(0)).empty());
  for (const auto& packet : received[0].trace.packet()) CHECK_FALSE(packet.spans().has_bytes());
}

TEST_CASE("memory of devices is the sum of all, reserved too where it is told") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    if (!counts_allocations()) std::_Exit(1);
    count_device_change(1000, 4096, 0);
    call_model([] {
      count_device_change(300, 8192, 1);
      count_device_change(-1000, 4096, 0);
    });
    call_model([] { count_device_change(1, kUnknownReserved, 1); });
  });
  const std::string device = std::string(kCpu) + " device_live:u8 device_peak:u8";
  const auto calls = calls_of(received.at(0));
  CHECK(calls ==
        std::vector<Call>{{device + " device_reserved:u8", {0, 0, 300, 1300, 12288}}, {device, {0, 0, 301, 301}}});
}

TEST_CASE("calls of several threads have their own peaks, and beyond the most that are kept a call has none") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    if (!counts_allocations()) std::_Exit(1);
    count_allocation(block(1), 1);
    std::function<void(uint32_t)> nest = [&](uint32_t left) {
      call_model([&] {
        count_allocation(block(100 + left), 10);
        if (left > 0) std::thread([&] { nest(left - 1); }).join();
        count_free(block(100 + left));
      });
    };
    nest(kMaxWatchedCalls);
    call_model([] {});
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(calls.size() == kMaxWatchedCalls + 1);
  size_t with_all = 0;
  for (const Call& call : calls) with_all += call.values.at(1) == 1 + 10 * (kMaxWatchedCalls + 1) ? 1 : 0;
  CHECK(with_all == kMaxWatchedCalls);
  CHECK(received[0].spans.size() == kMaxWatchedCalls + 2);
}

TEST_CASE("a forked child has its parent's live blocks and none of its calls") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    if (!counts_allocations()) std::_Exit(1);
    count_allocation(block(1), 1000);
    call_model([] {
      if (fork() == 0) {
        count_allocation(block(2), 30);
        call_model([] { count_free(block(1)); });
        std::exit(0);
      }
      int status = 0;
      wait(&status);
    });
  });
  REQUIRE(received.size() == 2);
  CHECK(calls_of(received[0]) == std::vector<Call>{{kCpu, {1000, 1000}}});
  CHECK(calls_of(received[1]) == std::vector<Call>{{kCpu, {30, 1030}}});
}

TEST_CASE("where there are more live blocks than are kept, live memory of the CPU is not known") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    if (!counts_allocations()) std::_Exit(1);
    for (uint64_t i = 0; i < 600'000; ++i) count_allocation(block(i), 64);
    call_model([] {});
    count_device_change(5, 8, 0);
    call_model([] { count_allocation(block(700'000), 9); });
  });
  CHECK(calls_of(received.at(0)) == std::vector<Call>{{"device_live:u8 device_peak:u8 device_reserved:u8", {5, 5, 8}}});
}

}  // namespace
