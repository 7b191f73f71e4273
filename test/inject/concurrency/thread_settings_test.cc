#include "inject/concurrency/thread_settings.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "inject/record/span.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"
#include "test/temporary_folder.h"

namespace {

using namespace xsp::guest;
using xsp::test::ListeningPeer;
using xsp::test::Received;
using xsp::test::TemporaryFolder;

constexpr uint32_t kOwn = 4;  // of test/fake_torch/openmp.cc

void note_unless(bool holds, const std::string& what) {
  if (!holds) notify(2, "test", what);
}

/// The functions that the fake PyTorch has, as a program would call them.
struct FakeTorch {
  void* library = dlopen(FAKE_TORCH, RTLD_NOW | RTLD_LOCAL);
  int (*threads)() = find<int (*)()>("omp_get_max_threads");
  int (*set_mkl)(int) = find<int (*)(int)>("MKL_Set_Num_Threads_Local");
  void (*set)(int) = find<void (*)(int)>("_ZN2at15set_num_threadsEi");
  unsigned (*last_region)() = find<unsigned (*)()>("fake_last_region");

  template <typename Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(dlsym(library, name));
  }
  uint32_t now() const { return static_cast<uint32_t>(threads()); }
  int mkl() const {
    const int local = set_mkl(0);
    set_mkl(local);
    return local;
  }
};

uint32_t begin_model(Thread& thread, uint32_t instance) {
  const uint32_t slot = open_span(thread, kLevelModel, 0, intern("model"), 0, 0);
  begin_call_threads(thread, slot, instance);
  return slot;
}

void end_model(Thread& thread, uint32_t slot, bool failed = false) {
  const uint64_t end = now();
  end_call_threads(thread, slot, end, failed);
  close_span(thread, slot, end, 0, {});
}

void call_model(
    Thread& thread, uint32_t instance, const std::function<void()>& inside = [] {}) {
  const uint32_t slot = begin_model(thread, instance);
  inside();
  end_model(thread, slot);
}

void call_layer(Thread& thread, LayerThreads& layer, const char* type, const std::function<void()>& inside) {
  const uint32_t id = intern(type);
  const uint32_t slot = open_span(thread, kLevelLayer, 0, id, id, 0);
  begin_layer_threads(thread, slot, layer, id);
  inside();
  const uint64_t end = now();
  end_layer_threads(thread, slot, layer, end, true);
  close_span(thread, slot, end, 0, {});
}

/// Runs a program with XSP_CONCURRENCY.
Received run_with(const std::string& words, const std::function<void(FakeTorch&, Thread&)>& program) {
  ListeningPeer peer;
  const auto received = peer.run([&] {
    setenv("XSP_CONCURRENCY", words.c_str(), 1);
    FakeTorch torch;
    program(torch, *recording_thread());
  });
  return received[0];
}

struct Told {
  std::vector<xsp::ThreadCount> calls;
  std::vector<xsp::ThreadSwitch> changes;
  uint32_t cores = 0;
  uint32_t own = 0;
  xsp::ThreadCounts::Ended ended = xsp::ThreadCounts::NOT_ENDED;
};

Told told_by(const Received& received) {
  Told told;
  for (const auto& packet : received.trace.packet()) {
    if (!packet.has_thread_counts()) continue;
    const auto& counts = packet.thread_counts();
    for (const auto& one : counts.call()) told.calls.push_back(one);
    for (const auto& one : counts.switch_()) told.changes.push_back(one);
    told.cores = counts.cores();
    told.own = counts.own();
    told.ended = counts.ended();
  }
  return told;
}

std::string policy_file(const TemporaryFolder& folder, const std::string& lines) {
  return xsp::test::write_file(folder / "policy", "xsp-threads\t1\n" + lines);
}

