#include "collector/server/peer.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "collector/messages/peer_limits.h"
#include "proto/pbf.h"

namespace xsp {
namespace {

constexpr size_t kReadBytes = size_t{64} << 10;
/// Limit for names that a peer chose: any user may connect to a service, and the log is on the administrator's disk.
constexpr size_t kLongestLogged = 256;
constexpr size_t kMaxFds = 4;

bool credentials(int fd, ucred* of) {
  socklen_t size = sizeof *of;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, of, &size) == 0;
}

std::vector<int> take_fds(msghdr& message) {
  std::vector<int> fds;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    // The kernel delivers all descriptors of a message in one part.
    fds.resize((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(fds.data(), CMSG_DATA(part), fds.size() * sizeof(int));
  }
  return fds;
}

}  // namespace

Peer::Peer(int fd, Recording& recording, uint32_t& next_process)
    : fd_(fd), recording_(recording), next_process_(next_process) {
  ucred peer{};
  if (fd_ < 0 || !credentials(fd_, &peer)) return;
  pid_ = peer.pid;
  user_ = peer.uid;
}

Peer::~Peer() {
  recording_.unfinished_bytes -= unfinished_;
  close_fds();
  if (fd_ >= 0) ::close(fd_);
}

void Peer::close_fds() {
  for (const int fd : received_fds_) ::close(fd);
  received_fds_.clear();
}

Peer::State Peer::read(size_t limit) {
  std::array<uint8_t, kReadBytes> buffer;
  for (size_t total = 0; total < limit && open_;) {
    // Room for kMaxFds: the kernel closes any others.
    alignas(cmsghdr) char control[CMSG_SPACE(kMaxFds * sizeof(int))];
    iovec part{buffer.data(), buffer.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = ::recvmsg(fd_, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return State::kOpen;
    if (got < 0 && (errno == ENOMEM || errno == ENOBUFS)) return State::kOpen;  // the kernel is short of memory now
    if (got <= 0) {
      disconnect();
      break;
    }
    receive(buffer.data(), static_cast<size_t>(got), take_fds(message));
    total += static_cast<size_t>(got);
  }
  return open_ ? State::kOpen : State::kGone;
}

bool Peer::has_data() const {
  pollfd waits{fd_, POLLIN, 0};
  return ::poll(&waits, 1, 0) > 0;
}

Peer::State Peer::receive(const uint8_t* data, size_t size, std::vector<int> fds) {
  // Adopted even if the peer is cut off: the destructor closes them.
  received_fds_.insert(received_fds_.end(), fds.begin(), fds.end());
  if (!open_) return State::kGone;
  Status status;
  try {
    status =
        stream_.feed(data, size, [&](const uint8_t* packet, size_t length) { return receive_packet(packet, length); });
  } catch (const protozero::exception& broken) {
    status = Status{std::string("a packet that cannot be read: ") + broken.what()};
  }
  // After the Hello descriptors mean nothing; they must not pile up here.
  if (process_ != nullptr) close_fds();
  if (status.ok()) status = check_unfinished();
  if (received_fds_.size() > kMaxFds) status = Status{"more descriptors than a Hello carries"};
  if (status.ok()) return State::kOpen;

  cut_off(status.error);
  return State::kGone;
}

Status Peer::check_unfinished() {
  recording_.unfinished_bytes += stream_.pending_bytes() - unfinished_;
  unfinished_ = stream_.pending_bytes();
  if (unfinished_ <= kMaxHelloBytes) return Status();
  if (process_ == nullptr) return Status{"its Hello is too long"};
  if (recording_.unfinished_bytes <= kMaxUnfinishedBytes) return Status();
  return Status{"a large packet was not whole while others held much memory, too"};
}

void Peer::cut_off(const std::string& why) {
  open_ = false;
  const std::string what = name() + " was cut off (" + why + ")";
  const bool is_new = recording_.summary.add_notice(Severity::kWarning, "collector", what);
  if (process_ != nullptr) {
    process_->end(EndHow::kCutOff, why);
  } else if (is_new) {
    // The process is not in the trace, so the notice is written under the trace's own number.
    recording_.writer.write(
        0, wire::Notice{.severity = static_cast<uint32_t>(Severity::kWarning), .component = "collector", .text = what});
  }
}

void Peer::expire() {
  if (!open_ || process_ != nullptr) return;
  // Makes the descriptor readable, so that the event loop wakes and removes the connection.
  ::shutdown(fd_, SHUT_RDWR);
  cut_off("it sent no Hello");
}

Status Peer::receive_packet(const uint8_t* data, size_t size) {
  protozero::pbf_reader packet(reinterpret_cast<const char*>(data), size);
  while (packet.next()) {
    if (packet.wire_type() != protozero::pbf_wire_type::length_delimited) {
      packet.skip();
      continue;
    }
    const auto body = static_cast<Body>(packet.tag());
    const auto bytes = packet.get_view();
    if (process_ == nullptr && body != Body::kHello) return Status{"it did not begin with a Hello"};
    Status status = process_ == nullptr ? receive_hello(bytes) : process_->receive(body, bytes);
    if (!status.ok()) return status;
  }
  return Status();
}

Status Peer::receive_hello(protozero::data_view bytes) {
  ProcessDescription hello;
  Status status = read_hello(bytes, &hello);
  if (!status.ok()) return status;
  std::unique_ptr<SharedMemoryReader> memory;
  if (hello.shared_memory_bytes != 0) {
    if (received_fds_.empty()) return Status{"its shared memory did not come with its Hello"};
    const int fd = received_fds_.front();
    received_fds_.erase(received_fds_.begin());
    status = SharedMemoryReader::open(fd, hello.shared_memory_bytes, &memory);
    if (!status.ok()) return status;
    if (memory->clock() != hello.clock) return Status{"its shared memory has another clock than its Hello"};
  }
  if (recording_.parts != nullptr && memory == nullptr) {
    return Status{"it shares no memory, from which each part of the recording takes its names"};
  }
  hello.user = user_;
  hello.is_foreign = user_.has_value() && *user_ != ::geteuid();
  process_ = std::make_unique<ProcessTrace>(recording_, ++next_process_, hello, std::move(memory));
  if (log::writes(log::Level::kInfo)) {
    log::info(name() + " came: " + hello.executable.substr(0, kLongestLogged) +
              (hello.is_foreign ? ", of another user" : ""));
  }
  return Status();
}

std::string Peer::name() const { return pid_ == 0 ? "a process" : "process " + std::to_string(pid_); }

void Peer::disconnect() {
  open_ = false;
  if (process_ != nullptr) {
    if (log::writes(log::Level::kInfo)) {
      log::info(name() + (process_->said_goodbye() ? " has ended" : " is gone without a goodbye"));
    }
    process_->end(process_->said_goodbye() ? EndHow::kGoodbye : EndHow::kDisconnected, "");
  }
}

void Peer::stop() {
  if (!open_) return;
  const bool is_gone = pid_ > 0 && ::kill(pid_, 0) != 0 && errno == ESRCH;
  if (is_gone || process_ == nullptr || process_->said_goodbye()) {
    // The process is gone, or never said who it is; a child may still hold its socket open.
    disconnect();
    return;
  }
  open_ = false;
  if (log::writes(log::Level::kInfo)) log::info(name() + " is still running");
  process_->end(EndHow::kStillRunning, "");
}

}  // namespace xsp
