#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "inject/record/process.h"
#include "inject/record/recording_window.h"
#include "inject/record/thread.h"
#include "inject/torch/forward_spans.h"
#include "inject/torch/operator_names.h"
#include "inject/torch/operators.h"
#include "inject/torch/torch_thread.h"
#include "proto/string_ids.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"

namespace {

using namespace xsp::guest;
using xsp::test::ListeningPeer;

constexpr int64_t kKept = 1 << 17;

/// Of a case that runs in a forked child: its failures become notices that the parent receives.
void expect(bool holds, const char* what) {
  if (!holds) notify(2, "test", what);
}

Thread& numbered_thread(uint64_t torch_thread) {
  Thread* thread = recording_thread();
  thread->of<TorchThread>().number = torch_thread;
  return *thread;
}

TEST_CASE("a sequence number leads to the last span that had it, as long as it is among the latest") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    Thread& thread = numbered_thread(7);
    keep_forward_span(thread, 0, 11);
    keep_forward_span(thread, 5, 12);
    keep_forward_span(thread, 5, 13);
    expect(forward_span(7, 0).id == 11, "the first number");
    expect(forward_span(7, 5).id == 13, "the last span wins");
    expect(forward_span(7, 5).ring == thread.ring_index + 1, "the ring");
    expect(forward_span(7, 6).id == 0, "a number never kept");
    expect(forward_span(8, 5).id == 0, "a thread never seen");
    expect(forward_span(0, 5).id == 0, "no thread");
    expect(forward_span(7, -1).id == 0, "no number");
    keep_forward_span(thread, 5 + kKept, 14);
    expect(forward_span(7, 5).id == 0, "an overwritten number");
    expect(forward_span(7, 5 + kKept).id == 14, "the number that overwrote it");
  });
  CHECK(received[0].notices().empty());
}

TEST_CASE("a thread's forward spans outlive it, and never become another's") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    const auto keep_in_thread = [](uint64_t number) {
      std::thread([number] {
        keep_forward_span(numbered_thread(number), 3, static_cast<uint32_t>(100 + number));
      }).join();
    };
    keep_in_thread(1);
    expect(forward_span(1, 3).id == 101, "of a thread that has ended");
    for (uint64_t number = 2; number <= 65; ++number) keep_in_thread(number);
    expect(forward_span(1, 3).id == 0, "whose table changed hands");
    expect(forward_span(2, 3).id == 102, "the oldest that is left");
    expect(forward_span(65, 3).id == 165, "the latest");
    expect(forward_span(65, 3 + kKept).id == 0, "a later number");
  });
  CHECK(received[0].notices().empty());
}

TEST_CASE("a thread that lost its table takes another") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    Thread& thread = numbered_thread(1);
    keep_forward_span(thread, 3, 101);
    for (uint64_t number = 2; number <= 65; ++number) {
      std::thread([number] { keep_forward_span(numbered_thread(number), 3, 1); }).join();
    }
    keep_forward_span(thread, 4, 102);
    expect(forward_span(1, 3).id == 0, "what was in the lost one");
    expect(forward_span(1, 4).id == 102, "what is in the new one");
    expect(forward_span(65, 3).id == 1, "the one that took it");
  });
  CHECK(received[0].notices().empty());
}

TEST_CASE("a forked child has no forward spans of its parent") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    keep_forward_span(numbered_thread(1), 3, 101);
    const pid_t child = fork();
    if (child == 0) _exit(forward_span(1, 3).id == 0 ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    expect(status == 0, "in the child");
    expect(forward_span(1, 3).id == 101, "in the parent");
  });
  CHECK(received[0].notices().empty());
}

TEST_CASE("a name's id is that of its text, wherever the text lies") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    std::string text = "aten::add";
    const uint32_t add = operator_name(text.c_str());
    expect(add != 0 && add == intern("aten::add"), "the id of intern()");
    expect(operator_name("aten::add") == add, "at another address");
    text = "aten::mul";
    expect(operator_name(text.c_str()) == intern("aten::mul"), "another text at the address");
    expect(operator_name(text.c_str()) != add, "another id");
    expect(operator_name("") == 0, "no text");
    for (int i = 0; i < 20000; ++i) {
      text = "step " + std::to_string(i) + " of a program that names every one of them";
      const uint32_t id = operator_name(text.c_str());
      if (id != intern(text) || operator_name(text.c_str()) != id) expect(false, "one of many names");
    }
    expect(operator_name("aten::add") == add, "behind many others");
    text.assign(xsp::kMaxStringBytes + 10, 'x');
    expect(operator_name(text.c_str()) == operator_name(text.c_str()), "a text that is cut");
  });
  CHECK(received[0].notices().empty());
}

TEST_CASE("threads that ask for the same names at once get the same ids") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([] {
        for (int i = 0; i < 5000; ++i) {
          const std::string text = "name " + std::to_string(i % 50);
          if (operator_name(text.c_str()) != intern(text)) expect(false, text.c_str());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  CHECK(received[0].notices().empty());
}

/// The stand-in libtorch, whose callbacks the guest registers. Null where it cannot be loaded.
int (*watched_fake_torch())() {
  void* library = dlopen(FAKE_TORCH, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  watch_operators();
  return reinterpret_cast<int (*)()>(dlsym(library, "fake_enabled_callbacks"));
}

void pause_outside_window() {
  pause_hooks(PauseReason::kOutsideWindow);
  tell_window_listeners();
}

constexpr int kAllCallbacks = 4;
constexpr int kScriptsOnly = 1;  // which may begin a model call, and with it a sample

TEST_CASE("PyTorch calls back for operators only while hooks are not paused") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    int (*enabled_callbacks)() = watched_fake_torch();
    if (enabled_callbacks == nullptr || wake_process() == nullptr) return expect(false, "the stand-in is watched");
    expect(enabled_callbacks() == kAllCallbacks, "while everything is recorded");
    pause_outside_window();
    expect(enabled_callbacks() == kScriptsOnly, "outside the recording window");
    resume_hooks(PauseReason::kOutsideWindow);
    tell_window_listeners();
    expect(enabled_callbacks() == kAllCallbacks, "inside it again");
  });
  CHECK(received[0].notices().empty());
}

TEST_CASE("a child whose window is open has its callbacks without a model call") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    // From the machine's start, as no beginning is set.
    setenv("XSP_DURATION_NS", "1000000000000000000", 1);
    int (*enabled_callbacks)() = watched_fake_torch();
    if (enabled_callbacks == nullptr || wake_process() == nullptr) return expect(false, "the stand-in is watched");
    pause_outside_window();
    const pid_t child = fork();
    if (child == 0) {
      wake_process();
      for (int i = 0; i < 1000 && enabled_callbacks() != kAllCallbacks; ++i) usleep(10'000);
      _exit(enabled_callbacks() == kAllCallbacks ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    expect(status == 0, "in the child");
  });
  CHECK(received[0].notices().empty());
}

TEST_CASE("a child that was forked outside the window has its own callbacks when it calls a model") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    int (*enabled_callbacks)() = watched_fake_torch();
    if (enabled_callbacks == nullptr || wake_process() == nullptr) return expect(false, "the stand-in is watched");
    pause_outside_window();
    const pid_t child = fork();
    if (child == 0) {
      const bool is_paused = enabled_callbacks() == kScriptsOnly;
      watch_operators_of_model();
      _exit(is_paused && are_hooks_running() && enabled_callbacks() == kAllCallbacks ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    expect(status == 0, "in the child");
    expect(enabled_callbacks() == kScriptsOnly, "in the parent");
  });
  CHECK(received[0].notices().empty());
}

}  // namespace
