#include <link.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"
#include "test/inject/recorded_spans.h"

namespace {

using namespace xsp::guest;
using xsp::test::count_named;
using xsp::test::ListeningPeer;
using xsp::test::Received;
using xsp::test::record;

/// The parent records, forks by `fork_now`, both record, the parent records again.
std::vector<Received> fork_between_spans(pid_t (*fork_now)()) {
  ListeningPeer peer;
  return peer.run([fork_now] {
    const uint32_t name = intern("known before the fork");
    record(name, 1000);
    const pid_t child = fork_now();
    if (child == 0) {
      record(name, 500);
      record(intern("known in the child"), 500);
      std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    record(name, 1000);
    record(intern("known in the parent"), 7);
    std::exit(WEXITSTATUS(status));
  });
}

void check_separate(const std::vector<Received>& received) {
  REQUIRE(received.size() == 2);
  CHECK(received[0].hello.pid() != received[1].hello.pid());
  CHECK(received[1].hello.parent_pid() == received[0].hello.pid());
  CHECK(count_named(received[0], "known before the fork") == 2000);
  CHECK(count_named(received[0], "known in the parent") == 7);
  CHECK(received[0].spans.size() == 2007);
  CHECK(count_named(received[1], "known before the fork") == 500);
  CHECK(count_named(received[1], "known in the child") == 500);
  CHECK(received[1].spans.size() == 1000);
}

TEST_CASE("a forked child is a process of its own, and names interned before stay valid") {
  check_separate(fork_between_spans([] { return fork(); }));
}

// ThreadSanitizer knows nothing of such a fork, and takes what the child writes for a race with its parent's threads.
#if !defined(__SANITIZE_THREAD__)
TEST_CASE("a child of a raw fork system call is one too: no fork handler runs there") {
  check_separate(fork_between_spans([] { return static_cast<pid_t>(syscall(SYS_fork)); }));
}
#endif

TEST_CASE("a child forked inside a span does not finish its parent's") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    const uint64_t span = start_span(intern("around the fork"), 2, 1, 0, 0);
    const pid_t child = fork();
    if (child == 0) {
      finish_span(span, {});
      record(intern("in the child"), 1);
      std::exit(0);
    }
    waitpid(child, nullptr, 0);
    finish_span(span, {});
  });
  REQUIRE(received.size() == 2);
  CHECK(received[0].span_names() == std::vector<std::string>{"around the fork"});
  CHECK(received[1].span_names() == std::vector<std::string>{"in the child"});
  CHECK(received[1].spans[0].parent == 0);
}

TEST_CASE("a child that records nothing says nothing and does not keep its parent's connection open") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    record(intern("parent"), 1);
    if (fork() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
      std::exit(0);
    }
  });
  REQUIRE(received.size() == 1);
  CHECK(received[0].goodbye);
}

TEST_CASE("a child records that was forked while another thread held the loader's lock, which fork does not free") {
  ListeningPeer peer;
  int status = 0;
  const auto received = peer.run(
      [] {
        static std::atomic<bool> is_held{false};
        static std::atomic<bool> is_enough{false};
        std::thread holder([] {
          dl_iterate_phdr(
              [](dl_phdr_info*, size_t, void*) {
                is_held = true;
                while (!is_enough) std::this_thread::yield();
                return 1;
              },
              nullptr);
        });
        while (!is_held) std::this_thread::yield();
        const pid_t child = fork();
        if (child == 0) {
          record(intern("child"), 10);
          std::exit(0);
        }
        int child_status = -1;
        for (int i = 0; i < 2000 && waitpid(child, &child_status, WNOHANG) == 0; ++i) usleep(10'000);
        kill(child, SIGKILL);  // one that waits for ever has all signals blocked but this
        is_enough = true;
        holder.join();
        std::exit(child_status == 0 ? 0 : 1);
      },
      &status);
  CHECK(status == 0);
  REQUIRE(received.size() == 1);
  CHECK(count_named(received[0], "child") == 10);
  CHECK(received[0].goodbye);
}

TEST_CASE("a fork while other threads record and intern leaves both sides working") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    std::atomic<bool> stop{false};
    // No thread allocates, or begins, while another forks: AddressSanitizer's allocator has locks that fork does not
    // free (gcc 12), and a child that finds one held has a sender that waits for ever.
    constexpr size_t kNames = 3000;
    std::vector<std::string> names[3];
    for (size_t t = 0; t < std::size(names); ++t) {
      for (size_t i = 0; i < kNames; ++i) names[t].push_back("thread " + std::to_string(t) + " " + std::to_string(i));
    }
    std::atomic<size_t> started{0};
    std::vector<std::thread> threads;
    for (const auto& own : names) {
      threads.emplace_back([&stop, &started, &own] {
        record(intern(own[0]), 1);
        ++started;
        for (size_t i = 0; !stop; ++i) record(intern(own[i % kNames]), 1);
      });
    }
    while (started < std::size(names)) std::this_thread::yield();
    int failures = 0;
    for (int i = 0; i < 20; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        record(intern("child"), 10);
        std::exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      failures += status == 0 ? 0 : 1;
    }
    stop = true;
    for (auto& thread : threads) thread.join();
    std::exit(failures);
  });
  REQUIRE(received.size() == 21);
  int children = 0;
  int goodbyes = 0;
  for (const auto& process : received) {
    if (process.hello.pid() == received[1].hello.parent_pid()) continue;
    children++;
    goodbyes += process.goodbye ? 1 : 0;
    // A child waits two seconds for its sender, which a busy machine may not let run: what is left then, the collector
    // finds in the rings.
    const size_t left = process.goodbye ? 0 : process.left_in_rings().size();
    CHECK(count_named(process, "child") + left == 10);
  }
  CHECK(children == 20);
  CHECK(goodbyes >= 15);
}

}  // namespace
