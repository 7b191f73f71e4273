#include "inject/record/overflow.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"
#include "test/inject/recorded_spans.h"

namespace {

using namespace xsp::guest;
using xsp::Loss;
using xsp::test::ListeningPeer;
using xsp::test::Received;
using xsp::test::record;

constexpr int kRingLap = static_cast<int>(xsp::shm::kRingRecords);
constexpr int kArea = static_cast<int>(xsp::shm::kOverflowRecords);

/// The sender of this process waits inside, as on a machine whose other programs want its processor.
class SenderHeld {
 public:
  SenderHeld() { awake_process()->lock.lock(); }
  ~SenderHeld() { awake_process()->lock.unlock(); }
};

void wait_until_sent() {
  const Thread& thread = *recording_thread();
  while (thread.ring->sent.load() != thread.ring->head.load()) usleep(1000);
}

void check_whole(const Received& received, size_t spans) {
  REQUIRE(received.spans.size() == spans);
  CHECK(received.loss(Loss::RING_FULL) == 0);
  CHECK(received.loss(Loss::CORRUPT) == 0);
  // In order and each once.
  for (size_t i = 1; i < spans; ++i) REQUIRE(received.spans[i].id == received.spans[i - 1].id + 1);
}

TEST_CASE("a thread whose ring is full goes on in an overflow area, and nothing is lost") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    const uint32_t name = intern("burst");
    record(name, 100);
    const SenderHeld held;
    record(name, kArea - 1000);
  });
  check_whole(received[0], 100 + kArea - 1000);
}

TEST_CASE("when the area is full, too, the rest is counted") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    const uint32_t name = intern("burst");
    record(name, 100);
    const SenderHeld held;
    record(name, kArea + kRingLap);
  });
  CHECK(received[0].loss(Loss::RING_FULL) >= uint64_t{kRingLap} - 100);
  CHECK(received[0].spans.size() + received[0].loss(Loss::RING_FULL) == size_t{100} + kArea + kRingLap);
}

TEST_CASE("a ring returns to its own places, and spills again, as often as the sender is late") {
  constexpr int kTimes = 12;
  ListeningPeer peer;
  int status = 0;
  const auto received = peer.run(
      [] {
        const uint32_t name = intern("burst");
        record(name, 1);
        const Thread& thread = *recording_thread();
        for (int i = 0; i < kTimes; ++i) {
          {
            const SenderHeld held;
            record(name, 3 * kRingLap + 7 * i);
            if (thread.memory == 0) _exit(3);
          }
          wait_until_sent();
          find_room(*recording_thread(), 1);
          if (thread.memory != 0) _exit(4);
          // Sometimes the next burst comes before what is in the own places has been sent.
          record(name, kRingLap / 2);
          if (i % 2 == 0) wait_until_sent();
        }
      },
      &status);
  CHECK(status == 0);
  size_t spans = 1;
  for (int i = 0; i < kTimes; ++i) spans += static_cast<size_t>(3 * kRingLap + 7 * i + kRingLap / 2);
  check_whole(received[0], spans);
}

