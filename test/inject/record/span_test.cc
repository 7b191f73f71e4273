#include "inject/record/span.h"

#include <unistd.h>

#include <thread>

#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"
#include "test/inject/recorded_spans.h"

namespace {

using namespace xsp::guest;
using xsp::test::kApi;
using xsp::test::ListeningPeer;

uint64_t start(const char* name, uint8_t level = 2) { return start_span(intern(name), level, kApi, 0, 0); }

TEST_CASE("nested spans arrive in order of their end, with their parents and levels") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    const uint64_t outer = start("outer", 2);
    const uint64_t first = start("first", 3);
    finish_span(first, {});
    const uint64_t second = start("second", 3);
    finish_span(start("inner", 4), {});
    finish_span(second, {});
    finish_span(outer, {});
  });
  REQUIRE(received.size() == 1);
  const auto& spans = received[0].spans;
  REQUIRE(received[0].span_names() == std::vector<std::string>{"first", "inner", "second", "outer"});
  CHECK(spans[3].parent == 0);
  CHECK(spans[0].parent == spans[3].id);
  CHECK(spans[1].parent == spans[2].id);
  CHECK(spans[2].parent == spans[3].id);
  CHECK(spans[3].level == 2);
  CHECK(spans[1].level == 4);
  CHECK(received[0].goodbye);
  for (const auto& span : spans) {
    CHECK(span.begin <= span.end);
    CHECK(spans[3].begin <= span.begin);
    CHECK(span.end <= spans[3].end);
  }
}

TEST_CASE("a slot that was closed out of order and dropped is free, without an id") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    const uint64_t outer = start("outer");
    const uint64_t first = start("first");
    const uint64_t second = start("second");
    finish_span(first, {});
    finish_span(second, {});
    drop_closed_slots(*recording_thread());
    const xsp::shm::RingHeader& ring = *recording_thread()->ring;
    const bool is_free = ring.depth.load() == 1 && ring.open[1].id.load() == 0 && ring.open[2].id.load() == 0;
    finish_span(start(is_free ? "free" : "closed"), {});
    finish_span(outer, {});
  });
  CHECK(received[0].span_names() == std::vector<std::string>{"first", "second", "free", "outer"});
}

TEST_CASE("a place that is being written keeps the sequence of the lap before") {
  xsp::shm::Record of_ring{};
  of_ring.sequence = 17;
  xsp::shm::Record record{};
  record.id = 4;
  record.correlation = 5;
  copy_record({.record = &of_ring, .at = 17 + xsp::shm::kRingRecords}, &record);
  CHECK(of_ring.sequence == 17);
  CHECK(of_ring.id == 4);
  CHECK(of_ring.correlation == 5);
}

TEST_CASE("span ids start again behind the last one, without those that are no span's") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    recording_thread()->ring->next_id.store(UINT32_MAX - 3);
    for (int i = 0; i < 4; ++i) {
      const uint64_t outer = start("outer");
      finish_span(start("inner"), {});
      finish_span(outer, {});
    }
  });
  std::vector<uint32_t> ids;
  for (const auto& span : received[0].spans) ids.push_back(span.id);
  CHECK(ids == std::vector<uint32_t>{UINT32_MAX - 1, UINT32_MAX - 2, 2, 1, 4, 3, 6, 5});
  for (size_t i = 0; i < ids.size(); i += 2) CHECK(received[0].spans[i].parent == ids[i + 1]);
}

TEST_CASE("a thread whose ring is used wakes the sender at three quarters of it, and not before") {
  ListeningPeer peer;
  int status = 0;
  peer.run(
      [] {
        constexpr uint32_t kLap = xsp::shm::kRingRecords;
        const uint32_t name = intern("span");
        const auto record = [name](uint32_t count) {
          for (uint32_t i = 0; i < count; ++i) finish_span(start_span(name, 2, kApi, 0, 0), {});
        };
        const auto wait_for_sender = [] {
          const Thread& thread = *recording_thread();
          while (thread.ring->sent.load() != thread.ring->head.load()) usleep(1000);
        };
        const std::atomic<uint32_t>& wakes = (record(1), awake_process()->wake_word);
        const uint32_t at_first = wakes;
        record(kFirstTouch / sizeof(xsp::shm::Record));
        const bool is_woken_for_memory = wakes != at_first;
        for (int i = 0; i < 8; ++i) {
          wait_for_sender();
          record(kLap / 4);
        }
        wait_for_sender();
        find_room(*recording_thread(), 1);
        const uint32_t before = wakes;
        record(kLap / 2);
        _exit(is_woken_for_memory && wakes == before ? 0 : 3);
      },
      &status);
  CHECK(status == 0);
}

