#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <thread>

#include "inject/ranges/open_ranges.h"
#include "inject/ranges/range_stack.h"
#include "inject/ranges/range_text.h"
#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"
#include "test/inject/ranges/fake_nvtx.h"

namespace {

using namespace xsp::guest;
using xsp::test::FakeNvtx;
using xsp::test::ListeningPeer;
using xsp::test::Received;
using xsp::test::ReceivedSpan;

constexpr auto kNvtxRange = static_cast<uint32_t>(xsp::wire::Kind::kNvtxRange);

/// Of the guest's process, whose checks cannot reach this one: not true ends it with status 99.
void expect(bool condition) {
  if (!condition) _exit(99);
}

Received run(const std::function<void(FakeNvtx&)>& program) {
  ListeningPeer peer;
  int status = 0;
  auto received = peer.run(
      [&] {
        FakeNvtx nvtx;
        expect(nvtx.attach() == 1);
        program(nvtx);
      },
      &status);
  REQUIRE(status == 0);
  REQUIRE(received.size() == 1);
  return received[0];
}

const ReceivedSpan& named(const Received& received, const std::string& name) {
  const auto found =
      std::find_if(received.spans.begin(), received.spans.end(), [&](const auto& span) { return span.name == name; });
  if (found == received.spans.end()) FAIL("no span " << name);
  return *found;
}

TEST_CASE("pushed ranges nest, on the application level, and push and pop return their level") {
  const auto received = run([](FakeNvtx& nvtx) {
    expect(nvtx.push("outer") == 0);
    expect(nvtx.push("inner") == 1);
    expect(nvtx.pop() == 1);
    expect(nvtx.pop() == 0);
    expect(nvtx.pop() < 0);
  });
  REQUIRE(received.span_names() == std::vector<std::string>{"inner", "outer"});
  CHECK(received.spans[0].parent == received.spans[1].id);
  CHECK(received.spans[1].parent == 0);
  for (const auto& span : received.spans) {
    CHECK(span.level == 1);
    CHECK(span.kind == kNvtxRange);
    CHECK(span.type.empty());
  }
}

TEST_CASE("levels are counted by domain and thread, and domains that interleave end their own ranges") {
  const auto received = run([](FakeNvtx& nvtx) {
    const void* a = nvtx.domain("A");
    const void* b = nvtx.domain("B");
    expect(a != nullptr && b != nullptr && a != b && nvtx.domain("A") == a);
    expect(nvtx.push(a, FakeNvtx::ascii("a")) == 0);
    expect(nvtx.push(b, FakeNvtx::ascii("b")) == 0);
    std::thread([&] { expect(nvtx.push(a, FakeNvtx::ascii("other thread")) == 0 && nvtx.pop(a) == 0); }).join();
    expect(nvtx.pop(a) == 0);
    expect(nvtx.push(b, FakeNvtx::ascii("in b")) == 1);
    expect(nvtx.pop(b) == 1);
    expect(nvtx.pop(b) == 0);
  });
  CHECK(received.spans.size() == 4);
  CHECK(named(received, "a").type == "A");
  CHECK(named(received, "b").parent == named(received, "a").id);
  CHECK(named(received, "in b").parent == named(received, "b").id);
  CHECK(named(received, "in b").type == "B");
  CHECK(named(received, "other thread").parent == 0);
  CHECK(named(received, "a").end < named(received, "in b").begin);
}

TEST_CASE("a pop never ends a span that is not its own") {
  const auto received = run([](FakeNvtx& nvtx) {
    const uint64_t outer = start_span(intern("outer"), 2, 1, 0, 0);
    for (int i = 0; i < 10; ++i) nvtx.pop();
    nvtx.push("left open");
    const uint64_t inner = start_span(intern("inner"), 3, 1, 0, 0);
    nvtx.pop();
    nvtx.pop();
    finish_span(start_span(intern("innermost"), 3, 1, 0, 0), {});
    finish_span(inner, {});
    finish_span(outer, {});
  });
  REQUIRE(received.span_names() == std::vector<std::string>{"left open", "innermost", "inner", "outer"});
  CHECK(named(received, "innermost").parent == named(received, "inner").id);
  CHECK(named(received, "inner").parent == named(received, "left open").id);
}

TEST_CASE("nesting deeper than the stack keeps the levels and ends each range by its own pop") {
  constexpr int kDepth = 200;
  const auto received = run([](FakeNvtx& nvtx) {
    for (int i = 0; i < kDepth; ++i) expect(nvtx.push(std::to_string(i).c_str()) == i);
    for (int i = kDepth; i-- > 0;) expect(nvtx.pop() == i);
    expect(nvtx.push("after") == 0 && nvtx.pop() == 0);
  });
  REQUIRE(received.spans.size() == xsp::shm::kMaxOpenSpans + 1);
  CHECK(received.spans[0].name == std::to_string(xsp::shm::kMaxOpenSpans - 1));
  CHECK(named(received, "after").parent == 0);
}

TEST_CASE("a range does not outlive the call that it was pushed in, and its pop ends nothing else") {
  const auto received = run([](FakeNvtx& nvtx) {
    nvtx.push("around");
    Thread* thread = recording_thread();
    const uint32_t slot = open_span(*thread, 3, 2, intern("call"), 0, 0);
    nvtx.push("in the call");
    expect(slot_below_ranges(*thread) == slot);
    const uint64_t end = now();
    close_ranges_above(*thread, slot, end);
    close_span(*thread, slot, end, 0, {});
    expect(nvtx.pop() == 1);
    nvtx.push("still in around");
    nvtx.pop();
    nvtx.pop();
  });
  REQUIRE(received.span_names() == std::vector<std::string>{"in the call", "call", "still in around", "around"});
  CHECK(named(received, "in the call").end == named(received, "call").end);
  CHECK(named(received, "still in around").parent == named(received, "around").id);
}

TEST_CASE("started ranges overlap, end on any thread, once, and hold nothing inside them") {
  const auto received = run([](FakeNvtx& nvtx) {
    const uint64_t first = nvtx.start("first");
    const uint64_t second = nvtx.start("second");
    expect(first != 0 && second != 0 && first != second);
    nvtx.push("pushed");
    nvtx.pop();
    nvtx.end(first);
    nvtx.end(first);
    std::thread([&] { nvtx.end(second); }).join();
    nvtx.end(second);
    nvtx.end(0);
    nvtx.end(12345);
    nvtx.end(UINT64_MAX);
    nvtx.start("never ended");
  });
  REQUIRE(received.spans.size() == 3);
  CHECK(named(received, "pushed").parent == 0);
  CHECK(named(received, "first").kind == kNvtxRange);
  CHECK(named(received, "second").start_thread == received.hello.pid());
}

TEST_CASE("more started ranges than fit are counted, and their handles are still their own") {
  const auto received = run([](FakeNvtx& nvtx) {
    std::set<uint64_t> handles;
    for (uint32_t i = 0; i < 2 * kMaxOpenRanges; ++i) handles.insert(nvtx.start("range"));
    expect(handles.size() == 2 * kMaxOpenRanges);
    for (const uint64_t handle : handles) nvtx.end(handle);
    nvtx.end(nvtx.start("after"));
  });
  CHECK(received.spans.size() == kMaxOpenRanges + 1);
  CHECK(received.loss(xsp::Loss::TOO_DEEP) == kMaxOpenRanges);
}

TEST_CASE("messages of every kind become names; without one a range is called range") {
  const auto received = run([](FakeNvtx& nvtx) {
    const void* domain = nvtx.domain("D");
    const auto record = [&](const nvtx::EventAttributes& event) {
      nvtx.push(domain, event);
      nvtx.pop(domain);
    };
    record(FakeNvtx::ascii("ascii"));
    auto event = FakeNvtx::empty();
    event.message_type = nvtx::MessageType::kUnicode;
    event.message.unicode = L"wide \u00e9 \u6f22 \U0001f600";
    record(event);
    event.message_type = nvtx::MessageType::kRegistered;
    event.message.registered = nvtx.string(domain, "registered");
    record(event);
    record(FakeNvtx::empty());
    record(FakeNvtx::ascii(nullptr));
    record(FakeNvtx::ascii(""));
    event.message.registered = &event;
    record(event);
    event.message_type = static_cast<nvtx::MessageType>(77);
    record(event);
    event = FakeNvtx::ascii("of an older, shorter structure");
    event.size = 32;
    record(event);
    nvtx.call<int(const void*)>(FakeNvtx::Core::kRangePushEx, nullptr);
    nvtx.pop();
    nvtx.call<int(const wchar_t*)>(FakeNvtx::Core::kRangePushW, L"W");
    nvtx.pop();
    nvtx.call<void(const char*)>(FakeNvtx::Core::kMarkA, "mark");
  });
  auto names = received.span_names();
  REQUIRE(names.size() == 12);
  CHECK(names[0] == "ascii");
  CHECK(names[1] == "wide \xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80");
  CHECK(names[2] == "registered");
  CHECK(std::count(names.begin(), names.end(), "range") == 7);
  CHECK(names[10] == "W");
  CHECK(named(received, "mark").begin == named(received, "mark").end);
}

TEST_CASE("the numbers of PyTorch's emit_nvtx are left out of the names") {
  const auto received = run([](FakeNvtx& nvtx) {
    for (const char* text : {"aten::conv2d, seq = 5, op_id = 17, sizes = [[1, 3, 8, 8], [4, 3, 3, 3]], input_op_ids = "
                             "[(3,0), (4,0)]",
                             "aten::relu, op_id = 3", "plain, with a comma", "x, seq = "}) {
      nvtx.push(text);
      nvtx.pop();
    }
  });
  CHECK(received.span_names() == std::vector<std::string>{"aten::conv2d, sizes = [[1, 3, 8, 8], [4, 3, 3, 3]]",
                                                          "aten::relu", "plain, with a comma", "x"});
}

TEST_CASE("hostile texts are cut, and their bytes do no harm") {
  const std::string huge(10'000'000, 'x');
  const std::string huge_utf8 = std::string(kMaxRangeText - 1, 'y') + "\xe6\xbc\xa2";
  const std::vector<wchar_t> surrogates = {0xd800, -1, 0x110000, 'a', 0};
  const auto received = run([&](FakeNvtx& nvtx) {
    for (const char* text : {huge.c_str(), huge_utf8.c_str(), "\xff\xfe\x80", "\x01\x1b[31m\n\r", "%s%n%s"}) {
      nvtx.push(text);
      nvtx.pop();
    }
    nvtx.call<int(const wchar_t*)>(FakeNvtx::Core::kRangePushW, surrogates.data());
    nvtx.pop();
    nvtx.domain(huge.c_str());
    nvtx.string(nullptr, huge.c_str());
    expect(nvtx.push(&nvtx, FakeNvtx::ascii("a domain that is none")) == nvtx::kNotTracked);
    expect(nvtx.pop(&nvtx) == nvtx::kNotTracked);
    expect(nvtx.pop(nullptr) < 0);
  });
  const auto names = received.span_names();
  REQUIRE(names.size() == 6);
  CHECK(names[0] == std::string(kMaxRangeText, 'x'));
  CHECK(names[1] == std::string(kMaxRangeText - 1, 'y'));
  CHECK(names[2] == "\xff\xfe\x80");
  CHECK(names[3] == "\x01\x1b[31m\n\r");
  CHECK(names[4] == "%s%n%s");
  CHECK(names[5] ==
        "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
        "a");
}

TEST_CASE("a program with endless different texts leaves room for other names, and is told of once") {
  // Before the guest wakes, which it does when it is attached.
  setenv("XSP_ON_FULL", "block", 1);
  const auto received = run([](FakeNvtx& nvtx) {
    nvtx.push("known from the start");
    nvtx.pop();
    for (uint32_t i = 0; i < kMaxRangeTexts + 50; ++i) {
      nvtx.push(("text " + std::to_string(i)).c_str());
      nvtx.pop();
    }
    finish_span(start_span(intern("a name of another hook"), 2, 1, 0, 0), {});
    nvtx.push("known from the start");
    nvtx.pop();
  });
  unsetenv("XSP_ON_FULL");
  CHECK(named(received, "a name of another hook").level == 2);
  CHECK(received.spans.back().name == "known from the start");
  CHECK(received.strings.size() <= kMaxRangeTexts + 10);
  int notices = 0;
  for (const auto& packet : received.trace.packet()) notices += packet.has_notice() ? 1 : 0;
  CHECK(notices == 1);
  CHECK(std::any_of(received.spans.begin(), received.spans.end(), [](const auto& span) { return span.name == "…"; }));
}

TEST_CASE("more domains than are told apart get handles, and their ranges are left out") {
  const auto received = run([](FakeNvtx& nvtx) {
    for (uint32_t i = 0; i < 3 * kMaxRangeDomains; ++i) {
      const void* domain = nvtx.domain(("domain " + std::to_string(i)).c_str());
      expect(domain != nullptr);
      nvtx.push(domain, FakeNvtx::ascii("in it"));
      nvtx.pop(domain);
    }
  });
  CHECK(received.spans.size() == kMaxRangeDomains - 1);
}

TEST_CASE("a copy of NVTX that lacks functions, modules or the table itself is served as far as it goes") {
  ListeningPeer peer;
  int status = 0;
  const auto received = peer.run(
      [] {
        expect(attach_nvtx(nullptr) == 0);
        {
          FakeNvtx nvtx;
          nvtx.has_callbacks = false;
          expect(nvtx.attach() == 0);
        }
        {
          FakeNvtx nvtx;
          nvtx.callbacks.struct_size = 4;
          expect(nvtx.attach() == 0);
        }
        FakeNvtx nvtx;
        nvtx.core2_size = 5;
        nvtx.core_table[static_cast<uint32_t>(FakeNvtx::Core::kMarkA)] = nullptr;
        expect(nvtx.attach() == 1);
        expect(nvtx.core2[static_cast<uint32_t>(FakeNvtx::Core2::kDomainRangePushEx)] != nullptr);
        expect(nvtx.core2[static_cast<uint32_t>(FakeNvtx::Core2::kDomainRangePop)] == nullptr);
        expect(nvtx.core[static_cast<uint32_t>(FakeNvtx::Core::kMarkA)] == nullptr);
        nvtx.push("range");
        nvtx.pop();
      },
      &status);
  CHECK(status == 0);
  REQUIRE(received.size() == 1);
  CHECK(received[0].spans.size() == 1);
}

TEST_CASE("without a collector, and with --level model, NVTX is told that there is no tool") {
  for (const bool with_collector : {false, true}) {
    ListeningPeer peer;
    int status = 0;
    const auto received = peer.run(
        [&] {
          if (with_collector) setenv("XSP_LEVEL", "model", 1);
          if (!with_collector) setenv("XSP_SOCKET", "/nonexistent/socket", 1);
          FakeNvtx nvtx;
          expect(nvtx.attach() == 0);
          expect(nvtx.core[static_cast<uint32_t>(FakeNvtx::Core::kRangePushA)] == nullptr);
        },
        &status);
    CHECK(status == 0);
    for (const auto& process : received) CHECK(process.spans.empty());
  }
}

TEST_CASE("a forked child keeps domains and strings, and ends none of its parent's ranges") {
  ListeningPeer peer;
  int status = 0;
  const auto received = peer.run(
      [] {
        FakeNvtx nvtx;
        expect(nvtx.attach() == 1);
        const void* domain = nvtx.domain("D");
        auto event = FakeNvtx::empty();
        event.message_type = nvtx::MessageType::kRegistered;
        event.message.registered = nvtx.string(domain, "registered");
        const uint64_t started = nvtx.start("started");
        nvtx.push(domain, event);
        const pid_t child = fork();
        if (child == 0) {
          expect(nvtx.pop(domain) < 0);
          nvtx.end(started);
          nvtx.push(domain, event);
          nvtx.pop(domain);
          exit(0);
        }
        nvtx.pop(domain);
        nvtx.end(started);
        int status_of_child = 1;
        expect(waitpid(child, &status_of_child, 0) == child && status_of_child == 0);
      },
      &status);
  CHECK(status == 0);
  REQUIRE(received.size() == 2);
  CHECK(received[0].span_names() == std::vector<std::string>{"registered", "started"});
  CHECK(received[1].span_names() == std::vector<std::string>{"registered"});
  CHECK(received[1].spans[0].type == "D");
}

TEST_CASE("threads that make domains, texts and ranges at the same time keep theirs apart") {
  constexpr int kThreads = 8;
  constexpr int kRounds = 300;
  const auto received = run([](FakeNvtx& nvtx) {
    std::vector<std::thread> threads;
    std::atomic<uint64_t> handed_over[kThreads] = {};
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        const std::string own = "thread " + std::to_string(i);
        for (int round = 0; round < kRounds; ++round) {
          const void* domain = nvtx.domain(("domain " + std::to_string(round % 20)).c_str());
          const std::string text = own + " round " + std::to_string(round);
          expect(nvtx.push(domain, FakeNvtx::ascii(text.c_str())) == 0);
          expect(nvtx.push(own.c_str()) == 0);
          nvtx.end(handed_over[i].exchange(0));
          handed_over[(i + 1) % kThreads].store(nvtx.start(own.c_str()));
          expect(nvtx.pop(domain) == 0);
          expect(nvtx.pop() == 0);
        }
      });
    }
    for (auto& thread : threads) thread.join();
  });
  std::map<std::string, int> pushed;
  for (const auto& span : received.spans) {
    if (span.type.empty()) continue;
    ++pushed[span.name];
  }
  CHECK(pushed.size() == kThreads * kRounds);
  CHECK(received.loss(xsp::Loss::STRINGS_FULL) == 0);
}

TEST_CASE("errno is the program's own") {
  run([](FakeNvtx& nvtx) {
    errno = 4711;
    for (int i = 0; i < 100; ++i) nvtx.push(std::to_string(i).c_str());
    const void* domain = nvtx.domain("D");
    nvtx.string(domain, "text");
    for (int i = 0; i < 200; ++i) nvtx.pop();
    nvtx.end(nvtx.start("started"));
    expect(errno == 4711);
  });
}

}  // namespace
