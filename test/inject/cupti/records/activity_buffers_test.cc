#include "inject/cupti/records/activity_buffers.h"

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include "inject/cupti/library/activity_abi.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"

namespace {

using namespace xsp::guest;
using xsp::test::ListeningPeer;

struct Given {
  uint8_t* bytes = nullptr;
  size_t size = 0;
};

Given request() {
  Given given;
  size_t most = 1;
  on_buffer_requested(&given.bytes, &given.size, &most);
  return given;
}

/// In a process of its own: buffers are made once in a process.
void in_child(const std::function<bool()>& program) {
  int status = 0;
  ListeningPeer peer;
  peer.run([&] { _exit(program() ? 0 : 1); }, &status);
  CHECK(status == 0);
}

std::vector<Given> request_all(size_t most) {
  std::vector<Given> given;
  while (given.size() < most) {
    given.push_back(request());
    if (given.back().bytes == nullptr) break;
  }
  return given;
}

TEST_CASE("no more than 64 MiB are given, then a buffer is refused") {
  in_child([] {
    if (!open_activity_buffers(true)) return false;
    auto given = request_all(10'000);
    if (given.back().bytes != nullptr) return false;
    size_t sum = 0;
    for (const Given& buffer : given) sum += buffer.size;
    return sum > (size_t{60} << 20) && sum <= (size_t{64} << 20);
  });
}

TEST_CASE("where CUPTI would crash of a refusal, there is always a buffer, and none overlaps another that is read") {
  in_child([] {
    if (!open_activity_buffers(false)) return false;
    std::set<uint8_t*> seen;
    for (const Given& buffer : request_all(1000)) {
      if (buffer.bytes == nullptr) return false;
      seen.insert(buffer.bytes);
    }
    return seen.size() == kLargeBuffers + kSmallBuffers + kDiscardBuffers;
  });
}

TEST_CASE("what is returned is read once and given again") {
  in_child([] {
    if (!open_activity_buffers(true)) return false;
    const Given first = request();
    if (!buffers_are_out()) return false;
    on_buffer_completed(nullptr, 0, first.bytes, first.size, 100);
    CompletedBuffer completed;
    if (buffers_are_out() || !take_completed_buffer(&completed)) return false;
    if (completed.bytes != first.bytes || completed.valid_bytes != 100 || completed.discard) return false;
    if (take_completed_buffer(&completed)) return false;
    give_back_buffer(completed);
    return request_all(10'000).size() == kLargeBuffers + kSmallBuffers + 1;
  });
}

TEST_CASE("a buffer of somebody else is left alone") {
  in_child([] {
    if (!open_activity_buffers(true)) return false;
    std::vector<uint8_t> others(1000);
    on_buffer_completed(nullptr, 0, others.data(), others.size(), others.size());
    CompletedBuffer completed;
    return !take_completed_buffer(&completed) && !buffers_are_out();
  });
}

TEST_CASE("threads that take and return buffers at once never share one") {
  in_child([] {
    if (!open_activity_buffers(true)) return false;
    std::atomic<bool> shared{false};
    std::atomic<int> running{8};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        for (int round = 0; round < 20'000; ++round) {
          const Given given = request();
          if (given.bytes == nullptr) continue;
          given.bytes[0] = static_cast<uint8_t>(i);
          if (round % 64 == 0) std::this_thread::yield();
          shared = shared || given.bytes[0] != i;
          on_buffer_completed(nullptr, 0, given.bytes, given.size, round % 3 == 0 ? 0 : 8);
        }
        --running;
      });
    }
    CompletedBuffer completed;
    while (running > 0) {
      while (take_completed_buffer(&completed)) give_back_buffer(completed);
    }
    for (auto& thread : threads) thread.join();
    return !shared && !buffers_are_out();
  });
}

}  // namespace
