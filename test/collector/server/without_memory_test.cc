/// There is no memory in the midst of one program's profile: its connection ends at once, and the others go on.

#include <cerrno>
#include <map>
#include <new>

#include "test/catch.h"
#include "test/collector/running_collector.h"

namespace xsp::test {
namespace {

/// There is no memory for a moment, when a node comes by that is too much.
class ForgetfulFile : public MemoryFile {
 public:
  ssize_t write(const void* data, size_t size) override {
    const std::string_view now(static_cast<const char*>(data), size);
    if (!failed_ && now.find("too_much") != std::string_view::npos) {
      failed_ = true;
      throw std::bad_alloc();
    }
    return MemoryFile::write(data, size);
  }

 private:
  bool failed_ = false;
};

/// So many nodes that they are converted in several slices, each with a name of its own; one of them is too much.
std::string profile(int nodes, int too_much) {
  std::string text = "[";
  for (int i = 0; i < nodes; ++i) {
    const std::string name = std::string(i == too_much ? "too_much" : "n").append(std::to_string(i));
    if (i != 0) text += ",\n";
    text += R"({"cat":"Node","tid":1,"dur":1,"ts":)" + std::to_string(10 * i) + R"(,"name":")" + name +
            R"(_kernel_time","args":{"op_name":"Relu"}})";
  }
  return text + "]";
}

std::string complete_profile(const std::string& path) {
  Packet packet;
  packet.mutable_profile_file()->set_format(ProfileFile::ORT_JSON);
  packet.mutable_profile_file()->set_path(path);
  packet.mutable_profile_file()->set_complete(true);
  return framed(packet);
}

TEST_CASE("a program whose profile there is no memory for is cut off, and the others go on") {
  TemporaryFolder folder;
  write_file(folder / "p.json", profile(20'000, 10'000));
  RunningCollector collector(std::make_unique<ForgetfulFile>(), 1);
  FakeGuest other({.pid = 5000});
  const int other_fd = collector.connect();
  send_hello(other_fd, other);
  FakeGuest guest({.pid = 4000});
  const int fd = collector.connect();
  send_hello(fd, guest);
  send_all(fd, complete_profile(folder / "p.json"));
  // It goes on sending, so that the loop has its bytes to read when it is cut off.
  for (int i = 0; i < 1'000'000; ++i) {
    const std::string reading = guest.clock_reading(10 + i, 10 + i);
    if (::send(fd, reading.data(), reading.size(), MSG_NOSIGNAL) < 0) break;
  }
  char byte;
  // Cut off with bytes unread, a socket tells of a reset once.
  const ssize_t received = ::recv(fd, &byte, 1, MSG_DONTWAIT);
  INFO("errno " << errno);
  CHECK((received == 0 || (received < 0 && errno == ECONNRESET)));
  ::close(fd);
  other.add_span(0, 1, 2, other.intern("later"));
  send_all(other_fd, other.strings() + other.batch(0) + other.goodbye());
  ::close(other_fd);

  const Status status = collector.stop();
  CHECK_FALSE(status.ok());
  CHECK(status.error.find("out of memory") != std::string::npos);
  std::map<uint32_t, uint32_t> pids;
  std::map<uint32_t, ProcessEnd::How> ends;
  const Trace trace = collector.trace();
  for (const auto& packet : trace.packet()) {
    if (packet.has_hello()) pids[packet.process()] = packet.hello().pid();
    if (packet.has_process_end()) ends[pids[packet.process()]] = packet.process_end().how();
  }
  CHECK(ends == std::map<uint32_t, ProcessEnd::How>{{4000, ProcessEnd::CUT_OFF}, {5000, ProcessEnd::GOODBYE}});
}

}  // namespace
}  // namespace xsp::test
