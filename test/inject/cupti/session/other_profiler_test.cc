// A profiler as PyTorch's is, in a program whose calls of CUPTI reach our wrappers: who gets which records, and when.
#include "inject/cupti/session/giving_way.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <vector>

#include "inject/cupti/records/activity_buffers.h"
#include "inject/cupti/session/session_start.h"
#include "inject/cupti/state/other_profiler.h"
#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/cupti/records/device_records.h"
#include "test/inject/listening_peer.h"

extern "C" {
int cuptiSubscribe(void** subscriber, void* callback, void* user_data);
int cuptiUnsubscribe(void* subscriber);
int cuptiActivityRegisterCallbacks(void* requested, void* completed);
int cuptiActivityEnable(int kind);
int cuptiActivityDisable(int kind);
int cuptiActivityFlushAll(uint32_t flags);
int cuptiActivitySetAttribute(int attribute, size_t* bytes, void* value);
int cuptiActivityRegisterTimestampCallback(void* callback);
int cuptiFinalize();
}

namespace {

using namespace xsp::guest;
using xsp::Gap;
using xsp::test::kernel;
using xsp::test::ListeningPeer;
using xsp::test::Received;

constexpr int kKernels = 10;
constexpr int kCopies = 1;
constexpr int kNoKind = 60;
constexpr int kPerThreadBuffers = 9;

/// Of the CUPTI itself, past the wrappers.
template <typename Function>
Function* real(const char* name) {
  static void* handle = dlopen(SMALL_CUPTI, RTLD_NOW);
  return reinterpret_cast<Function*>(dlsym(handle, name));
}

void emit(uint32_t correlation) {
  uint64_t time = 0;
  real<int(uint64_t*)>("cuptiGetTimestamp")(&time);
  auto launched = kernel("gemm", correlation, time, time + 5).set(cupti::kernel_record::kGraph, uint32_t{0});
  real<void(const uint8_t*)>("small_cupti_emit")(launched.data());
}

uint64_t enabled_kinds() { return real<uint64_t()>("small_cupti_enabled_kinds")(); }
int subscribers() { return real<int()>("small_cupti_subscribers")(); }

[[noreturn]] void fail(int line) {
  fprintf(stderr, "line %d\n", line);
  _exit(3);
}
#define EXPECT(condition) \
  if (!(condition)) fail(__LINE__)

void start() {
  dlopen(SMALL_DRIVER, RTLD_NOW | RTLD_GLOBAL);
  setenv("XSP_CUPTI", SMALL_CUPTI, 1);
  start_session();
}

SessionMode mode() { return device_session()->mode.load(); }

/// Our thread takes its time.
void wait_for(SessionMode wanted) {
  for (int i = 0; i < 3000 && mode() != wanted; ++i) {
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  EXPECT(mode() == wanted);
}

/// The other profiler, which keeps the correlation ids of what it is given.
std::vector<uint32_t>& theirs() {
  static std::vector<uint32_t> ids;
  return ids;
}
alignas(8) uint8_t their_buffer[1 << 16];

void their_request(uint8_t** buffer, size_t* bytes, size_t* most) {
  *buffer = their_buffer;
  *bytes = sizeof their_buffer;
  *most = 0;
}

void their_completion(void*, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  EXPECT(buffer == their_buffer);
  const auto next = real<int(uint8_t*, size_t, uint8_t**)>("cuptiActivityGetNextRecord");
  uint8_t* record = nullptr;
  while (next(buffer, valid, &record) == 0) {
    uint32_t correlation;
    memcpy(&correlation, record + 92, sizeof correlation);
    theirs().push_back(correlation);
  }
}

void register_theirs() {
  EXPECT(cuptiActivityRegisterCallbacks(reinterpret_cast<void*>(their_request),
                                        reinterpret_cast<void*>(their_completion)) == 0);
}

void end_theirs() {
  EXPECT(cuptiActivityDisable(kKernels) == 0);
  EXPECT(cuptiActivityFlushAll(1) == 0);
}

Received run(const std::function<void()>& program) {
  ListeningPeer peer;
  int status = 0;
  auto received = peer.run(program, &status);
  CHECK(status == 0);
  REQUIRE(received.size() == 1);
  return std::move(received[0]);
}

std::vector<uint32_t> ours(const Received& received) {
  std::vector<uint32_t> ids;
  for (const auto& activity : received.activities) ids.push_back(activity.correlation);
  return ids;
}

std::vector<Gap> gaps_of(const Received& received) {
  std::vector<Gap> gaps;
  for (const auto& packet : received.trace.packet()) {
    if (packet.has_gap()) gaps.push_back(packet.gap());
  }
  return gaps;
}

TEST_CASE("what executes before, during and after another profiler's session goes to whom it belongs") {
  const auto received = run([] {
    start();
    emit(1);
    register_theirs();
    EXPECT(mode() == SessionMode::kPaused);
    EXPECT(enabled_kinds() == 0);
    EXPECT(cuptiActivityEnable(kKernels) == 0);
    EXPECT(enabled_kinds() == uint64_t{1} << kKernels);
    emit(2);
    emit(3);
    end_theirs();
    EXPECT((theirs() == std::vector<uint32_t>{2, 3}));
    wait_for(SessionMode::kCallbacks);
    emit(4);
  });
  CHECK(ours(received) == std::vector<uint32_t>{1, 4});
  const auto gaps = gaps_of(received);
  REQUIRE(gaps.size() == 2);
  CHECK(gaps[0].reason() == Gap::OTHER_PROFILER);
  CHECK(gaps[0].end_ns() == 0);
  CHECK(gaps[0].detail() == "the program");
  CHECK(gaps[1].begin_ns() == gaps[0].begin_ns());
  CHECK(gaps[1].end_ns() > gaps[1].begin_ns());
}

TEST_CASE("a second session of the other profiler works as the first, registered anew or not") {
  const auto received = run([] {
    start();
    register_theirs();
    EXPECT(cuptiActivityEnable(kKernels) == 0);
    emit(1);
    end_theirs();
    wait_for(SessionMode::kCallbacks);
    emit(2);
    EXPECT(cuptiActivityEnable(kKernels) == 0);
    EXPECT(mode() == SessionMode::kPaused);
    emit(3);
    end_theirs();
    wait_for(SessionMode::kCallbacks);
    emit(4);
    register_theirs();
    EXPECT(cuptiActivityEnable(kKernels) == 0);
    emit(5);
    end_theirs();
    EXPECT((theirs() == std::vector<uint32_t>{1, 3, 5}));
    wait_for(SessionMode::kCallbacks);
  });
  CHECK(ours(received) == std::vector<uint32_t>{2, 4});
}

TEST_CASE("what could not be taken back after another profiler's session is asked for again") {
  const auto received = run([] {
    start();
    register_theirs();
    EXPECT(cuptiActivityEnable(kKernels) == 0);
    setenv("SMALL_CUPTI_ENABLE", "999", 1);
    end_theirs();
    const timespec longer_than_quiet{0, 400'000'000};
    nanosleep(&longer_than_quiet, nullptr);
    EXPECT(mode() == SessionMode::kPaused);
    EXPECT(subscribers() == 0);
    unsetenv("SMALL_CUPTI_ENABLE");
    wait_for(SessionMode::kCallbacks);
    emit(1);
  });
  CHECK(ours(received) == std::vector<uint32_t>{1});
  CHECK(gaps_of(received).size() == 2);
}

TEST_CASE("a profiler in the program that keeps the subscriber is told of once, and as no fault") {
  const auto received = run([] {
    start();
    void* subscriber = nullptr;
    EXPECT(cuptiSubscribe(&subscriber, reinterpret_cast<void*>(fail), nullptr) == 0);
    for (int session = 0; session < 2; ++session) {
      register_theirs();
      EXPECT(cuptiActivityEnable(kKernels) == 0);
      end_theirs();
      wait_for(SessionMode::kRecords);
    }
  });
  const std::string notices = received.notices();
  const size_t first = notices.find("one subscriber");
  REQUIRE(first != std::string::npos);
  CHECK(notices.find("one subscriber", first + 1) == std::string::npos);
  CHECK(notices.find("end th") == std::string::npos);
}

TEST_CASE("we go on only when all kinds are disabled and flushed") {
  run([] {
    start();
    register_theirs();
    EXPECT(cuptiActivityEnable(kKernels) == 0);
    EXPECT(cuptiActivityEnable(kCopies) == 0);
    EXPECT(cuptiActivityFlushAll(0) == 0);
    EXPECT(cuptiActivityDisable(kKernels) == 0);
    EXPECT(cuptiActivityFlushAll(0) == 0);
    EXPECT(other_profiler_has_buffers());
    EXPECT(cuptiActivityDisable(kCopies) == 0);
    EXPECT(other_profiler_has_buffers());
    EXPECT(mode() == SessionMode::kPaused);
    EXPECT(cuptiActivityFlushAll(0) == 0);
    wait_for(SessionMode::kCallbacks);
  });
}

void set_per_thread_buffers(uint8_t value) {
  size_t bytes = sizeof value;
  EXPECT(cuptiActivitySetAttribute(kPerThreadBuffers, &bytes, &value) == 0);
}

TEST_CASE("what it sets, before its session as behind the flush that ends it, falls into no session of ours") {
  run([] {
    start();
    EXPECT(mode() == SessionMode::kCallbacks);
    EXPECT(cuptiActivityRegisterTimestampCallback(reinterpret_cast<void*>(start)) == 0);
    EXPECT(mode() == SessionMode::kPaused);
    set_per_thread_buffers(1);
    register_theirs();
    EXPECT(cuptiActivityEnable(kKernels) == 0);
    end_theirs();
    const timespec pause{0, 20'000'000};
    nanosleep(&pause, nullptr);
    set_per_thread_buffers(0);
    EXPECT(real<int()>("small_cupti_untimely")() == 0);
    wait_for(SessionMode::kCallbacks);
    EXPECT(real<int()>("small_cupti_per_thread")() == 1);
    // Nothing follows.
    set_per_thread_buffers(1);
    EXPECT(mode() == SessionMode::kPaused);
    wait_for(SessionMode::kCallbacks);
    EXPECT(real<int()>("small_cupti_untimely")() == 0);
  });
}

TEST_CASE("a session of its that ends without a flush, as it had no records, ends") {
  const auto received = run([] {
    start();
    register_theirs();
    EXPECT(cuptiActivityEnable(kKernels) == 0);
    EXPECT(cuptiActivityDisable(kKernels) == 0);
    EXPECT(mode() == SessionMode::kPaused);
    wait_for(SessionMode::kCallbacks);
    emit(1);
  });
  CHECK(ours(received) == std::vector<uint32_t>{1});
}

TEST_CASE("another one's subscription succeeds, calls come as records while it lasts, and the gap is told") {
  const auto received = run([] {
    start();
    EXPECT(mode() == SessionMode::kCallbacks);
    EXPECT(subscribers() == 1);
    void* subscriber = nullptr;
    EXPECT(cuptiSubscribe(&subscriber, nullptr, nullptr) == 0);
    EXPECT(mode() == SessionMode::kRecords);
    EXPECT((enabled_kinds() & (1 << 4 | 1 << 5)) != 0);
    emit(1);
    void* second = nullptr;
    EXPECT(cuptiSubscribe(&second, nullptr, nullptr) == 39);
    EXPECT(other_profiler_has_subscriber());
    EXPECT(cuptiUnsubscribe(subscriber) == 0);
    wait_for(SessionMode::kCallbacks);
    EXPECT(subscribers() == 1);
    EXPECT((enabled_kinds() & (1 << 4 | 1 << 5)) == 0);
  });
  CHECK(ours(received) == std::vector<uint32_t>{1});
  const auto gaps = gaps_of(received);
  REQUIRE(gaps.size() == 2);
  CHECK(gaps[0].reason() == Gap::NO_CALLBACKS);
  CHECK(gaps[1].end_ns() > gaps[1].begin_ns());
}

TEST_CASE("behind a profiler that keeps the subscriber, calls come as records") {
  run([] {
    start();
    void* subscriber = nullptr;
    EXPECT(cuptiSubscribe(&subscriber, nullptr, nullptr) == 0);
    register_theirs();
    EXPECT(cuptiActivityEnable(kKernels) == 0);
    EXPECT(mode() == SessionMode::kPaused);
    end_theirs();
    wait_for(SessionMode::kRecords);
    EXPECT(subscribers() == 1);
  });
}

TEST_CASE("behind cuptiFinalize everything of ours is set up anew") {
  const auto received = run([] {
    start();
    emit(1);
    EXPECT(cuptiFinalize() == 0);
    wait_for(SessionMode::kCallbacks);
    EXPECT(subscribers() == 1);
    emit(2);
  });
  CHECK(ours(received) == std::vector<uint32_t>{1, 2});
}

TEST_CASE("a session that starts while another profiler is at work waits for its end") {
  const auto received = run([] {
    EXPECT(enabled_kinds() == 0);  // loads it
    register_theirs();
    EXPECT(cuptiActivityEnable(kKernels) == 0);
    start();
    EXPECT(mode() == SessionMode::kPaused);
    emit(1);
    end_theirs();
    EXPECT(theirs().size() == 1);
    wait_for(SessionMode::kCallbacks);
    emit(2);
  });
  CHECK(ours(received) == std::vector<uint32_t>{2});
}

TEST_CASE("a session that starts while another one has the subscriber leaves it to that") {
  run([] {
    EXPECT(subscribers() == 0);  // loads it
    void* subscriber = nullptr;
    EXPECT(cuptiSubscribe(&subscriber, nullptr, nullptr) == 0);
    start();
    EXPECT(mode() == SessionMode::kRecords);
    EXPECT(cuptiUnsubscribe(subscriber) == 0);
    wait_for(SessionMode::kCallbacks);
  });
}

TEST_CASE("a call of the other profiler that fails tells it so, and we go on") {
  run([] {
    start();
    register_theirs();
    EXPECT(cuptiActivityEnable(kNoKind) == 6);
    wait_for(SessionMode::kCallbacks);
    EXPECT(cuptiSubscribe(nullptr, nullptr, nullptr) == 1);
    wait_for(SessionMode::kCallbacks);
  });
}

TEST_CASE("a buffer finds back to who gave it, whoever's callback is called") {
  const auto received = run([] {
    start();
    emit(1);
    EXPECT(buffers_are_out());
    // With CUPTI keeping what it should have returned, ours comes back by their callback, and theirs by ours.
    setenv("SMALL_CUPTI_KEEP", "1", 1);
    register_theirs();
    EXPECT(buffers_are_out());
    unsetenv("SMALL_CUPTI_KEEP");
    EXPECT(real<int(uint32_t)>("cuptiActivityFlushAll")(1) == 0);
    EXPECT(theirs().empty() && !buffers_are_out());
    EXPECT(cuptiActivityEnable(kKernels) == 0);
    emit(2);
    setenv("SMALL_CUPTI_KEEP", "1", 1);
    end_theirs();
    EXPECT(theirs().empty());
    wait_for(SessionMode::kCallbacks);
    unsetenv("SMALL_CUPTI_KEEP");
    EXPECT(real<int(uint32_t)>("cuptiActivityFlushAll")(1) == 0);
    EXPECT((theirs() == std::vector<uint32_t>{2}));
  });
  CHECK(ours(received) == std::vector<uint32_t>{1});
}

}  // namespace
