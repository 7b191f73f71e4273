#include <unistd.h>

#include <cstring>
#include <map>

#include "inject/record/span.h"
#include "proto/string_ids.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"

namespace {

using namespace xsp::guest;
using xsp::Packet;
using xsp::shm::ArgumentRecord;
using xsp::shm::kArgumentBytes;
using xsp::test::ListeningPeer;
using xsp::test::Received;

constexpr uint8_t kLibrary = 4;
constexpr uint8_t kLibraryCall = 8;

void publish_part(Thread& thread, uint32_t span, uint32_t layout, uint8_t part, const std::string& values) {
  ArgumentRecord arguments{};
  arguments.span = span;
  arguments.layout = layout;
  arguments.record_type = static_cast<uint8_t>(xsp::shm::RecordType::kArguments);
  arguments.part = part;
  arguments.length = static_cast<uint8_t>(values.size());
  std::memcpy(arguments.values, values.data(), values.size());
  xsp::shm::Record record;
  std::memcpy(static_cast<void*>(&record), &arguments, sizeof record);
  publish(thread, record);
}

/// A library call as a wrapper records it.
void record_call(const char* name, const char* layout, const std::string& values) {
  Thread& thread = *recording_thread();
  const uint32_t slot = open_span(thread, kLibrary, kLibraryCall, intern(name), 0, 0);
  const uint32_t id = thread.ring->open[slot].id.load();
  for (size_t at = 0, part = 0; at < values.size(); at += kArgumentBytes, ++part) {
    publish_part(thread, id, intern(layout), static_cast<uint8_t>(part), values.substr(at, kArgumentBytes));
  }
  close_span(thread, slot, now(), 0, {});
}

struct Arguments {
  std::string layout;
  std::string values;
};

/// By span id, of all packets. Fails where a span stood before its arguments, or a call has two entries.
std::map<uint32_t, Arguments> arguments_of(const Received& received) {
  std::map<uint32_t, Arguments> all;
  std::map<uint32_t, bool> ended;
  const auto unzigzag = [](uint32_t value) { return value >> 1 ^ (0 - (value & 1)); };
  for (const Packet& packet : received.trace.packet()) {
    uint32_t id = 0;
    for (const uint32_t coded : packet.spans().id()) ended[id += unzigzag(coded)] = true;
    const auto& batch = packet.arguments();
    size_t at = 0;
    uint32_t span = 0;
    for (int i = 0; i < batch.span_size(); ++i) {
      span += unzigzag(batch.span(i));
      CHECK_FALSE(ended[span]);
      const bool added =
          all.emplace(span, Arguments{received.strings.at(batch.layout(i)), batch.values().substr(at, batch.length(i))})
              .second;
      CHECK(added);
      at += batch.length(i);
    }
    CHECK(at == batch.values().size());
  }
  return all;
}

std::string values_of(int call) {
  std::string values = std::to_string(call) + ":";
  const auto length = static_cast<size_t>(4 + call % 172);
  while (values.size() < length) values += static_cast<char>('a' + values.size() % 26);
  return values;
}

TEST_CASE("the parts of a call's arguments arrive joined, before the call's span") {
  constexpr int kCalls = 20'000;
  ListeningPeer peer;
  const auto received = peer.run([] {
    setenv("XSP_ON_FULL", "block", 1);
    for (int call = 0; call < kCalls; ++call) record_call("gemm", call % 2 == 0 ? "even" : "odd", values_of(call));
  });
  REQUIRE(received[0].spans.size() == kCalls);
  const auto arguments = arguments_of(received[0]);
  REQUIRE(arguments.size() == kCalls);
  int call = 0;
  for (const auto& [span, entry] : arguments) {
    CHECK(entry.values == values_of(call));
    CHECK(entry.layout == (call % 2 == 0 ? "even" : "odd"));
    ++call;
  }
}

TEST_CASE("calls of a signal handler between the parts of another call's arguments keep theirs") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    Thread& thread = *recording_thread();
    const uint32_t layout = intern("layout");
    const std::string full(kArgumentBytes, 'o');
    for (int i = 0; i < 1000; ++i) {
      const uint32_t outer = open_span(thread, kLibrary, kLibraryCall, intern("outer"), 0, 0);
      const uint32_t id = thread.ring->open[outer].id.load();
      publish_part(thread, id, layout, 0, full);
      record_call("inner", "layout", full + std::to_string(i));
      publish_part(thread, id, layout, 1, "outer");
      close_span(thread, outer, now(), 0, {});
    }
  });
  REQUIRE(received[0].spans.size() == 2000);
  const auto arguments = arguments_of(received[0]);
  REQUIRE(arguments.size() == 2000);
  for (const auto& span : received[0].spans) {
    const std::string& values = arguments.at(span.id).values;
    CHECK(values.substr(0, kArgumentBytes) == std::string(kArgumentBytes, 'o'));
    CHECK(values.substr(kArgumentBytes) == (span.name == "outer" ? "outer" : std::to_string((span.id - 1) / 2)));
  }
}

TEST_CASE("arguments keep all parts although their thread loses the processor between them") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    Thread& thread = *recording_thread();
    const uint32_t slot = open_span(thread, kLibrary, kLibraryCall, intern("slow"), 0, 0);
    const uint32_t id = thread.ring->open[slot].id.load();
    publish_part(thread, id, intern("layout"), 0, std::string(kArgumentBytes, 'a'));
    usleep(300'000);
    publish_part(thread, id, intern("layout"), 1, "b");
    usleep(300'000);
    close_span(thread, slot, now(), 0, {});
  });
  REQUIRE(received[0].spans.size() == 1);
  const auto arguments = arguments_of(received[0]);
  REQUIRE(arguments.size() == 1);
  CHECK(arguments.begin()->second.values == std::string(kArgumentBytes, 'a') + "b");
}

TEST_CASE("arguments whose span was dropped hold nothing up") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    Thread& thread = *recording_thread();
    for (int i = 0; i < 3; ++i) {
      publish_part(thread, 1'000'000, intern("layout"), 0, "lost");
      record_call("kept", "layout", "kept");
      usleep(60'000);
    }
    while (thread.ring->sent.load() < thread.ring->head.load()) usleep(1000);
    for (int i = 0; i < 3000; ++i) publish_part(thread, 1'000'000, intern("layout"), 0, "lost");
    record_call("kept", "layout", "kept");
  });
  CHECK(received[0].goodbye);
  CHECK(received[0].spans.size() == 4);
  CHECK(received[0].left_in_rings().empty());
}

TEST_CASE("a string of the greatest length arrives whole") {
  ListeningPeer peer;
  const auto received = peer.run([] {
    std::string plan(xsp::kMaxStringBytes, 'p');
    for (int i = 0; i < 3; ++i) {
      plan[0] = static_cast<char>('a' + i);
      const uint32_t id = intern(plan);
      record_call("execute", "plan:s4", std::string(reinterpret_cast<const char*>(&id), sizeof id));
    }
  });
  CHECK(received[0].spans.size() == 3);
  int longest = 0;
  for (const std::string& text : received[0].strings) longest += text.size() == xsp::kMaxStringBytes ? 1 : 0;
  CHECK(longest == 3);
}

}  // namespace
