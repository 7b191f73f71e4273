#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <thread>

#include "inject/record/span.h"
#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"
#include "test/inject/recorded_spans.h"

namespace {

using namespace xsp::guest;
using xsp::test::count_named;
using xsp::test::ListeningPeer;
using xsp::test::Received;

void record_one(uint32_t name) {
  if (Thread* thread = recording_thread()) {
    xsp::shm::Record record{};
    record.begin = record.end = now();
    record.name = name;
    record.level = 2;
    record_span(*thread, record);
  }
}

// A debugger's single steps, as in survival_test.cc: the handler leaves by siglongjmp after each possible instruction.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("a signal handler may leave a record by siglongjmp at any instruction: later ones are sent") {
  constexpr int kAfter = 1000;
  ListeningPeer peer;
  peer.allow_records_left_out();
  int status = 0;
  const auto received = peer.run(
      [] {
        constexpr uint64_t kTrapFlag = 0x100;
        static sigjmp_buf before;
        static uint32_t steps;
        static uint32_t jump_at;
        static bool has_jumped;
        struct sigaction action {};
        action.sa_flags = SA_SIGINFO;
        action.sa_sigaction = [](int, siginfo_t*, void*) {
          if (++steps != jump_at) return;
          has_jumped = true;
          siglongjmp(before, 1);
        };
        sigaction(SIGTRAP, &action, nullptr);
        const uint32_t inside = intern("jumped out of");
        const uint32_t after = intern("after");
        record_one(inside);
        do {
          ++jump_at;
          steps = 0;
          has_jumped = false;
          if (sigsetjmp(before, 1) == 0) {
            __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | kTrapFlag);
            record_one(inside);
          }
          __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~kTrapFlag);
          record_one(after);
        } while (has_jumped && jump_at < 5000);
        for (int i = 0; i < kAfter; ++i) record_one(after);
        // The records above must come while the process lives, not with its end.
        const auto* ring = this_thread->ring;
        for (int i = 0; i < 200 && ring->sent.load() != ring->head.load(); ++i) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        _exit(ring->sent.load() != ring->head.load() ? 3 : jump_at < 50 ? 4 : 0);
      },
      &status);
  REQUIRE(status == 0);
  CHECK(count_named(received[0], "after") > kAfter + 50);
  CHECK(received[0].left_out > 0);
  CHECK(received[0].left_out < 500);
}
#endif

TEST_CASE("a signal handler that interns, tags and attaches threads waits for nothing") {
  constexpr int kRounds = 60;
  ListeningPeer peer;
  int status = 0;
  const auto received = peer.run(
      [] {
        alarm(60);
        struct sigaction action {};
        action.sa_handler = [](int) {
          static std::atomic<uint32_t> number{0};
          char text[] = "handler aaaa";
          const uint32_t which = number++;
          for (int i = 0; i < 4; ++i) text[8 + i] = static_cast<char>('a' + (which >> (3 * i)) % 8);
          const uint64_t span = start_span(intern("in the handler"), 2, 1, 0, 0);
          tag_span(span, "key", text);
          finish_span(span, {});
        };
        action.sa_flags = SA_RESTART;
        sigaction(SIGPROF, &action, nullptr);
        const itimerval timer{{0, 300}, {0, 300}};
        setitimer(ITIMER_PROF, &timer, nullptr);
        for (int round = 0; round < kRounds; ++round) {
          const auto record_many = [round] {
            for (int i = 0; i < 200; ++i) {
              const uint64_t span =
                  start_span(intern("program " + std::to_string((round * 37 + i) % 2000)), 2, 1, 0, 0);
              tag_span(span, "number", std::to_string(i).c_str());
              finish_span(span, {});
            }
          };
          std::thread first(record_many);
          std::thread second(record_many);
          first.join();
          second.join();
        }
        const itimerval off{};
        setitimer(ITIMER_PROF, &off, nullptr);
        std::exit(0);
      },
      &status);
  REQUIRE(status == 0);
  size_t own = 0;
  for (const auto& span : received[0].spans) own += span.name.starts_with("program ") ? 1 : 0;
  CHECK(own == kRounds * 2 * 200);
}

}  // namespace
