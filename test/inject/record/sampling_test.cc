#include "inject/record/sampling.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <thread>

#include "inject/library/call.h"
#include "inject/record/sample_rate.h"
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
using xsp::test::ReceivedSpan;

uint64_t begin(const char* name, uint8_t level) { return start_span(intern(name), level, kApi, 0, 0); }
void record_at(const char* name, uint8_t level = 1) { finish_span(begin(name, level), {}); }

/// A model call with two spans inside.
void call(const char* model) {
  const uint64_t span = begin(model, 2);
  record_at("layer", 3);
  record_at("inside");
  finish_span(span, {});
}

std::vector<Received> run_sampled(const char* sample, const std::function<void()>& program) {
  ListeningPeer peer;
  return peer.run([&] {
    setenv("XSP_SAMPLE", sample, 1);
    program();
  });
}

size_t count(const Received& received, const std::string& name) {
  return static_cast<size_t>(
      std::count_if(received.spans.begin(), received.spans.end(), [&](const auto& span) { return span.name == name; }));
}

xsp::Sampling totals(const Received& received) {
  xsp::Sampling last;
  for (const auto& packet : received.trace.packet()) {
    if (packet.has_sampling()) last = packet.sampling();
  }
  return last;
}

std::vector<ReceivedSpan> children(const Received& received, const ReceivedSpan& parent) {
  std::vector<ReceivedSpan> found;
  for (const ReceivedSpan& span : received.spans) {
    if (span.parent == parent.id && span.ring == parent.ring) found.push_back(span);
  }
  return found;
}

/// Every model span is whole: with both of its children, or shallow and with none.
void check_each_is_whole(const Received& received, const std::string& model, size_t full) {
  size_t full_ones = 0;
  for (const ReceivedSpan& span : received.spans) {
    if (span.name != model) continue;
    CHECK(children(received, span).size() == (span.shallow ? 0 : 2));
    if (!span.shallow) ++full_ones;
  }
  CHECK(full_ones == full);
}

TEST_CASE("every tenth model call is recorded with what is inside, the others alone and shallow") {
  const auto received = run_sampled("1/10", [] {
    for (int i = 0; i < 35; ++i) call("model");
  });
  CHECK(count(received[0], "model") == 35);
  check_each_is_whole(received[0], "model", 3);
  const xsp::Sampling sampling = totals(received[0]);
  CHECK(sampling.seen() == 35);
  CHECK(sampling.recorded() == 3);
  CHECK(sampling.every() == 10);
  CHECK_FALSE(sampling.is_adaptive());
}

TEST_CASE("one in one is all, and what is no sample is none") {
  for (const char* sample : {"1/1", "1/0", "2/1", "1/x", "x", "", "10/5", "/", "1/", "1/4000000000000"}) {
    CAPTURE(sample);
    const auto received = run_sampled(sample, [] {
      for (int i = 0; i < 5; ++i) call("model");
      record_at("behind");
    });
    check_each_is_whole(received[0], "model", 5);
    CHECK(count(received[0], "behind") == 1);
  }
}

TEST_CASE("what runs behind a sampled call is recorded until the next call, and nothing behind the others") {
  const auto received = run_sampled("1/2", [] {
    record_at("before");
    call("model");
    record_at("behind the first");
    call("model");
    record_at("behind the second");
    call("model");
    record_at("behind the third");
  });
  CHECK(count(received[0], "before") == 1);
  CHECK(count(received[0], "behind the first") == 0);
  CHECK(count(received[0], "behind the second") == 1);
  CHECK(count(received[0], "behind the third") == 0);
  check_each_is_whole(received[0], "model", 1);
}

TEST_CASE("a model inside a model is part of it") {
  const auto received = run_sampled("1/2", [] {
    for (int i = 0; i < 4; ++i) {
      const uint64_t outer = begin("outer", 2);
      call("inner");
      finish_span(outer, {});
    }
  });
  CHECK(count(received[0], "outer") == 4);
  CHECK(count(received[0], "inner") == 2);
  CHECK(totals(received[0]).seen() == 4);
  CHECK(totals(received[0]).recorded() == 2);
}