/// Calls until the block of calls that are advised: blocks last 50 ms at least.
void reach_advised_block(FakeTorch&, Thread& thread, uint32_t instance) {
  for (int i = 0; i < 7; ++i) call_model(thread, instance, [] { usleep(11'000); });
}

TEST_CASE("a recorded call tells its threads and sets none") {
  const auto received = run_with("record", [](FakeTorch& torch, Thread& thread) {
    for (int i = 0; i < 40; ++i) call_model(thread, 1, [&] { note_unless(torch.now() == kOwn, "own inside"); });
    note_unless(torch.last_region() == 0, "no region");
  });
  CHECK(received.notices().empty());
  const Told told = told_by(received);
  REQUIRE(told.calls.size() == 40);
  CHECK(told.own == kOwn);
  for (size_t i = 0; i < told.calls.size(); ++i) {
    CHECK(told.calls[i].threads() == kOwn);
    CHECK(told.calls[i].setting() == xsp::ThreadCounts::OWN);
    CHECK(told.calls[i].span() == received.spans[i].id);
    CHECK(told.calls[i].ring() == received.spans[i].ring);
  }
}

TEST_CASE("measured calls have their turns, each number is prepared, and the program's is back behind each") {
  const auto received = run_with("measure cores=64", [](FakeTorch& torch, Thread& thread) {
    for (int i = 0; i < 60; ++i) {
      call_model(thread, 1, [&] {
        note_unless(torch.now() == kOwn || torch.mkl() == static_cast<int>(torch.now()), "MKL follows");
        note_unless(torch.last_region() == 0 || torch.last_region() == torch.now(), "prepared");
      });
      note_unless(torch.now() == kOwn && torch.mkl() == 0, "restored");
    }
  });
  CHECK(received.notices().empty());
  const Told told = told_by(received);
  REQUIRE(told.calls.size() == 60);
  if (told.cores == 1) return;  // a machine with one core
  CHECK(told.calls[0].setting() == xsp::ThreadCounts::OWN);
  CHECK(told.calls[2].setting() == xsp::ThreadCounts::PROBE);
  CHECK(told.calls[2].threads() == 1);
}

TEST_CASE("layers that were advised have their number, and give it back") {
  const TemporaryFolder folder;
  const std::string path = policy_file(folder, "whole\t0\ntype\tConv\t1\n");
  const auto received = run_with("apply=" + path + " cores=64", [](FakeTorch& torch, Thread& thread) {
    LayerThreads conv{};
    LayerThreads other{};
    call_model(thread, 1, [&] { call_layer(thread, conv, "Conv", [] {}); });
    reach_advised_block(torch, thread, 1);
    call_model(thread, 1, [&] {
      call_layer(thread, conv, "Conv", [&] { note_unless(torch.now() == 1, "advised"); });
      note_unless(torch.now() == kOwn && torch.mkl() == 0, "between layers");
      call_layer(thread, other, "Other", [&] { note_unless(torch.now() == kOwn, "not advised"); });
      std::thread([&] { note_unless(torch.now() == kOwn, "a new thread"); }).join();
    });
    note_unless(torch.now() == kOwn, "behind");
  });
  CHECK((told_by(received).cores == 1 || received.notices().empty()));
  if (told_by(received).cores > 1) CHECK(told_by(received).calls.back().setting() == xsp::ThreadCounts::ADVISED);
}

TEST_CASE("a call whose span is gone gives its number back at the next call") {
  const TemporaryFolder folder;
  const std::string path = policy_file(folder, "whole\t1\n");
  const auto received = run_with("apply=" + path, [](FakeTorch& torch, Thread& thread) {
    torch.set_mkl(7);
    call_model(thread, 1);
    reach_advised_block(torch, thread, 1);
    begin_model(thread, 1);
    const bool is_set = torch.now() == 1;
    abandon_spans(thread, 0);
    restore_unwound_threads(thread);
    note_unless(torch.now() == kOwn && torch.mkl() == 7, "restored");
    call_model(thread, 1, [&] { note_unless(!is_set || torch.now() == 1, "goes on"); });
  });
  CHECK(received.notices().empty());
}

TEST_CASE("a program that sets its threads itself has the last word") {
  const auto received = run_with("measure", [](FakeTorch& torch, Thread& thread) {
    for (int i = 0; i < 3; ++i) call_model(thread, 1);
    call_model(thread, 1, [&] { torch.set(3); });
    note_unless(torch.now() == 3 && torch.mkl() == 3, "what it has set inside");
    for (int i = 0; i < 20; ++i) call_model(thread, 1, [&] { note_unless(torch.now() == 3, "stays"); });
  });
  CHECK(received.notices().empty());
  const Told told = told_by(received);
  if (told.cores > 1) CHECK(told.ended == xsp::ThreadCounts::SET_BY_PROGRAM);
}

TEST_CASE("while one thread's call is measured, calls of others keep their number") {
  const auto received = run_with("measure", [](FakeTorch& torch, Thread& thread) {
    for (int i = 0; i < 2; ++i) call_model(thread, 1);
    call_model(thread, 1, [&] {
      std::thread([&] {
        for (int i = 0; i < 40; ++i)
          call_model(*recording_thread(), 2, [&] { note_unless(torch.now() == kOwn, "of another"); });
      }).join();
    });
  });
  CHECK(received.notices().empty());
}

TEST_CASE("a child that is forked inside a call has the program's number") {
  const auto received = run_with("measure", [](FakeTorch& torch, Thread& thread) {
    for (int i = 0; i < 6; ++i) {
      call_model(thread, 1, [&] {
        const pid_t child = fork();
        if (child == 0) _exit(torch.now() == kOwn && torch.mkl() == 0 ? 0 : 1);
        int status = 0;
        waitpid(child, &status, 0);
        note_unless(status == 0, "in the child");
      });
    }
  });
  CHECK(received.notices().empty());
}

TEST_CASE("a PyTorch whose threads cannot be set is told, and called as usual") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    setenv("XSP_CONCURRENCY", "measure", 1);
    for (int i = 0; i < 5; ++i) call_model(*recording_thread(), 1);
  });
  const Told told = told_by(received[0]);
  CHECK(told.ended == xsp::ThreadCounts::NO_FUNCTION);
  REQUIRE(told.calls.size() == 5);
  CHECK(told.calls[0].threads() == 0);
}

TEST_CASE("without the variable nothing is told") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    recording_thread();
    note_unless(!are_threads_told, "the flag");
  });
  CHECK(received[0].notices().empty());
}

}  // namespace