TEST_CASE("a thread that comes back from a rest wakes nobody") {
  ListeningPeer peer;
  int status = 0;
  const auto received = peer.run(
      [] {
        finish_span(start("before"), {});
        const std::atomic<uint32_t>& wakes = awake_process()->wake_word;
        for (const int rest_ms : {1, 30, 600}) {  // the sender waits for 0.1 to 20 ms, and when nothing comes for 250
          usleep(static_cast<unsigned>(rest_ms) * 1000);
          const uint32_t before = wakes;
          finish_span(start("after"), {});
          if (wakes != before) _exit(3);
        }
      },
      &status);
  CHECK(status == 0);
  CHECK(received[0].spans.size() == 4);
}

TEST_CASE("a span finished out of order leaves those inside it open") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    const uint64_t outer = start("outer");
    const uint64_t inner = start("inner");
    finish_span(outer, {});
    const uint64_t nested = start("nested in inner");
    finish_span(nested, {});
    finish_span(inner, {});
    finish_span(start("after"), {});
  });
  REQUIRE(received[0].span_names() == std::vector<std::string>{"outer", "nested in inner", "inner", "after"});
  const auto& spans = received[0].spans;
  CHECK(spans[1].parent == spans[2].id);
  CHECK(spans[3].parent == 0);
}

TEST_CASE("a span finished by another thread is recorded once, as begun on its own thread") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    const uint64_t span = start("handed over");
    std::thread([&] {
      finish_span(start("own"), {});
      finish_span(span, {});
      finish_span(span, {});
    }).join();
    finish_span(span, {});
    finish_span(start("next"), {});
  });
  const auto& spans = received[0].spans;
  REQUIRE(spans.size() == 3);
  int handed_over = 0;
  for (const auto& span : spans) {
    if (span.name != "handed over") {
      CHECK(span.parent == 0);
      continue;
    }
    handed_over++;
    CHECK(span.start_thread == received[0].hello.pid());
  }
  CHECK(handed_over == 1);
}

TEST_CASE("finishing nothing, twice, or what never was does nothing") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    finish_span(0, {});
    const volatile uint64_t no_handle = 0xffff'ffff'ffff'ffff;  // unknown to the compiler, which would warn
    finish_span(no_handle, {});
    const uint64_t span = start("once");
    finish_span(span, {});
    finish_span(span, {});
    tag_span(0, "key", "value");
    tag_span(span, nullptr, nullptr);
  });
  CHECK(received[0].span_names() == std::vector<std::string>{"once"});
}

TEST_CASE("tags name their span") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    const uint64_t span = start("tagged");
    tag_span(span, "batch", "32");
    tag_span(span, "precision", "fp16");
    finish_span(span, {});
  });
  std::vector<std::string> tags;
  for (const auto& packet : received[0].trace.packet()) {
    for (int i = 0; i < packet.tags().span_size(); ++i) {
      CHECK(packet.tags().span(i) == received[0].spans.at(0).id);
      tags.push_back(received[0].strings.at(packet.tags().key(i)) + "=" +
                     received[0].strings.at(packet.tags().value(i)));
    }
  }
  CHECK(tags == std::vector<std::string>{"batch=32", "precision=fp16"});
}

TEST_CASE("threads record into rings of their own, and a later thread takes over a ring") {
  ListeningPeer peer;
  constexpr int kThreads = 40;
  const auto received = peer.run([] {
    for (int round = 0; round < 3; ++round) {
      std::vector<std::thread> threads;
      for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([] {
          for (int n = 0; n < 100; ++n) finish_span(start("work"), {});
        });
      }
      for (auto& thread : threads) thread.join();
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
  });
  CHECK(received[0].spans.size() == 3 * kThreads * 100);
  CHECK(received[0].next_record.size() <= 2 * kThreads);
}

TEST_CASE("the clock readings bracket every time") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    for (int i = 0; i < 50; ++i) {
      finish_span(start("span"), {});
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
  });
  uint64_t latest = 0;
  for (const auto& packet : received[0].trace.packet()) {
    if (packet.has_clock()) latest = packet.clock().ticks();
    if (!packet.has_spans() || packet.spans().count() == 0) continue;
    uint64_t begin = 0;
    for (int i = 0; i < static_cast<int>(packet.spans().count()); ++i) {
      begin += static_cast<uint64_t>(packet.spans().begin(i));
      CHECK(begin + packet.spans().duration(i) <= latest);
    }
  }
  CHECK(latest > 0);
}

}  // namespace
