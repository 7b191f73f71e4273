#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <random>
#include <set>
#include <thread>

#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"
#include "test/inject/recorded_spans.h"

namespace {

using namespace xsp::guest;
using xsp::test::ListeningPeer;
using xsp::test::record;

TEST_CASE("after SIGKILL at a random moment every finished span is in the stream or in the rings, once") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 12; ++trial) {
    ListeningPeer peer;
    auto* finished = static_cast<std::atomic<uint64_t>*>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    const auto delay = std::chrono::microseconds(random() % 60'000);
    const bool fast = trial % 2 == 0;
    int status = 0;
    const auto received = peer.run(
        [&] {
          setenv("XSP_ON_FULL", "block", 1);
          std::thread([&] {
            std::this_thread::sleep_for(delay);
            kill(getpid(), SIGKILL);
          }).detach();
          const uint32_t name = intern("span");
          while (true) {
            record(name, 1);
            finished->fetch_add(1, std::memory_order_release);
            if (!fast) std::this_thread::sleep_for(std::chrono::microseconds(40));
          }
        },
        &status);
    REQUIRE(WIFSIGNALED(status));
    if (received.empty()) {
      REQUIRE(finished->load() == 0);
      continue;
    }
    const uint64_t kept = received[0].spans.size() + received[0].left_in_rings().size();
    // One more may have been published before its count was.
    CHECK((kept == finished->load() || kept == finished->load() + 1));
    munmap(finished, 4096);
  }
}

TEST_CASE("the call in progress is in the open-span stack of a killed process") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_span(intern("model"), 2, 1, 0, 0);
    start_span(intern("the layer it died in"), 3, 1, 0, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    raise(SIGKILL);
  });
  REQUIRE(received.size() == 1);
  const auto* ring = reinterpret_cast<const xsp::shm::RingHeader*>(received[0].memory.data() + xsp::shm::kRingsOffset);
  REQUIRE(ring->depth.load() == 2);
  CHECK(ring->open[0].id.load() == 1);
  CHECK(ring->open[1].parent == 1);
  CHECK(ring->open[1].level == 3);
  CHECK_FALSE(received[0].goodbye);
}

TEST_CASE("nobody listens: the guest is off, and errno is the program's") {
  const pid_t child = fork();
  if (child == 0) {
    setenv("XSP_SOCKET", "/nonexistent/socket", 1);
    errno = 4711;
    const uint64_t span = start_span(intern("span"), 2, 1, 0, 0);
    finish_span(span, {});
    tag_span(span, "key", "value");
    _exit(span == 0 && errno == 4711 && state == State::kOff ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("a program that closes all descriptors keeps its own files clean and its status") {
  char path[] = "/tmp/xsp-test-file-XXXXXX";
  close(mkstemp(path));
  ListeningPeer peer;
  int status = 0;
  const auto received = peer.run(
      [&] {
        record(intern("before"), 10);
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        for (int descriptor = 3; descriptor < 256; ++descriptor) close(descriptor);
        for (int i = 0; i < 20; ++i) {
          if (open(path, O_WRONLY | O_APPEND) < 0) std::exit(9);
        }
        for (int i = 0; i < 10; ++i) {
          record(intern("after"), 1000);
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        std::exit(42);
      },
      &status);
  CHECK(WEXITSTATUS(status) == 42);
  struct stat file;
  REQUIRE(stat(path, &file) == 0);
  CHECK(file.st_size == 0);
  CHECK(received[0].spans.size() == 10);
  unlink(path);
}

TEST_CASE("the collector's death does not disturb the program") {
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  auto peer = std::make_unique<ListeningPeer>();
  const pid_t child = fork();
  if (child == 0) {
    setenv("XSP_SOCKET", peer->path().c_str(), 1);
    // The listener is inherited, and would keep the connection.
    for (int descriptor = 3; descriptor < 256; ++descriptor) {
      if (descriptor != pipe_ends[0]) close(descriptor);
    }
    record(intern("unheard"), 100);
    char byte;
    if (read(pipe_ends[0], &byte, 1) != 1) _exit(1);
    for (int i = 0; i < 50; ++i) {
      record(intern("unheard"), 2000);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    // Nobody listens: hooks open no more spans, whatever the window and the sample say.
    for (int i = 0; i < 500 && are_hooks_running(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const bool is_paused = !are_hooks_running() && !is_window_open() && model_call_thread() == nullptr &&
                           opening_thread() == nullptr && start_span(intern("unheard"), 2, 1, 0, 0) == 0;
    std::exit(is_paused ? 5 : 6);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  peer.reset();
  REQUIRE(write(pipe_ends[1], "x", 1) == 1);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 5);
}

TEST_CASE("a signal handler that records while a record is written leaves both whole") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    setenv("XSP_ON_FULL", "block", 1);
    static uint32_t name;
    name = intern("in the handler");
    struct sigaction action {};
    action.sa_handler = [](int) {
      if (Thread* thread = recording_thread()) {
        xsp::shm::Record record{};
        record.begin = record.end = now();
        record.name = name;
        record.level = 2;
        record_span(*thread, record);
      }
    };
    sigaction(SIGALRM, &action, nullptr);
    const timeval period{0, 50};
    const itimerval timer{period, period};
    const uint32_t own = intern("in the program");
    record(own, 1);
    setitimer(ITIMER_REAL, &timer, nullptr);
    record(own, 300'000);
    const itimerval off{};
    setitimer(ITIMER_REAL, &off, nullptr);
  });
  size_t own = 0;
  size_t handler = 0;
  for (const auto& span : received[0].spans) {
    own += span.name == "in the program" ? 1 : 0;
    handler += span.name == "in the handler" ? 1 : 0;
  }
  CHECK(own == 300'001);
  CHECK(handler > 10);
  CHECK(own + handler == received[0].spans.size());
}

// Not with a sanitizer, whose checks would be stepped through too, for minutes.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("a signal handler may record at any instruction of a span's beginning and end") {
  ListeningPeer peer;
  int status = 0;
  const auto received = peer.run(
      [] {
        constexpr uint64_t kTrapFlag = 0x100;  // single steps: a SIGTRAP after each instruction
        static uint32_t in_handler;
        static uint32_t steps;
        static uint32_t fire_at;
        struct sigaction action {};
        action.sa_flags = SA_SIGINFO;
        action.sa_sigaction = [](int, siginfo_t*, void* context) {
          if (++steps != fire_at) return;
          record(in_handler, 1);
          static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~static_cast<greg_t>(kTrapFlag);
        };
        sigaction(SIGTRAP, &action, nullptr);
        const uint32_t own = intern("in the program");
        in_handler = intern("in the handler");
        record(own, 1);
        do {
          steps = 0;
          fire_at++;
          __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | kTrapFlag);
          record(own, 1);
          __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~kTrapFlag);
        } while (steps >= fire_at);
      },
      &status);
  REQUIRE(status == 0);
  std::set<uint32_t> ids;
  size_t handler = 0;
  for (const auto& span : received[0].spans) {
    ids.insert(span.id);
    handler += span.name == "in the handler" ? 1 : 0;
  }
  CHECK(handler > 50);
  CHECK(received[0].spans.size() == 2 * handler + 2);
  CHECK(ids.size() == received[0].spans.size());
}
#endif

}  // namespace
