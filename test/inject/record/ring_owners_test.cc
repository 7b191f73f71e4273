#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"

namespace {

using namespace xsp::guest;
using xsp::Loss;
using xsp::test::ListeningPeer;

constexpr int kOwners = 4 * static_cast<int>(xsp::shm::kMaxRings);
constexpr int kSpansEach = 3;

std::string name_of_this_thread() { return "thread " + std::to_string(syscall(SYS_gettid)); }

void* record_own_name(void*) {
  const uint32_t name = intern(name_of_this_thread());
  for (int i = 0; i < kSpansEach; ++i) finish_span(start_span(name, 2, 1, 0, 0), {});
  return nullptr;
}

/// One after the other, and all before the sender gets the only processor that it may use.
void run_threads_before_the_sender() {
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(sched_getcpu(), &first);
  sched_setaffinity(0, sizeof first, &first);
  record_own_name(nullptr);
  const sched_param priority{.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) _exit(77);
  for (int i = 0; i < kOwners; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, record_own_name, nullptr) != 0) _exit(98);
    pthread_join(thread, nullptr);
  }
  const sched_param none{};
  sched_setscheduler(0, SCHED_OTHER, &none);
}

TEST_CASE("threads that come faster than rings are emptied take over rings that still hold records") {
  ListeningPeer peer;
  int status = 0;
  const auto received = peer.run(run_threads_before_the_sender, &status);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    WARN("not tried: the user may not have real-time priority");
    return;
  }
  REQUIRE(status == 0);
  CHECK(received[0].spans.size() == (kOwners + 1) * kSpansEach);
  CHECK(received[0].loss(Loss::NO_RING) == 0);
  size_t of_other_threads = 0;
  std::set<uint32_t> rings;
  std::set<std::string> names;
  for (const auto& span : received[0].spans) {
    of_other_threads += span.name != "thread " + std::to_string(span.thread);
    rings.insert(span.ring);
    names.insert(span.name);
  }
  CHECK(of_other_threads == 0);
  CHECK(rings.size() <= xsp::shm::kMaxRings);
  CHECK(names.size() > rings.size());
}

}  // namespace
