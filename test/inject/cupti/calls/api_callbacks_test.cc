#include "inject/cupti/calls/api_callbacks.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "inject/cupti/library/api_functions.h"
#include "inject/library/call.h"
#include "inject/record/span.h"
#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/cupti/calls/recorded_calls.h"
#include "test/inject/cupti/calls/test_cupti.h"
#include "test/inject/cupti/calls/test_runtime.h"

namespace {

using namespace xsp::guest;
using namespace xsp::test;

constexpr uint8_t kApi = 1;

/// Enables callbacks of a session that stays, and lets the runtime tell of itself.
Session& start_callbacks(const char* list = "") {
  setenv("XSP_CUDA_API", list, 1);
  static Session session;
  use_test_cupti(session);
  enable_callbacks(session);
  test_runtime_callback = on_cupti_callback;
  return session;
}

ApiCall runtime(uint32_t id, uint32_t correlation) { return {on_cupti_callback, cupti::kRuntimeApi, id, correlation}; }
ApiCall driver(uint32_t id, uint32_t correlation) { return {on_cupti_callback, cupti::kDriverApi, id, correlation}; }

uint64_t start(const char* name) { return start_span(intern(name), 3, kApi, 0, 0); }

char anything;

/// Runs it in a frame well below the caller's, as a call inside another one is.
__attribute__((noinline)) void deeper(const std::function<void()>& run) {
  volatile char filler[4096];
  filler[0] = 1;
  run();
  filler[1] = filler[0];
}

void at_depth(int frames, const std::function<void()>& run) {
  if (frames == 0) return run();
  deeper([&] { at_depth(frames - 1, run); });
}

TEST_CASE("what is chosen is enabled, in both domains, and nothing else") {
  ListeningPeer peer;
  int status = 0;
  peer.run(
      [] {
        start_callbacks("sync");
        const std::set<std::pair<int, std::string>> expected{{cupti::kRuntimeApi, "cudaLaunchKernel"},
                                                             {cupti::kRuntimeApi, "cudaStreamSynchronize"},
                                                             {cupti::kRuntimeApi, "cudaGraphLaunch_ptsz"},
                                                             {cupti::kDriverApi, "cuLaunchKernel"}};
        if (asked_of_cupti.callbacks != expected) _exit(3);
        if (asked_of_cupti.resource_callbacks != std::set<uint32_t>{13, 20}) _exit(4);
        // CUPTI's fatal errors and warnings, whatever is chosen.
        if (asked_of_cupti.state_callbacks != std::set<uint32_t>{1, 3}) _exit(5);
      },
      &status);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a call without a wrapper is a span of its thread, with its status and correlation id") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    const uint64_t layer = start("layer");
    ApiCall launch = runtime(kLaunchKernel, 7);
    launch.enter();
    launch.exit();
    ApiCall bad = driver(kDriverLaunch, 8);
    bad.enter();
    bad.exit(700);
    finish_span(layer, {});
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(names_of(calls) == std::vector<std::string>{"cudaLaunchKernel", "cuLaunchKernel", "layer"});
  CHECK(calls[0].type == "cudart");
  CHECK(calls[0].record.kind == 9);
  CHECK(calls[0].record.level == 5);
  CHECK(calls[0].record.correlation == 7);
  CHECK(calls[0].record.parent == calls[2].record.id);
  CHECK_FALSE(calls[0].failed());
  CHECK(calls[1].type == "cuda");
  CHECK(calls[1].record.kind == 12);
  CHECK(calls[1].record.correlation == 8);
  CHECK(calls[1].record.parent == calls[2].record.id);
  CHECK(calls[1].failed());
  CHECK(calls[2].record.correlation == 0);
}

TEST_CASE("a call whose wrapper has opened a span gives it the correlation id, and is not recorded twice") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    cudaLaunchKernel(&anything, 21, nullptr);
    cudaLaunchKernel(nullptr, 22, nullptr);
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(names_of(calls) == std::vector<std::string>{"cudaLaunchKernel", "cudaLaunchKernel"});
  CHECK(calls[0].record.correlation == 21);
  CHECK_FALSE(calls[0].failed());
  CHECK(calls[1].record.correlation == 22);
  CHECK(calls[1].failed());
}

TEST_CASE("all library calls are not those of the runtime") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    setenv("XSP_LEVEL", "library", 1);
    setenv("XSP_LIBRARY_CALLS", "all", 1);
    test_runtime_callback = [](void*, int, uint32_t, const void*) {};
    cudaLaunchKernel(&anything, 21, nullptr);
    cudaStreamCreate(22);
    finish_span(start_span(intern("layer"), 3, kApi, 0, 0), {});
  });
  CHECK(names_of(calls_of(received.at(0))) == std::vector<std::string>{"layer"});
}

TEST_CASE("a wrapper whose callback was not chosen gets the id of the driver call inside") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    cudaStreamCreate(31);
    cudaStreamSynchronize(nullptr);
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(names_of(calls) == std::vector<std::string>{"cudaStreamCreate", "cudaStreamSynchronize"});
  CHECK(calls[0].record.correlation == 31);
  CHECK(calls[1].record.correlation == 0);
}

