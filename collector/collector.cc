#include "collector/collector.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <list>

#include <unistd.h>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>

#include "collector/peer.h"
#include "collector/peer_limits.h"
#include "collector/tsc_rate.h"

namespace xsp {
namespace {

constexpr auto kFlushPeriod = std::chrono::seconds(1);
constexpr uint64_t kDrainNs = 2'000'000'000;  // for peers that go on sending while the trace is finished
constexpr size_t kAcceptsPerTurn = 256;
constexpr auto kAcceptPause = std::chrono::milliseconds(100);

}  // namespace

class Collector::Loop {
 public:
  Loop(ListeningSocket& socket, Recording& recording, const FinishWhen& finish_when)
      : socket_(socket),
        recording_(recording),
        once_(finish_when.once),
        control_fd_(finish_when.control_fd),
        listener_(io_),
        control_(io_),
        signals_(io_),
        flush_timer_(io_),
        accept_timer_(io_) {}

  void run() {
    listener_.assign(::dup(socket_.fd()));
    wait_for_peers();
    signals_.add(SIGTERM);
    if (control_fd_ >= 0) {
      control_.assign(control_fd_);
      wait_for_control();
    } else {
      signals_.add(SIGINT);
    }
    signals_.async_wait([this](const asio::error_code& error, int) {
      if (!error) io_.stop();
    });
    io_.run();
    finish();
  }

 private:
  struct Connection {
    Connection(asio::io_context& io, int fd, Recording& recording, uint32_t& next_process)
        : peer(fd, recording, next_process), readable(io, ::dup(fd)) {}
    uint64_t accepted_ns = monotonic_ns();
    Peer peer;
    asio::posix::stream_descriptor readable;
    bool working = false;
  };
  using Handle = std::list<Connection>::iterator;

  void wait_for_peers() {
    listener_.async_wait(asio::posix::stream_descriptor::wait_read, [this](const asio::error_code& error) {
      if (error) return;
      if (accept_peers(kAcceptsPerTurn)) {
        wait_for_peers();
        return;
      }
      // Out of descriptors: the waiting connection would wake the loop again at once.
      accept_timer_.expires_after(kAcceptPause);
      accept_timer_.async_wait([this](const asio::error_code& timer_error) {
        if (!timer_error) wait_for_peers();
      });
    });
  }

  /// Accepts who waits, at most `most`, for the others want their turns, too. False: there are more, but no room.
  bool accept_peers(size_t most) {
    for (size_t i = 0; i < most; ++i) {
      const int fd = connections_.size() < kMaxPeers ? socket_.accept() : -1;
      if (fd < 0 && connections_.size() < kMaxPeers && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
      if (fd < 0) {
        expire_silent_peers(kHelloTimeoutWhenFullNs);
        return false;
      }
      if (!Peer::is_same_user(fd)) {
        recording_.summary.add_notice(Severity::kWarning, "collector", "a connection of another user was refused");
        ::close(fd);
        continue;
      }
      connections_.emplace_back(io_, fd, recording_, processes_);
      if (connections_.size() == 1) start_flushing();
      wait_for_data(std::prev(connections_.end()));
    }
    return true;
  }

  /// Those that have not said who they are. Each is removed when its read sees the end.
  void expire_silent_peers(uint64_t patience_ns) {
    const uint64_t now = monotonic_ns();
    for (auto& connection : connections_) {
      if (connection.peer.process() == nullptr && now - connection.accepted_ns > patience_ns) connection.peer.expire();
    }
  }

  void wait_for_data(Handle connection) {
    connection->readable.async_wait(asio::posix::stream_descriptor::wait_read,
                                    [this, connection](const asio::error_code& error) {
                                      if (!error) read(connection);
                                    });
  }

  void read(Handle connection) {
    if (connection->peer.read(kTurnBytes) == Peer::State::kOpen) wait_for_data(connection);
    work(connection);
  }

  /// One slice of conversion, the next one after the other peers' turns.
  void work(Handle connection) {
    if (connection->working) return;
    ProcessTrace* process = connection->peer.process();
    if (process != nullptr && process->work()) {
      connection->working = true;
      asio::post(io_, [this, connection] {
        connection->working = false;
        work(connection);
      });
      return;
    }
    if (!connection->peer.is_open()) remove(connection);
  }

  void remove(Handle connection) {
    // xsp-run looks whether somebody listens before it starts a program.
    seen_program_ |= connection->peer.process() != nullptr;
    connections_.erase(connection);
    if (!connections_.empty()) return;
    flush_timer_.cancel();
    recording_.writer.flush();
    if (once_ && seen_program_) io_.stop();
  }

  void start_flushing() {
    flush_timer_.expires_after(kFlushPeriod);
    flush_timer_.async_wait([this](const asio::error_code& error) {
      if (error || connections_.empty()) return;
      const uint64_t now = monotonic_ns();
      for (auto& connection : connections_) {
        if (ProcessTrace* process = connection.peer.process()) process->flush_if_due(now);
      }
      recording_.writer.flush();
      expire_silent_peers(kHelloTimeoutNs);
      start_flushing();
    });
  }

  void wait_for_control() {
    control_.async_wait(asio::posix::stream_descriptor::wait_read, [this](const asio::error_code& error) {
      char ignored[64];
      if (!error && ::read(control_.native_handle(), ignored, sizeof ignored) > 0) {
        wait_for_control();
      } else {
        io_.stop();
      }
    });
  }

  /// Connections that wait to be accepted may be of programs that are gone already: they are taken too.
  void finish() {
    accept_peers(kMaxPeers);
    const uint64_t deadline = monotonic_ns() + kDrainNs;
    for (auto& connection : connections_) drain(connection.peer, deadline);
    for (auto& connection : connections_) {
      connection.peer.stop();
      ProcessTrace* process = connection.peer.process();
      while (process != nullptr && process->work()) {
      }
    }
  }

  static void drain(Peer& peer, uint64_t deadline) {
    while (peer.is_open() && peer.has_data() && monotonic_ns() < deadline) peer.read(kTurnBytes);
  }

  asio::io_context io_{1};
  ListeningSocket& socket_;
  Recording& recording_;
  bool once_;
  bool seen_program_ = false;
  int control_fd_;
  uint32_t processes_ = 0;
  std::list<Connection> connections_;
  asio::posix::stream_descriptor listener_;
  asio::posix::stream_descriptor control_;
  asio::signal_set signals_;
  asio::steady_timer flush_timer_;
  asio::steady_timer accept_timer_;
};

Collector::Collector(ListeningSocket& socket, Recording& recording, const FinishWhen& finish_when)
    : loop_(std::make_unique<Loop>(socket, recording, finish_when)) {}

Collector::~Collector() = default;

Status Collector::run() {
  try {
    loop_->run();
  } catch (const std::exception& failure) {
    return Status::error(std::string("the event loop failed (") + failure.what() + ")");
  }
  return Status::ok();
}

}  // namespace xsp
