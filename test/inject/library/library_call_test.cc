// Wrappers as generate.py makes them, around a library of our own: what they pass on, what they record, and what they
// let through. Each case records in a forked child.
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "inject/library/call.h"
#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/library/test_library.h"
#include "test/inject/listening_peer.h"

extern "C" {
uint32_t xsp_describe_testTensor_t(const xsp_call*, const void* descriptor) {
  const auto* text = static_cast<const char*>(descriptor);
  return text == nullptr ? 0 : xsp_text(text, strlen(text));
}
uint64_t xsp_stream_of_testHandle_t(const xsp_call*, void* handle) { return reinterpret_cast<uint64_t>(handle) + 1; }
}

namespace {

using xsp::test::ListeningPeer;
using xsp::test::Received;

struct Arguments {
  std::string layout;
  std::string values;
};

/// By span id.
std::map<uint32_t, Arguments> arguments_of(const Received& received) {
  std::map<uint32_t, Arguments> found;
  for (const auto& packet : received.trace.packet()) {
    const auto& batch = packet.arguments();
    uint32_t span = 0;
    size_t at = 0;
    for (int i = 0; i < batch.span_size(); ++i) {
      const uint32_t step = batch.span(i);
      span += static_cast<uint32_t>(static_cast<int32_t>(step >> 1) ^ -static_cast<int32_t>(step & 1));
      const std::string values = batch.values().substr(at, batch.length(i));
      at += batch.length(i);
      found[span] = {received.strings[batch.layout(i)], values};
    }
  }
  return found;
}

template <typename Value>
Value value_at(const std::string& values, size_t offset) {
  Value value{};
  REQUIRE(offset + sizeof value <= values.size());
  memcpy(&value, values.data() + offset, sizeof value);
  return value;
}

const float kMatrix[1] = {};
char handle;

TEST_CASE("a call is passed on whole and recorded with its arguments, stream and status") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    if (test_gemm(&handle, 1, 128, 64, int64_t{1} << 40, 0.5F, kMatrix) != 0) abort();
    if (test_gemm(&handle, 0, -1, 64, 32, 0.5F, kMatrix) != 7) abort();
  });
  REQUIRE(received.size() == 1);
  REQUIRE(received[0].spans.size() == 2);
  const auto& span = received[0].spans[0];
  CHECK(span.name == "test_gemm");
  CHECK(span.type == "test_library");
  CHECK(span.level == 4);
  CHECK(span.kind == 8);
  const auto arguments = arguments_of(received[0]);
  REQUIRE(arguments.count(span.id) == 1);
  const auto& [layout, values] = arguments.at(span.id);
  CHECK(layout ==
        "class=gemm type_a=R_32F handle:p8 op_a:e2{0=N,1=T} m:i4 n:i4 k:i8 alpha:f4 stream:p8 "
        "status:e2{0=TEST_SUCCESS,7=TEST_FAILED}");
  REQUIRE(values.size() == 8 + 2 + 4 + 4 + 8 + 4 + 8 + 2);
  CHECK(value_at<int16_t>(values, 8) == 1);
  CHECK(value_at<int32_t>(values, 10) == 128);
  CHECK(value_at<int32_t>(values, 14) == 64);
  CHECK(value_at<int64_t>(values, 18) == int64_t{1} << 40);
  CHECK(value_at<float>(values, 26) == 0.5F);
  CHECK(value_at<uint64_t>(values, 30) == value_at<uint64_t>(values, 0) + 1);
  CHECK(value_at<int16_t>(values, 38) == 0);
  CHECK(value_at<int16_t>(arguments.at(received[0].spans[1].id).values, 38) == 7);
}

TEST_CASE("a structure by value is passed on and recorded by its fields") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    if (test_launch({2, 3, 4}, 24) != 0) abort();
  });
  const auto arguments = arguments_of(received[0]);
  const auto& values = arguments.at(received[0].spans.at(0).id).values;
  CHECK(value_at<uint32_t>(values, 0) == 2);
  CHECK(value_at<uint32_t>(values, 8) == 4);
  CHECK(value_at<uint64_t>(values, 12) == 24);
}

TEST_CASE("a descriptor is recorded as the text that its reader gives") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    static char text[] = "f32[1,2]";
    if (test_activation(text) != 0 || test_activation(nullptr) != 7) abort();
  });
  const auto arguments = arguments_of(received[0]);
  const auto& first = arguments.at(received[0].spans.at(0).id);
  CHECK(received[0].strings[value_at<uint32_t>(first.values, 0)] == "f32[1,2]");
  CHECK(value_at<uint32_t>(arguments.at(received[0].spans.at(1).id).values, 0) == 0);
}

TEST_CASE("a query is not recorded unless all calls are asked for") {
  const auto query = [] {
    int version = 0;
    if (test_query(&version) != 0 || version != test_version()) abort();
    test_launch({1, 1, 1}, 1);
  };
  ListeningPeer peer;
  CHECK(peer.run(query).at(0).span_names() == std::vector<std::string>{"test_launch"});
  const auto all = peer.run([&] {
    setenv("XSP_LIBRARY_CALLS", "all", 1);
    query();
  });
  CHECK(all.at(0).span_names() == std::vector<std::string>{"test_query", "test_launch"});
}