TEST_CASE("areas that are no longer needed go to other threads, and their memory back to the system") {
  ListeningPeer peer;
  int status = 0;
  peer.run(
      [] {
        const uint32_t name = intern("burst");
        record(name, 1);
        const Process& process = *awake_process();
        for (uint32_t i = 0; i < 2 * xsp::shm::kMaxOverflows; ++i) {
          std::thread([&] {
            record(name, 1);
            {
              const SenderHeld held;
              record(name, 2 * kRingLap);
              if (recording_thread()->memory == 0) _exit(3);
            }
            wait_until_sent();
          }).join();
          const auto is_any_borrowed = [&] {
            for (const auto& owner : process.overflow.owners) {
              if (owner.load() != 0) return true;
            }
            return false;
          };
          for (int tries = 0; is_any_borrowed(); ++tries) {
            if (tries == 5000) _exit(4);
            usleep(1000);
          }
        }
        const auto resident_pages = [&] {
          unsigned char resident[xsp::shm::kOverflowBytes / 4096];
          size_t count = 0;
          for (uint32_t area = 1; area <= xsp::shm::kMaxOverflows; ++area) {
            mincore(process.region.memory_of(0, area), xsp::shm::kOverflowBytes, resident);
            for (const unsigned char page : resident) count += page & 1;
          }
          return count;
        };
        for (int tries = 0; resident_pages() != 0; ++tries) {
          if (tries == 100) _exit(5);
          usleep(100'000);
        }
        _exit(0);
      },
      &status);
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a later thread takes over a ring that its thread left in an overflow area") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    const uint32_t name = intern("work");
    std::thread([&] {
      record(name, 1);
      const SenderHeld held;
      record(name, 2 * kRingLap);
    }).join();
    for (int i = 0; i < 50; ++i) {
      std::thread([&] { record(name, 10); }).join();
      usleep(5000);
    }
  });
  CHECK(received[0].spans.size() == size_t{1 + 2 * kRingLap + 500});
  CHECK(received[0].loss(Loss::RING_FULL) == 0);
}

TEST_CASE("a killed process leaves what is in an overflow area") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    const uint32_t name = intern("left");
    record(name, 1);
    usleep(50'000);
    awake_process()->lock.lock();
    record(name, 5 * kRingLap);
    raise(SIGKILL);
  });
  REQUIRE(received.size() == 1);
  CHECK_FALSE(received[0].goodbye);
  CHECK(received[0].spans.size() + received[0].left_in_rings().size() == size_t{1 + 5 * kRingLap});
}

TEST_CASE("a signal handler changes no memory while its thread has a place whose address it is about to read") {
  ListeningPeer peer;
  int status = 0;
  const auto received = peer.run(
      [] {
        const uint32_t name = intern("work");
        record(name, 1);
        const Thread& thread = *recording_thread();
        wait_until_sent();
        const SenderHeld held;
        record(name, kRingLap - static_cast<int>(xsp::shm::kMaxUnfinished) - 5);
        const uint64_t at = take_next(thread.ring->head);
        record(name, 10);  // the handler's: four fit
        if (thread.memory != 0) _exit(3);
        xsp::shm::Record own{};
        own.name = name;
        own.begin = own.end = now();
        own.id = next_span_id(thread.ring);
        own.record_type = static_cast<uint8_t>(xsp::shm::RecordType::kSpan);
        const Place place{thread.records.load() + (at & thread.record_mask.load()), at};
        copy_record(place, &own);
        commit(place);
        record(name, 10);
        if (thread.memory == 0) _exit(4);
      },
      &status);
  CHECK(status == 0);
  CHECK(received[0].loss(Loss::RING_FULL) == 6);
  CHECK(received[0].spans.size() == size_t{kRingLap} + 1 - xsp::shm::kMaxUnfinished + 10);
}

uint32_t handler_name;
int handled;

void record_in_handler(int) {
  record(handler_name, 2);
  ++handled;
}

TEST_CASE("a signal handler may record while its thread spills and returns") {
  ListeningPeer peer;
  int* const shared =
      static_cast<int*>(mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  constexpr int kBursts = 40;
  const auto received = peer.run([=] {
    const uint32_t name = intern("burst");
    handler_name = intern("handler");
    record(name, 1);
    struct sigaction action {};
    action.sa_handler = record_in_handler;
    sigaction(SIGALRM, &action, nullptr);
    // The timer's signals go to this thread: our own block them.
    const itimerval often{{0, 50}, {0, 50}};
    setitimer(ITIMER_REAL, &often, nullptr);
    for (int i = 0; i < kBursts; ++i) {
      record(name, 2 * kRingLap);
      usleep(2000);
    }
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    *shared = handled;
  });
  const size_t issued = 1 + size_t{kBursts} * 2 * kRingLap + 2 * static_cast<size_t>(*shared);
  CHECK(received[0].spans.size() + received[0].loss(Loss::RING_FULL) == issued);
  CHECK(received[0].left_out == 0);
  munmap(shared, sizeof(int));
}

}  // namespace