TEST_CASE("threads in calls that are not sampled record nothing while others are sampled") {
  constexpr int kThreads = 4;
  constexpr int kCalls = 500;
  const auto received = run_sampled("1/7", [] {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([] {
        for (int n = 0; n < kCalls; ++n) call("model");
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  CHECK(count(received[0], "model") == kThreads * kCalls);
  check_each_is_whole(received[0], "model", kThreads * kCalls / 7);
  CHECK(totals(received[0]).seen() == kThreads * kCalls);
  CHECK(totals(received[0]).recorded() == kThreads * kCalls / 7);
}

TEST_CASE("a thread outside of model calls is recorded while one is sampled") {
  const auto received = run_sampled("1/2", [] {
    for (int i = 0; i < 4; ++i) {
      const uint64_t span = begin("model", 2);
      std::thread([] { record_at("on another thread"); }).join();
      finish_span(span, {});
    }
  });
  CHECK(count(received[0], "on another thread") == 2);
}

TEST_CASE("a call that another thread ends is shallow all the same, and its thread records again") {
  const auto received = run_sampled("1/3", [] {
    const uint64_t first = begin("first", 2);
    std::thread([first] { finish_span(first, {}); }).join();
    call("second");
    call("third");
  });
  const auto& spans = received[0].spans;
  const auto first = std::find_if(spans.begin(), spans.end(), [](const auto& span) { return span.name == "first"; });
  REQUIRE(first != spans.end());
  CHECK(first->shallow);
  CHECK(totals(received[0]).seen() == 3);
  check_each_is_whole(received[0], "third", 1);
}

TEST_CASE("a sampled call that its thread never ends does not hold the others' recording for ever") {
  const auto received = run_sampled("1/2", [] {
    record_at("model", 2);
    std::thread([] { begin("abandoned", 2); }).join();
    record_at("model", 2);
    record_at("behind");
  });
  CHECK(count(received[0], "behind") == 0);
}

TEST_CASE("a thread that a jump took out of the beginning of a call that is not sampled records on") {
  const auto received = run_sampled("1/2", [] {
    begin_model_call(*model_call_thread());
    std::atomic<bool> may_end{false};
    std::atomic<bool> is_begun{false};
    std::thread other([&] {
      const uint64_t span = begin("sampled", 2);
      is_begun.store(true);
      while (!may_end.load()) usleep(100);
      finish_span(span, {});
    });
    while (!is_begun.load()) usleep(100);
    record_at("behind the jump");
    may_end.store(true);
    other.join();
  });
  CHECK(count(received[0], "sampled") == 1);
  CHECK(count(received[0], "behind the jump") == 1);
}

TEST_CASE("a sampled call left by a jump does not end one of another thread that has its place by now") {
  const auto received = run_sampled("1/1000000", [] {
    ModelSampling& sampling = awake_process() == nullptr ? wake_process()->sampling : awake_process()->sampling;
    sampling.is_due.store(true);
    begin("left", 2);
    Thread& thread = *ending_thread();
    abandon_spans(thread, 0);
    while (sampling.open_count.load() != 0) usleep(1000);  // the sender finds it
    std::atomic<bool> is_begun{false};
    std::atomic<bool> may_end{false};
    std::thread other([&] {
      sampling.is_due.store(true);
      const uint64_t span = begin("other", 2);
      is_begun.store(true);
      while (!may_end.load()) usleep(100);
      finish_span(span, {});
    });
    while (!is_begun.load()) usleep(100);
    call("model");
    record_at(sampling.open_count.load() == 1 ? "still open" : "closed");
    may_end.store(true);
    other.join();
  });
  CHECK(count(received[0], "still open") == 1);
}

TEST_CASE("a forked child counts its own calls") {
  const auto received = run_sampled("1/3", [] {
    for (int i = 0; i < 4; ++i) call("parent");
    if (fork() == 0) {
      for (int i = 0; i < 7; ++i) call("child");
      exit(0);
    }
    wait(nullptr);
    for (int i = 0; i < 2; ++i) call("parent");
  });
  REQUIRE(received.size() == 2);
  const Received& parent = received[count(received[0], "parent") != 0 ? 0 : 1];
  const Received& child = received[count(received[0], "parent") != 0 ? 1 : 0];
  CHECK(totals(parent).seen() == 6);
  CHECK(totals(parent).recorded() == 2);
  CHECK(totals(child).seen() == 7);
  CHECK(totals(child).recorded() == 2);
  check_each_is_whole(child, "child", 2);
  check_each_is_whole(parent, "parent", 2);
}

TEST_CASE("a child forked inside a call that is not sampled records") {
  const auto received = run_sampled("1/4", [] {
    const uint64_t span = begin("model", 2);
    if (fork() == 0) {
      for (int i = 0; i < 4; ++i) call("child");
      exit(0);
    }
    wait(nullptr);
    finish_span(span, {});
  });
  REQUIRE(received.size() == 2);
  const Received& child = received[count(received[0], "child") != 0 ? 0 : 1];
  check_each_is_whole(child, "child", 1);
}

TEST_CASE("by time, calls are full in the samples and shallow between, where a gap is told") {
  const auto received = run_sampled("100000000/300000000", [] {
    const uint64_t end = nanoseconds(CLOCK_MONOTONIC) + 800 * kMillisecond;
    while (nanoseconds(CLOCK_MONOTONIC) < end) {
      call("model");
      usleep(2000);
    }
  });
  size_t full = 0;
  for (const ReceivedSpan& span : received[0].spans) {
    if (span.name != "model") continue;
    CHECK(children(received[0], span).size() == (span.shallow ? 0 : 2));
    if (!span.shallow) ++full;
  }
  const size_t all = count(received[0], "model");
  CHECK(full > all / 8);
  CHECK(full < all * 2 / 3);
  CHECK(totals(received[0]).seen() == all);
  CHECK(totals(received[0]).recorded() == full);
  std::set<uint64_t> gaps;
  for (const auto& packet : received[0].trace.packet()) {
    if (!packet.has_gap()) continue;
    CHECK(packet.gap().reason() == xsp::Gap::NOT_SAMPLED);
    CHECK(packet.gap().level() == xsp::LEVEL_LAYER);
    gaps.insert(packet.gap().begin_ns());
  }
  CHECK(gaps.size() >= 2);
  CHECK(gaps.size() <= 3);
}

SampleRate::Interval second_with(double sampled, double unsampled, uint64_t calls) {
  return {.length = 1, .sampled = sampled, .unsampled = unsampled, .calls = calls, .busiest_calls = calls};
}

TEST_CASE("the rate settles where the cost fits the budget, and follows it down again") {
  SampleRate rate(0.01);
  // 20 % when all is recorded.
  for (int i = 0; i < 20; ++i) rate.add(second_with(0.2 / rate.every(), 0, 1000));
  const uint32_t settled = rate.every();
  CHECK(settled == 32);
  CHECK(rate.shallow_every() == 1);
  for (int i = 0; i < 20; ++i) rate.add(second_with(0.002 / rate.every(), 0, 1000));
  CHECK(rate.every() == SampleRate::kLeast);
}

TEST_CASE("what a sampled call takes longer counts, where hooks see less of it") {
  SampleRate rate(0.01);
  for (int i = 0; i < 20; ++i) {
    rate.add({.length = 1, .sampled = 0.001 / rate.every(), .unsampled = 0, .calls = 1000, .ratio = 0.05});
  }
  CHECK(rate.every() == 8);
}

TEST_CASE("sampled calls are compared with the ones behind them on their thread") {
  const auto received = run_sampled("1/3", [] {
    const auto work = [](uint64_t ns) {
      const uint64_t end = nanoseconds(CLOCK_THREAD_CPUTIME_ID) + ns;
      while (nanoseconds(CLOCK_THREAD_CPUTIME_ID) < end) {
      }
    };
    for (int i = 1; i <= 3 * 12; ++i) {
      const uint64_t span = begin("model", 2);
      work(i % 3 == 0 ? 1'500'000 : 1'000'000);
      finish_span(span, {});
    }
    const double ratio = awake_process()->sampling.costs.median().ratio;
    record_at(ratio > 0.4 && ratio < 0.6 ? "half longer" : "wrong");
  });
  CHECK(count(received[0], "wrong") == 0);
}

TEST_CASE("long calls are judged by whole cycles") {
  SampleRate rate(0.01);
  rate.add(second_with(0.01, 0, 8));
  CHECK(rate.every() == 8);
  // A sampled call of four seconds, at 4 % while it runs.
  for (int i = 0; i < 4; ++i) rate.add(second_with(0.04, 0, 0));
  CHECK(rate.every() == 8);
}

TEST_CASE("where the spans of calls alone cost too much they are thinned, and sampled calls keep a part") {
  SampleRate rate(0.01);
  for (int i = 0; i < 30; ++i) rate.add(second_with(0.5 / rate.every(), 0.05, 500'000));
  // 0.1 s for spans in each second.
  CHECK(rate.shallow_every() == 16);
  // A quarter of the budget, where other hooks have used up the whole.
  CHECK(rate.every() == 256);
}

TEST_CASE("the spans of calls alone are judged by the thread that makes most of them") {
  SampleRate rate(0.01);
  for (int i = 0; i < 30; ++i) {
    rate.add({.length = 1, .sampled = 0.001, .unsampled = 0, .calls = 320'000, .busiest_calls = 5'000});
  }
  CHECK(rate.shallow_every() == 1);
}

TEST_CASE("a program without model calls is paused until its cost is within the budget") {
  SampleRate rate(0.01);
  rate.add(second_with(0.05, 0, 0));
  CHECK(rate.is_overdrawn());
  for (int i = 0; i < 3; ++i) rate.add(second_with(0, 0, 0));
  CHECK(rate.is_overdrawn());
  for (int i = 0; i < 2; ++i) rate.add(second_with(0, 0, 0));
  CHECK_FALSE(rate.is_overdrawn());
}

TEST_CASE("the time in hooks is measured within a factor of what it takes") {
  const auto received = run_sampled("", [] {
    const uint64_t begin_ns = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < 2'000'000; ++i) record_at("span");
    const uint64_t took_ns = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
    usleep(300'000);  // the ring has room again
    // The figure is for the test: as a span's name it comes to it.
    record_at(std::to_string(took_ns).c_str());
  });
  xsp::Overhead last;
  for (const auto& packet : received[0].trace.packet()) {
    if (packet.has_overhead()) last = packet.overhead();
  }
  uint64_t took_ns = 0;
  for (const ReceivedSpan& span : received[0].spans) {
    if (span.name != "span") took_ns = std::stoull(span.name);
  }
  CAPTURE(took_ns, last.hooks_ns(), last.hooks_timed());
  REQUIRE(took_ns != 0);
  CHECK(last.hooks_timed() > 2'000'000 / 256);
  CHECK(last.hooks_ns() > took_ns / 4);
  CHECK(last.hooks_ns() < took_ns * 2);
  CHECK(last.cpu_ns() >= took_ns);
  CHECK(last.wall_ns() != 0);
  CHECK(last.threads_ns() != 0);
}

}  // namespace