TEST_CASE("driver calls inside a call of the runtime are a part of it") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    ApiCall outer = runtime(kMalloc, 41);
    outer.enter();
    deeper([] {
      for (int i = 0; i < 2; ++i) {
        ApiCall inner = driver(kDriverMemAlloc, 41);
        inner.enter();
        inner.exit();
      }
    });
    outer.exit();
    ApiCall alone = driver(kDriverMemAlloc, 43);
    alone.enter();
    alone.exit();
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(names_of(calls) == std::vector<std::string>{"cudaMalloc", "cuMemAlloc_v2"});
  CHECK(calls[0].record.correlation == 41);
  CHECK(calls[1].record.correlation == 43);
}

TEST_CASE("a driver call inside a call of the runtime that has an id of its own is recorded with it") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    ApiCall outer = runtime(kLaunchKernel, 44);
    outer.enter();
    // Nobody says that the driver tells of itself from a frame further down.
    ApiCall inner = driver(kDriverLaunch, 45);
    inner.enter();
    inner.exit();
    outer.exit();
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(names_of(calls) == std::vector<std::string>{"cuLaunchKernel", "cudaLaunchKernel"});
  CHECK(calls[0].record.correlation == 45);
  CHECK(calls[1].record.correlation == 44);
  CHECK(calls[0].record.parent == calls[1].record.id);
  CHECK_FALSE(calls[1].failed());
}

TEST_CASE("where CUPTI keeps what it tells of a call says nothing about what is inside what") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    // Above the frames of all that is going on, as thread-local memory is on a stack that is not deep.
    ApiCall above = runtime(kMalloc, 55);
    static ApiCall in_memory = runtime(kMalloc, 56);
    deeper([&] {
      ApiCall going_on = runtime(kMalloc, 54);
      going_on.enter();
      deeper([&] {
        above.enter();
        above.exit();
        in_memory.enter();
        in_memory.exit();
      });
      going_on.exit();
    });
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(calls.size() == 3);
  CHECK(calls[2].record.correlation == 54);
  CHECK_FALSE(calls[2].failed());
  CHECK(calls[0].record.parent == calls[2].record.id);
  CHECK(calls[1].record.parent == calls[2].record.id);
}

TEST_CASE("a call of the runtime inside another one is its child") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    ApiCall outer = runtime(kMalloc, 51);
    outer.enter();
    deeper([] {
      ApiCall inner = runtime(kMalloc, 52);
      inner.enter();
      inner.exit();
    });
    outer.exit();
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].record.correlation == 52);
  CHECK(calls[0].record.parent == calls[1].record.id);
}

TEST_CASE("an end without a begin is ignored, and leaves what is open alone") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    const uint64_t layer = start("layer");
    runtime(kLaunchKernel, 61).exit();
    driver(kDriverLaunch, 62).exit();
    runtime(999'999, 63).exit();
    finish_span(layer, {});
    std::thread([] { runtime(kLaunchKernel, 64).exit(); }).join();
  });
  CHECK(names_of(calls_of(received.at(0))) == std::vector<std::string>{"layer"});
}

__attribute__((noinline)) void begin_and_leave(jmp_buf* out, uint32_t correlation) {
  ApiCall left = runtime(kMalloc, correlation);
  left.enter();
  longjmp(*out, 1);
}

TEST_CASE("a call that a longjmp left is recorded as failed by the next one, which is not inside") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    static jmp_buf out;
    if (setjmp(out) == 0) {
      deeper([] { begin_and_leave(&out, 71); });
    }
    ApiCall next = runtime(kLaunchKernel, 72);
    next.enter();
    next.exit();
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(names_of(calls) == std::vector<std::string>{"cudaMalloc", "cudaLaunchKernel"});
  CHECK(calls[0].failed());
  CHECK(calls[0].record.correlation == 71);
  CHECK(calls[1].record.parent == 0);
}

TEST_CASE("a driver call far above a call of the runtime is not inside it") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    static jmp_buf out;
    if (setjmp(out) == 0) at_depth(30, [] { begin_and_leave(&out, 73); });
    ApiCall next = driver(kDriverLaunch, 74);
    next.enter();
    next.exit();
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(names_of(calls) == std::vector<std::string>{"cudaMalloc", "cuLaunchKernel"});
  CHECK(calls[1].record.parent == 0);
}

TEST_CASE("a call whose end never comes takes no layer with it that began behind it") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    const uint64_t model = start("model");
    uint64_t layer = 0;
    deeper([&] {
      runtime(kMalloc, 75).enter();
      layer = start("layer");
    });
    ApiCall next = runtime(kLaunchKernel, 76);
    next.enter();
    next.exit();
    finish_span(layer, {});
    ApiCall last = driver(kDriverLaunch, 77);
    last.enter();
    last.exit();
    finish_span(model, {});
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(names_of(calls) == std::vector<std::string>{"cudaLaunchKernel", "layer", "cuLaunchKernel", "model"});
  CHECK(calls[0].record.parent == calls[1].record.id);
  CHECK(calls[2].record.parent == calls[3].record.id);
}

