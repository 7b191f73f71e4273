// Intervals on a driver whose events pass when the test says.
#include "inject/streams/stream_events.h"

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"

namespace {

using namespace xsp::guest;
using xsp::Loss;
using xsp::test::ListeningPeer;
using xsp::test::Received;

constexpr uint64_t kMs = 1'000'000;
constexpr DeviceStream kStream{nullptr, 0};

template <typename Value>
Value& script(const char* name) {
  static void* driver = dlopen(SCRIPTED_DRIVER, RTLD_NOW | RTLD_GLOBAL);
  return *static_cast<Value*>(dlsym(driver, name));
}
uint64_t& passes_after_ns() { return script<uint64_t>("script_passes_after_ns"); }
uint64_t& record_waits_ns() { return script<uint64_t>("script_record_waits_ns"); }

Received run(const std::function<void()>& program) {
  ListeningPeer peer;
  int status = 0;
  auto received = peer.run(
      [&] {
        setenv("XSP_LEVEL", "model", 1);
        passes_after_ns() = 0;
        program();
      },
      &status);
  CHECK(status == 0);
  REQUIRE(received.size() == 1);
  return std::move(received[0]);
}

uint64_t start(const char* name) { return start_span(intern(name), 2, 1, 0, 0); }

/// A model call around work that takes so long, beginning at once.
void call(const char* name, uint64_t length_ns) {
  const uint32_t interval = prepare_stream_interval(kStream);
  const uint64_t span = start(name);
  if (!begin_stream_interval(interval)) _exit(3);
  passes_after_ns() = length_ns;
  end_stream_interval(interval, 1, 1);
  passes_after_ns() = 0;
  finish_span(span, {});
}

TEST_CASE("an interval begins inside its call, has the device's length, and ends before it was seen to") {
  const auto received = run([] {
    call("call", 20 * kMs);
    usleep(200'000);
    finish_span(start("behind"), {});
  });
  REQUIRE(received.activities.size() == 1);
  REQUIRE(received.spans.size() == 2);
  const auto& interval = received.activities[0];
  CHECK(interval.begin >= received.spans[0].begin);
  CHECK(interval.begin <= received.spans[0].end);
  CHECK(interval.end <= received.spans[1].begin);
}

TEST_CASE("a reference whose event was recorded late, in a call that took long, moves no interval out of its bounds") {
  const auto received = run([] {
    call("call", 0);
    record_waits_ns() = 30 * kMs;  // of the reference
    usleep(1'500'000);
    finish_stream_intervals();
    record_waits_ns() = 0;
    finish_span(start("behind"), {});
  });
  REQUIRE(received.activities.size() == 1);
  CHECK(received.activities[0].begin >= received.spans[0].begin);
  CHECK(received.activities[0].end <= received.spans[1].begin);
}

TEST_CASE("a pair that cannot be asked for is dropped and counted, the next one is read") {
  const auto received = run([] {
    script<int>("script_failing_queries") = 1;
    call("first", 0);
    usleep(100'000);
    call("second", 0);
    finish_stream_intervals();
  });
  CHECK(received.activities.size() == 1);
  CHECK(received.loss(Loss::ACTIVITY) == 1);
}

TEST_CASE("behind a reset of the device no event from before is used, though the context has the same handle") {
  const auto received = run([] {
    call("before", 50 * kMs);
    const uint32_t open = prepare_stream_interval(kStream);
    script<unsigned long long>("script_context_id") = 2;
    usleep(200'000);
    end_stream_interval(open, 1, 1);
    call("behind", 0);
    finish_stream_intervals();
    if (script<int>("script_stale_uses") != 0) _exit(4);
  });
  CHECK(received.activities.size() == 1);
  CHECK(received.loss(Loss::ACTIVITY) == 1);
}

}  // namespace
