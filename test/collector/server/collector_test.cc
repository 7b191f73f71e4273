#include "collector/server/collector.h"

#include <map>
#include <random>

#include <unistd.h>

#include "test/catch.h"
#include "test/collector/running_collector.h"

namespace xsp::test {
namespace {

TEST_CASE("many programs at once: some say goodbye, some die, some send garbage, some run on") {
  RunningCollector collector;
  std::mt19937 random(2);
  constexpr uint32_t kGuests = 120;
  std::vector<int> fds;
  std::vector<std::unique_ptr<FakeGuest>> guests;
  for (uint32_t i = 0; i < kGuests; ++i) {
    guests.push_back(std::make_unique<FakeGuest>(FakeGuest::Setup{.rings = 2, .arena_bytes = 4096, .pid = 1000 + i}));
    fds.push_back(collector.connect());
    send_hello(fds.back(), *guests.back());
  }
  for (int round = 0; round < 20; ++round) {
    for (uint32_t i = 0; i < kGuests; ++i) {
      FakeGuest& guest = *guests[i];
      const uint32_t name = guest.intern("n" + std::to_string(i));
      for (int k = 0; k < 5; ++k) guest.add_span(k % 2, 100, 200, name);
      if (random() % 3 != 0) send_all(fds[i], guest.strings() + guest.batch(0) + guest.batch(1));
    }
  }
  for (uint32_t i = 0; i < kGuests; ++i) {
    if (i % 4 == 0)
      send_all(fds[i], guests[i]->strings() + guests[i]->batch(0) + guests[i]->batch(1) + guests[i]->goodbye());
    if (i % 4 == 1) send_all(fds[i], "garbage");
    if (i % 4 != 3) ::close(fds[i]);
  }
  const Trace trace = collector.finish();
  for (uint32_t i = 3; i < kGuests; i += 4) ::close(fds[i]);

  std::map<uint32_t, uint32_t> pids;
  std::map<uint32_t, int> spans;
  std::map<ProcessEnd::How, uint32_t> ends;
  for (const auto& packet : trace.packet()) {
    if (packet.has_hello()) pids[packet.process()] = packet.hello().pid();
    if (packet.has_process_end()) ++ends[packet.process_end().how()];
  }
  for (const auto& span : read_spans(trace)) {
    CHECK(span.name == "n" + std::to_string(pids[span.process] - 1000));
    ++spans[span.process];
  }
  CHECK(pids.size() == kGuests);
  for (const auto& [process, count] : spans) CHECK(count == 100);
  CHECK(ends[ProcessEnd::GOODBYE] == kGuests / 4);
  CHECK(ends[ProcessEnd::CUT_OFF] == kGuests / 4);
  CHECK(ends[ProcessEnd::DISCONNECTED] == kGuests / 4);
  CHECK(ends[ProcessEnd::STILL_RUNNING] == kGuests / 4);
}

TEST_CASE("a program that connected and died before the collector looked is in the trace") {
  RunningCollector collector;
  FakeGuest guest;
  guest.add_span(0, 1, 2, guest.intern("x"));
  const int fd = collector.connect();
  send_hello(fd, guest);
  ::close(fd);
  const auto spans = read_spans(collector.finish());
  REQUIRE(spans.size() == 1);
  CHECK(spans[0].name == "x");
}

}  // namespace
}  // namespace xsp::test
