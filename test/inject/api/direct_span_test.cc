#include "inject/api/direct_span.h"

#include <unistd.h>

#include <algorithm>
#include <thread>

#include "test/catch.h"
#include "test/inject/listening_peer.h"

namespace {

using namespace xsp::guest;
using xsp::Loss;
using xsp::test::ListeningPeer;

/// Of the guest's process, whose checks cannot reach this one: not true ends it with status 99.
void expect(bool condition) {
  if (!condition) _exit(99);
}

uint64_t start_directly(uint32_t name, uint32_t level) {
  return xsp::guest::start_directly(switch_word(), name, level);
}

xsp::test::Received run(const std::function<void()>& program) {
  ListeningPeer peer;
  int status = 0;
  const auto received = peer.run(
      [&] {
        expect(start_directly(1, 2) == 0);  // asleep
        finish_span(start_span(intern("first"), 2, 0, 0, 0), {});
        if (clock_source != ClockSource::kTsc) _exit(0);
        this_thread->hooks_until_timed = 1'000'000;
        program();
      },
      &status);
  REQUIRE(status == 0);
  REQUIRE(received.size() == 1);
  return received[0];
}

TEST_CASE("spans that go the shortest way nest with those of all others") {
  const auto received = run([] {
    const uint64_t outer = start_directly(intern("outer"), 1);
    const uint64_t middle = start_span(intern("middle"), 2, 0, 0, 0);
    const uint64_t inner = start_directly(intern("inner"), 3);
    expect(outer != 0 && middle != 0 && inner != 0);
    expect(finish_directly(inner));
    expect(finish_directly(middle));
    finish_span(outer, {});
  });
  if (received.spans.size() == 1) return;  // no TSC here
  REQUIRE(received.span_names() == std::vector<std::string>{"first", "inner", "middle", "outer"});
  const auto& spans = received.spans;
  CHECK(spans[1].parent == spans[2].id);
  CHECK(spans[2].parent == spans[3].id);
  CHECK(spans[3].parent == 0);
  CHECK(spans[1].level == 3);
  CHECK(spans[3].level == 1);
  for (const auto& span : spans) {
    CHECK(span.begin <= span.end);
    CHECK(span.type.empty());
  }
  CHECK(spans[3].begin <= spans[2].begin);
  CHECK(spans[1].end <= spans[2].end);
}

TEST_CASE("what is not the innermost span of its thread is left to the longer ways") {
  const auto received = run([] {
    expect(!finish_directly(0));
    expect(!finish_directly(uint64_t{this_thread->handle_base} << 32));  // of no span, with none open
    expect(start_directly(intern("no level"), 0) == 0);
    expect(start_directly(intern("no level"), 7) == 0);
    expect(start_directly(intern("no level"), 34) == 0);
    const uint64_t outer = start_directly(intern("outer"), 2);
    const uint64_t inner = start_directly(intern("inner"), 2);
    expect(!finish_directly(outer));
    finish_span(outer, {});
    expect(!finish_directly(outer));
    std::thread([inner] {
      finish_span(start_span(intern("elsewhere"), 2, 0, 0, 0), {});
      expect(!finish_directly(inner));
    }).join();
    expect(finish_directly(inner));
    expect(!finish_directly(inner));
    expect(start_directly(intern("behind a closed one"), 2) == 0);
    finish_span(start_span(intern("later"), 2, 0, 0, 0), {});
    expect(finish_directly(start_directly(intern("latest"), 2)));
    this_thread->hooks_until_timed = 1;
    expect(start_directly(intern("timed"), 2) == 0);
    expect(this_thread->hooks_until_timed == 1);
    // As a signal handler's hook leaves it that counted in between.
    this_thread->hooks_until_timed = 0;
    const uint64_t timed_before = this_thread->ring->hooks_timed;
    expect(start_directly(intern("timed"), 2) == 0);
    finish_span(start_span(intern("timed"), 2, 0, 0, 0), {});
    expect(this_thread->ring->hooks_timed > timed_before && this_thread->hooks_until_timed - 1 < 2 * kHooksPerTimed);
  });
  if (received.spans.size() == 1) return;
  auto names = received.span_names();
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"elsewhere", "first", "inner", "later", "latest", "outer", "timed"});
}

TEST_CASE("spans that are too deep, and the last ids, are left to the longer ways") {
  const auto received = run([] {
    const uint32_t name = intern("deep");
    uint64_t spans[xsp::shm::kMaxOpenSpans];
    for (auto& span : spans) span = start_directly(name, 2);
    expect(spans[xsp::shm::kMaxOpenSpans - 1] != 0);
    expect(start_directly(name, 2) == 0);
    for (auto* span = std::end(spans); span != std::begin(spans);) expect(finish_directly(*--span));
    this_thread->ring->next_id = UINT32_MAX - 3;
    expect(start_directly(name, 2) == 0);
    for (int i = 0; i < 8; ++i) finish_span(start_span(name, 2, 0, 0, 0), {});
    expect(finish_directly(start_directly(name, 2)));
  });
  if (received.spans.size() == 1) return;
  CHECK(received.spans.size() == 1 + xsp::shm::kMaxOpenSpans + 9);
  CHECK(received.loss(Loss::TOO_DEEP) == 0);
}

}  // namespace
