#include <pthread.h>

#include <thread>

#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"
#include "test/inject/recorded_spans.h"

namespace {

using namespace xsp::guest;
using xsp::Loss;
using xsp::test::ListeningPeer;
using xsp::test::record;

TEST_CASE("what a full ring drops is counted: received and dropped make all") {
  constexpr int kSpans = 2'000'000;
  ListeningPeer peer;
  const auto received = peer.run([] { record(intern("busy"), kSpans); });
  CHECK(received[0].spans.size() + received[0].loss(Loss::RING_FULL) == kSpans);
  CHECK(received[0].spans.size() >= 16384);
}

TEST_CASE("with --on-full=block nothing is dropped") {
  constexpr int kSpans = 500'000;
  ListeningPeer peer;
  const auto received = peer.run([] {
    setenv("XSP_ON_FULL", "block", 1);
    record(intern("patient"), kSpans);
  });
  CHECK(received[0].spans.size() == kSpans);
  CHECK(received[0].loss(Loss::RING_FULL) == 0);
}

TEST_CASE("spans nested deeper than the stack are counted, those above stay right") {
  constexpr int kDepth = 60;
  ListeningPeer peer;
  const auto received = peer.run([] {
    uint64_t spans[kDepth];
    for (auto& span : spans) span = start_span(intern("nest"), 2, 1, 0, 0);
    for (int i = kDepth - 1; i >= 0; --i) finish_span(spans[i], {});
    record(intern("after"), 1);
  });
  CHECK(received[0].spans.size() == xsp::shm::kMaxOpenSpans + 1);
  CHECK(received[0].loss(Loss::TOO_DEEP) == kDepth - xsp::shm::kMaxOpenSpans);
  CHECK(received[0].spans.back().parent == 0);
}

TEST_CASE("a thread without a ring is counted and runs on") {
  ListeningPeer peer;
  constexpr int kThreads = xsp::shm::kMaxRings + 20;
  constexpr int kLater = 100;
  const auto received = peer.run([] {
    static std::atomic<int> arrived{0};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 * 1024);
    std::vector<pthread_t> threads(kThreads);
    for (auto& thread : threads) {
      pthread_create(
          &thread, &attributes,
          [](void*) -> void* {
            record(intern("many"), 1);
            arrived++;
            while (arrived < kThreads) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return nullptr;
          },
          nullptr);
    }
    for (const auto& thread : threads) pthread_join(thread, nullptr);
    // Rings that have come free are found again, as soon as the sender has emptied them.
    for (int i = 0; i < kLater; ++i) {
      record(intern("later"), 1);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  CHECK(received[0].spans.size() > xsp::shm::kMaxRings);
  CHECK(received[0].spans.size() + received[0].loss(Loss::NO_RING) == kThreads + kLater);
}

}  // namespace