TEST_CASE("a call that was going on when callbacks were taken away is forgotten") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    const uint64_t layer = start("layer");
    ApiCall waiting = runtime(kStreamSynchronize, 81);
    waiting.enter();
    start_callbacks();
    deeper([] {
      ApiCall launch = driver(kDriverLaunch, 82);
      launch.enter();
      launch.exit();
    });
    finish_span(layer, {});
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(names_of(calls) == std::vector<std::string>{"cuLaunchKernel", "layer"});
  CHECK(calls[0].record.parent == calls[1].record.id);
}

TEST_CASE("a thread that ends inside a call leaves nothing behind for the next one on its ring") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    std::thread([] { runtime(kMalloc, 91).enter(); }).join();
    std::thread([] {
      ApiCall launch = driver(kDriverLaunch, 92);
      launch.enter();
      launch.exit();
    }).join();
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(names_of(calls) == std::vector<std::string>{"cuLaunchKernel"});
  CHECK(calls[0].record.parent == 0);
}

TEST_CASE("calls nested deeper than is kept are left out, and the outer ones end well") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    std::vector<ApiCall> nested;
    for (uint32_t i = 0; i < 20; ++i) nested.push_back(runtime(kMalloc, 100));
    for (ApiCall& call : nested) call.enter();
    for (size_t i = nested.size(); i > 0; --i) nested[i - 1].exit();
    ApiCall after = runtime(kLaunchKernel, 200);
    after.enter();
    after.exit();
  });
  const auto calls = calls_of(received.at(0));
  REQUIRE(calls.size() == kMaxApiCalls + 1);
  CHECK(calls.back().name == "cudaLaunchKernel");
  CHECK(calls.back().record.parent == 0);
}

TEST_CASE("a callback keeps errno, and does nothing once the guest is off") {
  ListeningPeer peer;
  int status = 0;
  const auto received = peer.run(
      [] {
        start_callbacks();
        ApiCall first = runtime(kLaunchKernel, 1);
        errno = 77;
        first.enter();
        first.exit();
        if (errno != 77) _exit(3);
        ApiCall across = runtime(kLaunchKernel, 2);
        across.enter();
        turn_off("the test says so");
        across.exit();
        ApiCall after = runtime(kLaunchKernel, 3);
        after.enter();
        after.exit();
      },
      &status);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(records_of(received.at(0), xsp::shm::RecordType::kSpan).size() == 1);
}

TEST_CASE("a forked child has no calls of its parent's open") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    start_callbacks();
    ApiCall outer = runtime(kMalloc, 1);
    outer.enter();
    const pid_t child = fork();
    if (child == 0) {
      ApiCall own = driver(kDriverLaunch, 2);
      own.enter();
      own.exit();
      exit(0);
    }
    waitpid(child, nullptr, 0);
    outer.exit();
  });
  REQUIRE(received.size() == 2);
  CHECK(names_of(calls_of(received[0])) == std::vector<std::string>{"cudaMalloc"});
  const auto calls = calls_of(received[1]);
  REQUIRE(names_of(calls) == std::vector<std::string>{"cuLaunchKernel"});
  CHECK(calls[0].record.parent == 0);
}

TEST_CASE("while calls come as records, wrappers of the runtime pass on without recording") {
  ListeningPeer peer;
  int status = 0;
  const auto received = peer.run(
      [] {
        Session& session = start_callbacks("sync");
        cudaStreamSynchronize(nullptr);
        enable_call_records(session);
        const std::set<std::string> expected{"cudaLaunchKernel", "cudaGraphLaunch_ptsz", "cuLaunchKernel",
                                             "cudaStreamSynchronize"};
        if (asked_of_cupti.recorded_functions != expected || !asked_of_cupti.kinds.empty()) _exit(3);
        if (cudaStreamSynchronize(&anything) != 1) _exit(4);
        disable_call_records(session);
        if (!asked_of_cupti.recorded_functions.empty()) _exit(5);
        cudaStreamSynchronize(nullptr);
      },
      &status);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(calls_of(received.at(0)).size() == 2);
}

TEST_CASE("a CUPTI without filters records all calls, of which the chosen ones are known") {
  ListeningPeer peer;
  int status = 0;
  peer.run(
      [] {
        setenv("XSP_CUDA_API", "sync", 1);
        Session session{};
        use_test_cupti(session);
        session.cupti.activity_enable_runtime_api = nullptr;
        session.cupti.activity_enable_driver_api = nullptr;
        enable_call_records(session);
        if (asked_of_cupti.kinds != std::set<int>{4, 5}) _exit(3);
        if (!is_api_function_chosen(cupti::kRuntimeApi, kStreamSynchronize)) _exit(4);
        if (is_api_function_chosen(cupti::kRuntimeApi, kMalloc)) _exit(5);
        if (api_function(cupti::kRuntimeApi, kMalloc).name != intern("cudaMalloc")) _exit(6);
        if (api_function(cupti::kRuntimeApi, 2).name != 0) _exit(7);
        disable_call_records(session);
        if (!asked_of_cupti.kinds.empty()) _exit(8);
      },
      &status);
  CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace
