#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/server/collector.h"
#include "test/catch.h"
#include "test/collector/fake_guest.h"
#include "test/collector/memory_file.h"
#include "test/temporary_folder.h"

namespace xsp::test {

/// The event loop on a thread, with a control pipe.
class RunningCollector {
 public:
  /// `buffer_bytes` as for TraceWriter.
  explicit RunningCollector(std::unique_ptr<MemoryFile> file = std::make_unique<MemoryFile>(),
                            size_t buffer_bytes = TraceWriter::kDefaultBufferBytes)
      : file_(std::move(file)), writer_(*file_, buffer_bytes) {
    REQUIRE(socket_.bind(folder_ / "s").ok());
    REQUIRE(::pipe2(control_, O_CLOEXEC) == 0);
    collector_ = std::make_unique<Collector>(socket_, recording_, FinishWhen{.control_fd = control_[0]});
    thread_ = std::thread([this] { status_ = collector_->run(); });
  }

  int connect() {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, (folder_ / "s").c_str());
    REQUIRE(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    return fd;
  }

  /// Stops it. Returns the collector's status.
  Status stop() {
    ::close(control_[1]);
    thread_.join();
    writer_.flush();
    return status_;
  }
  Trace trace() const { return parse_trace(file_->bytes); }
  Trace finish() {
    REQUIRE(stop().ok());
    return trace();
  }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<MemoryFile> file_;
  TraceWriter writer_;
  Recording recording_{writer_};
  ListeningSocket socket_;
  int control_[2];
  std::unique_ptr<Collector> collector_;
  std::thread thread_;
  Status status_;
};

inline void send_all(int fd, const std::string& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t sent = ::send(fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (sent <= 0) return;
    at += static_cast<size_t>(sent);
  }
}

inline void send_hello(int fd, FakeGuest& guest) {
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

}  // namespace xsp::test
