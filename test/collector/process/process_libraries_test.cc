/// The files that calls went to, on their way through the collector: each once, whether it was sent or left in memory.

#include "collector/server/peer.h"
#include "test/catch.h"
#include "test/collector/peer_bench.h"

namespace xsp::test {
namespace {

using Used = std::vector<std::pair<std::string, std::string>>;

Used used_in(const Trace& trace) {
  Used found;
  for (const auto& packet : trace.packet()) {
    if (!packet.has_used_library()) continue;
    CHECK(packet.process() == 1);
    found.emplace_back(packet.used_library().library(), packet.used_library().file());
  }
  return found;
}

/// Puts one into the shared memory, as the guest does.
void note(FakeGuest& guest, uint32_t library, uint32_t file) {
  shm::SharedHeader& header = guest.header();
  const uint32_t count = header.used_library_count.load();
  header.used_libraries[count].library = library;
  header.used_libraries[count].file = file;
  header.used_library_count = count + 1;
}

std::string sent(const std::string& library, const std::string& file) {
  return with([&](Packet& packet) {
    packet.mutable_used_library()->set_library(library);
    packet.mutable_used_library()->set_file(file);
  });
}

TEST_CASE("a file that calls went to is in the trace once, sent or not") {
  // By how many of the three were sent before the process died.
  for (int arrived = 0; arrived <= 3; ++arrived) {
    PeerBench bench;
    FakeGuest guest;
    bench.receive(guest.hello(), {guest.memory_fd()});
    const Used expected = {
        {"blas", "/lib/libblas.so.3"}, {"cblas", "/lib/libblas.so.3"}, {"blas", "/lib/libmkl_rt.so"}};
    for (const auto& [library, file] : expected) note(guest, guest.intern(library), guest.intern(file));
    for (int i = 0; i < arrived; ++i) {
      const auto& [library, file] = expected[static_cast<size_t>(i)];
      bench.receive(guest.strings() + sent(library, file));
    }
    CHECK(used_in(bench.finish()) == expected);
  }
}

TEST_CASE("what is sent twice is in the trace once") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  bench.receive(sent("blas", "/a") + sent("blas", "/a") + sent("blas", "/b"));
  CHECK(used_in(bench.finish()) == Used{{"blas", "/a"}, {"blas", "/b"}});
}

TEST_CASE("used libraries that make no sense are left out") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  const uint32_t text = guest.intern("blas");
  note(guest, text, 4711);
  note(guest, 0, text);
  note(guest, text, UINT32_MAX);
  note(guest, text, guest.intern("/lib/\xff.so"));
  guest.header().used_library_count = UINT32_MAX;
  const Used used = used_in(bench.finish());
  CHECK(used == Used{{"blas", "/lib/?.so"}});
}

TEST_CASE("a used library with a text of more than 4 KiB ends its peer, and more than there may be are left out") {
  PeerBench bench;
  FakeGuest guest;
  bench.receive(guest.hello(), {guest.memory_fd()});
  std::string stream;
  for (int i = 0; i < 1000; ++i) stream += sent("blas", std::to_string(i));
  CHECK(bench.receive(stream) == Peer::State::kOpen);
  CHECK(bench.receive(sent("blas", std::string(4097, 'x'))) == Peer::State::kGone);
  CHECK(used_in(bench.finish()).size() == shm::kMaxUsedLibraries);
}

}  // namespace
}  // namespace xsp::test
