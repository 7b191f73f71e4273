#include "collector/collector.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <thread>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "test/catch.h"
#include "test/collector/fake_guest.h"
#include "test/collector/memory_file.h"
#include "test/collector/temporary_folder.h"

namespace xsp::test {
namespace {

/// The event loop on a thread, with a control pipe.
class RunningCollector {
 public:
  RunningCollector() {
    REQUIRE(socket_.bind(folder_ / "s").is_ok());
    REQUIRE(::pipe2(control_, O_CLOEXEC) == 0);
    collector_ = std::make_unique<Collector>(socket_, recording_, FinishWhen{.control_fd = control_[0]});
    thread_ = std::thread([this] { succeeded_ = collector_->run().is_ok(); });
  }

  int connect() {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, (folder_ / "s").c_str());
    REQUIRE(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    return fd;
  }

  Trace finish() {
    ::close(control_[1]);
    thread_.join();
    REQUIRE(succeeded_);
    writer_.flush();
    return parse_trace(file_.bytes);
  }

 private:
  TemporaryFolder folder_;
  MemoryFile file_;
  TraceWriter writer_{file_};
  Recording recording_{writer_};
  ListeningSocket socket_;
  int control_[2];
  std::unique_ptr<Collector> collector_;
  std::thread thread_;
  bool succeeded_ = false;
};

void send_all(int fd, const std::string& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t sent = ::send(fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (sent <= 0) return;
    at += static_cast<size_t>(sent);
  }
}

void send_hello(int fd, FakeGuest& guest) {
  const std::string bytes = guest.hello();
  const int memory = guest.memory_fd();
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &memory, sizeof memory);
  REQUIRE(::sendmsg(fd, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
  ::close(memory);
}

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
