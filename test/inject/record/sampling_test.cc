#include "inject/record/sampling.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <thread>

#include "inject/library/call.h"
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

/// Which of the model calls were sampled, counted from 0. All calls are of one thread.
std::vector<size_t> sampled_calls(const Received& received, const std::string& model) {
  std::vector<ReceivedSpan> calls;
  for (const ReceivedSpan& span : received.spans) {
    if (span.name == model) calls.push_back(span);
  }
  std::sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  std::vector<size_t> sampled;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (!calls[i].shallow) sampled.push_back(i);
  }
  return sampled;
}

void sample_next_call() {
  Process* process = awake_process();
  (process == nullptr ? wake_process() : process)->sampling.is_due.store(true);
}

TEST_CASE("one model call of each ten is recorded with what is inside, the others alone and shallow") {
  const auto received = run_sampled("1/10", [] {
    for (int i = 0; i < 400; ++i) call("model");
  });
  CHECK(count(received[0], "model") == 400);
  check_each_is_whole(received[0], "model", 40);
  const std::vector<size_t> sampled = sampled_calls(received[0], "model");
  REQUIRE(sampled.size() == 40);
  std::set<size_t> places;
  for (size_t block = 0; block < sampled.size(); ++block) {
    CHECK(sampled[block] / 10 == block);
    places.insert(sampled[block] % 10);
  }
  // Forty places of ten at random: fewer than five different ones come up once in 10^10 times.
  CHECK(places.size() >= 5);
  const xsp::Sampling sampling = totals(received[0]);
  CHECK(sampling.seen() == 400);
  CHECK(sampling.recorded() == 40);
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
  const auto received = run_sampled("1/1000000", [] {
    record_at("before");
    call("model");
    record_at("behind the first");
    sample_next_call();
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
  constexpr int kCalls = 525;
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
  const auto received = run_sampled("1/1000000", [] {
    const uint64_t first = begin("first", 2);
    std::thread([first] { finish_span(first, {}); }).join();
    call("second");
    sample_next_call();
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
  const auto received = run_sampled("1/1000000", [] {
    record_at("model", 2);
    sample_next_call();
    std::thread([] { begin("abandoned", 2); }).join();
    record_at("model", 2);
    record_at("behind");
  });
  CHECK(count(received[0], "behind") == 0);
}

TEST_CASE("a thread that a jump took out of the beginning of a call that is not sampled records on") {
  const auto received = run_sampled("1/1000000", [] {
    begin_model_call(*model_call_thread());
    sample_next_call();
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
    sample_next_call();
    ModelSampling& sampling = awake_process()->sampling;
    begin("left", 2);
    Thread& thread = *ending_thread();
    abandon_spans(thread, 0);
    while (sampling.open_count.load() != 0) usleep(1000);  // the sender finds it
    std::atomic<bool> is_begun{false};
    std::atomic<bool> may_end{false};
    std::thread other([&] {
      sample_next_call();
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
      for (int i = 0; i < 9; ++i) call("child");
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
  CHECK(totals(child).seen() == 9);
  CHECK(totals(child).recorded() == 3);
  check_each_is_whole(child, "child", 3);
  check_each_is_whole(parent, "parent", 2);
}

TEST_CASE("forked children sample other calls than their parent and one another") {
  const auto received = run_sampled("1/10", [] {
    const auto run = [](const char* model) {
      for (int i = 0; i < 200; ++i) call(model);
    };
    call("model");  // awake
    for (const char* child : {"first", "second"}) {
      if (fork() == 0) {
        run(child);
        exit(0);
      }
      wait(nullptr);
    }
    run("parent");
  });
  REQUIRE(received.size() == 3);
  std::set<std::vector<size_t>> choices;
  for (const Received& process : received) {
    for (const char* model : {"first", "second", "parent"}) {
      if (count(process, model) != 0) choices.insert(sampled_calls(process, model));
    }
  }
  CHECK(choices.size() == 3);
}

TEST_CASE("a child forked inside a call that is not sampled records") {
  const auto received = run_sampled("1/1000000", [] {
    const uint64_t span = begin("model", 2);
    if (fork() == 0) {
      for (int i = 0; i < 4; ++i) {
        if (i == 3) sample_next_call();
        call("child");
      }
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

TEST_CASE("sampled calls are compared with the ones behind them on their thread") {
  const auto received = run_sampled("1/3", [] {
    const auto work = [](uint64_t ns) {
      const uint64_t end = nanoseconds(CLOCK_THREAD_CPUTIME_ID) + ns;
      while (nanoseconds(CLOCK_THREAD_CPUTIME_ID) < end) {
      }
    };
    for (int i = 1; i <= 3 * 12; ++i) {
      const uint64_t span = begin("model", 2);
      work(ending_thread()->model_call.recorded == Recorded::kFull ? 1'500'000 : 1'000'000);
      finish_span(span, {});
    }
    const double ratio = awake_process()->sampling.costs.median().ratio;
    record_at(ratio > 0.4 && ratio < 0.6 ? "half longer" : "wrong");
  });
  CHECK(count(received[0], "wrong") == 0);
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
