#include "inject/record/recording_window.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "inject/guard/settings.h"
#include "inject/ranges/open_ranges.h"
#include "inject/ranges/range_stack.h"
#include "inject/ranges/range_text.h"
#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"
#include "test/inject/recorded_spans.h"

namespace {

using namespace xsp::guest;
using xsp::test::kApi;
using xsp::test::kMillisecond;
using xsp::test::ListeningPeer;
using xsp::test::Received;
using Names = std::vector<std::string>;

uint64_t open_call(const char* name) { return start_span(intern(name), 1, kApi, 0, 0); }
void record_call(const char* name) { finish_span(open_call(name), {}); }

void wait_until(bool is_open) {
  for (int i = 0; i < 2000 && is_window_open() != is_open; ++i) usleep(1000);
}

std::vector<Received> run_in_window(const std::vector<std::pair<const char*, std::string>>& environment,
                                    const std::function<void()>& program) {
  ListeningPeer peer;
  return peer.run([&] {
    for (const auto& [name, value] : environment) setenv(name, value.c_str(), 1);
    program();
  });
}

std::vector<xsp::Gap> gaps(const Received& received) {
  std::vector<xsp::Gap> found;
  for (const auto& packet : received.trace.packet()) {
    if (packet.has_gap()) found.push_back(packet.gap());
  }
  return found;
}

std::string in_nanoseconds(uint64_t from_now_ms) {
  return std::to_string(nanoseconds(CLOCK_MONOTONIC) + from_now_ms * kMillisecond);
}

TEST_CASE("spans are recorded between the delay and the end of the duration, each to 25 ms") {
  const uint64_t begin = nanoseconds(CLOCK_MONOTONIC);
  const auto received = run_in_window({{"XSP_BEGIN_NS", std::to_string(begin + 150 * kMillisecond)},
                                       {"XSP_DURATION_NS", std::to_string(150 * kMillisecond)}},
                                      [&] {
                                        while (nanoseconds(CLOCK_MONOTONIC) < begin + 450 * kMillisecond) {
                                          record_call("call");
                                          usleep(500);
                                        }
                                      });
  REQUIRE(received.size() == 1);
  const auto& spans = received[0].spans;
  REQUIRE(spans.size() > 10);
  const auto found = gaps(received[0]);
  REQUIRE(found.size() >= 3);
  CHECK(found[0].reason() == xsp::Gap::OUTSIDE_RANGE);
  CHECK(found[0].level() == xsp::LEVEL_APPLICATION);
  CHECK(found[0].end_ns() == 0);
  CHECK(found[1].begin_ns() == found[0].begin_ns());
  CHECK(found[1].end_ns() >= begin + 150 * kMillisecond);
  CHECK(found[1].end_ns() < begin + 175 * kMillisecond);
  CHECK(found[2].begin_ns() >= begin + 300 * kMillisecond);
  CHECK(found[2].begin_ns() < begin + 325 * kMillisecond);
  CHECK(found[2].end_ns() == 0);
}

TEST_CASE("a span that is open when the window closes ends and is recorded, and leaves nothing open") {
  const auto received =
      // Long enough for a process that starts with a sanitizer on a busy machine.
      run_in_window({{"XSP_BEGIN_NS", in_nanoseconds(0)}, {"XSP_DURATION_NS", std::to_string(1000 * kMillisecond)}},
                    [] {
                      const uint64_t outer = open_call("outer");
                      const uint64_t inner = open_call("inner");
                      wait_until(false);
                      CHECK(open_call("outside") == 0);
                      finish_span(inner, {});
                      record_call("outside too");
                      finish_span(outer, {});
                      CHECK(ending_thread()->depth() == 0);
                    });
  REQUIRE(received[0].span_names() == Names{"inner", "outer"});
  CHECK(received[0].spans[0].parent == received[0].spans[1].id);
}

TEST_CASE("a range of the C API opens and closes the window, and is in the trace") {
  const auto received = run_in_window({{"XSP_RANGE", "step"}}, [] {
    record_call("before");
    const uint64_t step = open_call("step");
    record_call("in it");
    std::thread([] { record_call("on another thread"); }).join();
    finish_span(step, {});
    record_call("between");
    const uint64_t again = open_call("step");
    record_call("in the second");
    finish_span(again, {});
    record_call("behind");
  });
  Names names = received[0].span_names();
  std::sort(names.begin(), names.end());
  CHECK(names == Names{"in it", "in the second", "on another thread", "step", "step"});
  const auto found = gaps(received[0]);
  REQUIRE(!found.empty());
  CHECK(found.back().end_ns() == 0);
}

TEST_CASE("a range opens the window where the calls of the last one have paused sampling") {
  const auto received = run_in_window({{"XSP_RANGE", "step"}, {"XSP_SAMPLE", "1/2"}}, [] {
    const auto call = [] {
      const uint64_t model = start_span(intern("model"), 2, kApi, 0, 0);
      record_call("inside");
      finish_span(model, {});
    };
    for (int i = 0; i < 4; ++i) {
      const uint64_t step = open_call("step");
      call();
      finish_span(step, {});
    }
    const uint32_t name = range_text("step");
    push_range(*default_domain(), name);
    call();
    pop_range(*default_domain(), now());
    const uint64_t range = start_range(*default_domain(), name);
    call();
    end_range(range, now());
  });
  const Names names = received[0].span_names();
  CHECK(std::count(names.begin(), names.end(), "step") == 6);
  CHECK(std::count(names.begin(), names.end(), "model") == 6);
  CHECK(std::count(names.begin(), names.end(), "inside") == 3);
}

TEST_CASE("ranges inside one another and on several threads hold the window until the last one ends") {
  const auto received = run_in_window({{"XSP_RANGE", "step"}}, [] {
    const uint64_t outer = open_call("step");
    std::thread([] { finish_span(open_call("step"), {}); }).join();
    record_call("still in the first");
    const uint64_t inner = open_call("step");
    finish_span(inner, {});
    record_call("in the first again");
    // Another thread may end it.
    std::thread([outer] { finish_span(outer, {}); }).join();
    record_call("behind");
  });
  Names names = received[0].span_names();
  std::sort(names.begin(), names.end());
  CHECK(names == Names{"in the first again", "step", "step", "step", "still in the first"});
}

TEST_CASE("a range that its thread leaves without an end does not hold the window") {
  const auto received = run_in_window({{"XSP_RANGE", "step"}}, [] {
    std::thread([] { open_call("step"); }).join();
    record_call("may be in it");
    wait_until(false);
    CHECK_FALSE(is_window_open());
    record_call("behind");
  });
  const Names names = received[0].span_names();
  CHECK(std::find(names.begin(), names.end(), "behind") == names.end());
}

TEST_CASE("NVTX ranges open the window by name, or by name and domain") {
  const auto program = [] {
    RangeDomain* domain = range_domain(xsp::wire::Kind::kNvtxRange, "mine", range_text("mine"));
    push_range(*default_domain(), range_text("step"));
    record_call("in the default domain");
    pop_range(*default_domain(), now());
    record_call("between");
    push_range(*domain, range_text("step"));
    record_call("in mine");
    pop_range(*domain, now());
    const uint64_t range = start_range(*domain, range_text("step"));
    record_call("in a range with open_call and end");
    end_range(range, now());
    record_call("behind");
  };
  CHECK(run_in_window({{"XSP_RANGE", "step"}}, program)[0].span_names() ==
        Names{"in the default domain", "step", "in mine", "step", "in a range with open_call and end", "step"});
  CHECK(run_in_window({{"XSP_RANGE", "step@mine"}}, program)[0].span_names() ==
        Names{"in mine", "step", "in a range with open_call and end", "step"});
  CHECK(run_in_window({{"XSP_RANGE", "other"}}, program)[0].span_names().empty());
}

TEST_CASE("a pop outside the window never ends a range that was pushed inside") {
  const auto received = run_in_window({{"XSP_RANGE", "step"}}, [] {
    RangeDomain& domain = *default_domain();
    const uint64_t step = open_call("step");
    push_range(domain, range_text("outer"));
    finish_span(step, {});
    CHECK(pass_range(domain) == 1);
    CHECK(pop_range(domain, now()) == 1);
    CHECK(pop_range(domain, now()) == 0);
    CHECK(pop_range(domain, now()) == -1);
  });
  CHECK(received[0].span_names() == Names{"step", "outer"});
}

TEST_CASE("the range of the window is recorded at the model level too, and no other") {
  const auto received = run_in_window({{"XSP_RANGE", "step"}, {"XSP_LEVEL", "model"}}, [] {
    push_range(*default_domain(), range_text("step"));
    push_range(*default_domain(), range_text("inner"));
    record_call("call");
    pop_range(*default_domain(), now());
    pop_range(*default_domain(), now());
  });
  const Names names = received[0].span_names();
  CHECK(std::count(names.begin(), names.end(), "step") == 1);
  CHECK(std::count(names.begin(), names.end(), "call") == 1);
}

TEST_CASE("cudaProfilerStart and cudaProfilerStop hold the window open between them") {
  const auto received = run_in_window({{"XSP_RANGE", "cudaProfilerApi"}}, [] {
    record_call("before");
    xsp_profiler_range(0);
    xsp_profiler_range(1);
    xsp_profiler_range(1);
    record_call("between");
    xsp_profiler_range(0);
    record_call("behind");
    xsp_profiler_range(1);
    record_call("between again");
  });
  CHECK(received[0].span_names() == Names{"between", "between again"});
}

TEST_CASE("a duration counts from the first opening, and none follows it") {
  const auto received = run_in_window({{"XSP_RANGE", "step"},
                                       {"XSP_BEGIN_NS", in_nanoseconds(0)},
                                       {"XSP_DURATION_NS", std::to_string(60 * kMillisecond)}},
                                      [] {
                                        usleep(100'000);
                                        const uint64_t step = open_call("step");
                                        record_call("in it");
                                        wait_until(false);
                                        record_call("behind");
                                        finish_span(step, {});
                                        CHECK(open_call("step") == 0);
                                      });
  CHECK(received[0].span_names() == Names{"in it", "step"});
}

TEST_CASE("a range that begins before the delay is over does not count") {
  const auto received = run_in_window({{"XSP_RANGE", "step"}, {"XSP_BEGIN_NS", in_nanoseconds(120)}}, [] {
    record_call("step");
    usleep(200'000);
    record_call("step");
  });
  CHECK(received[0].spans.size() == 1);
}

TEST_CASE("a forked child has the times of the run and no open range") {
  const auto received = run_in_window({{"XSP_RANGE", "step"}}, [] {
    const uint64_t step = open_call("step");
    if (fork() == 0) {
      record_call("in the child");
      finish_span(open_call("step"), {});
      exit(0);
    }
    wait(nullptr);
    record_call("in the parent");
    finish_span(step, {});
  });
  REQUIRE(received.size() == 2);
  CHECK(received[0].span_names() == Names{"in the parent", "step"});
  CHECK(received[1].span_names() == Names{"step"});
}

TEST_CASE("a child forked outside the window records inside it") {
  const std::string begin = in_nanoseconds(150);
  const auto received = run_in_window({{"XSP_BEGIN_NS", begin}}, [] {
    record_call("wakes the parent");
    if (fork() == 0) {
      record_call("wakes the child");
      wait_until(true);
      record_call("in the child");
      exit(0);
    }
    wait(nullptr);
  });
  REQUIRE(received.size() == 2);
  CHECK(received[1].span_names() == Names{"in the child"});
}

TEST_CASE("without a window nothing is told of gaps") {
  const auto received = run_in_window({}, [] { record_call("call"); });
  CHECK(gaps(received[0]).empty());
  CHECK(received[0].span_names() == Names{"call"});
}

}  // namespace