TEST_CASE("below the library level calls are passed on and nothing is recorded of them") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    setenv("XSP_LEVEL", "layer", 1);
    xsp::guest::finish_span(xsp::guest::start_span(xsp::guest::intern("layer"), 3, 1, 0, 0), {});
    if (test_gemm(&handle, 1, 128, 64, 32, 0.5F, kMatrix) != 0) abort();
  });
  CHECK(received.at(0).span_names() == std::vector<std::string>{"layer"});
}

TEST_CASE("a call inside a call is its child") {
  ListeningPeer peer;
  const auto received = peer.run([] { test_call([](void*) { test_gemm(&handle, 1, 1, 1, 1, 1, kMatrix); }, nullptr); });
  const auto& spans = received.at(0).spans;
  REQUIRE(received[0].span_names() == std::vector<std::string>{"test_gemm", "test_call"});
  CHECK(spans[0].parent == spans[1].id);
}

std::vector<uint32_t> failed_flags(const Received& received) {
  std::vector<uint32_t> flags;
  for (const auto& packet : received.trace.packet()) {
    // A batch without a failed span has no such column.
    const auto& spans = packet.spans();
    for (uint32_t i = 0; i < spans.count(); ++i) {
      flags.push_back(static_cast<int>(i) < spans.failed_size() ? spans.failed(static_cast<int>(i)) : 0);
    }
  }
  return flags;
}

TEST_CASE("an exception passes through, and the call is recorded as failed") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    try {
      test_call([](void*) { throw std::runtime_error("the program's own"); }, nullptr);
      abort();
    } catch (const std::runtime_error& error) {
      if (strcmp(error.what(), "the program's own") != 0) abort();
    }
    test_call([](void*) {}, nullptr);
  });
  REQUIRE(received.at(0).span_names() == std::vector<std::string>{"test_call", "test_call"});
  CHECK(failed_flags(received[0]) == std::vector<uint32_t>{1, 0});
  CHECK(received[0].spans[1].parent == 0);
}

TEST_CASE("a call that longjmp left ends at the next call, as failed") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    static jmp_buf target;
    if (setjmp(target) == 0) {
      test_call([](void*) { test_call([](void*) { longjmp(target, 1); }, nullptr); }, nullptr);
      abort();
    }
    test_gemm(&handle, 1, 1, 1, 1, 1, kMatrix);
  });
  REQUIRE(received.at(0).span_names() == std::vector<std::string>{"test_call", "test_call", "test_gemm"});
  CHECK(failed_flags(received[0]) == std::vector<uint32_t>{1, 1, 0});
  CHECK(received[0].spans[2].parent == 0);
}

ucontext_t main_context;
ucontext_t coroutine;
char coroutine_stack[256 * 1024];

TEST_CASE("a coroutine that returns from a call late ends no call but its own") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = coroutine_stack;
    coroutine.uc_stack.ss_size = sizeof coroutine_stack;
    coroutine.uc_link = &main_context;
    makecontext(
        &coroutine, [] { test_call([](void*) { swapcontext(&coroutine, &main_context); }, nullptr); }, 0);
    swapcontext(&main_context, &coroutine);
    test_call(
        [](void*) {
          swapcontext(&main_context, &coroutine);
          test_gemm(&handle, 1, 1, 1, 1, 1, kMatrix);
        },
        nullptr);
  });
  REQUIRE(received.at(0).span_names() == std::vector<std::string>{"test_call", "test_gemm", "test_call"});
  CHECK(received[0].spans[1].parent == received[0].spans[2].id);
}

TEST_CASE("a thread cancelled inside a call ends as it would have, and the call is recorded as failed") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    pthread_t thread;
    const auto body = [](void*) -> void* {
      test_call([](void*) { pause(); }, nullptr);
      return nullptr;
    };
    pthread_create(&thread, nullptr, body, nullptr);
    usleep(50'000);
    pthread_cancel(thread);
    void* result = nullptr;
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED) abort();
  });
  REQUIRE(received.at(0).span_names() == std::vector<std::string>{"test_call"});
  CHECK(failed_flags(received[0]) == std::vector<uint32_t>{1});
}

TEST_CASE("a child forked inside a call goes on as a process of its own") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    static pid_t child = 0;
    test_call([](void*) { child = fork(); }, nullptr);
    test_gemm(&handle, 1, 1, 1, 1, 1, kMatrix);
    if (child == 0) exit(0);
    waitpid(child, nullptr, 0);
  });
  REQUIRE(received.size() == 2);
  CHECK(received[0].span_names() == std::vector<std::string>{"test_call", "test_gemm"});
  CHECK(received[1].span_names() == std::vector<std::string>{"test_gemm"});
}

TEST_CASE("with nobody listening calls are passed on") {
  const pid_t child = fork();
  if (child == 0) {
    unsetenv("XSP_SOCKET");
    const bool right = test_gemm(&handle, 1, 2, 3, 4, 1, kMatrix) == 0 && test_launch({2, 3, 4}, 24) == 0 &&
                       test_gemm(nullptr, 1, 2, 3, 4, 1, kMatrix) == 7;
    _exit(right ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

}  // namespace
