#include "collector/server/collector.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <list>
#include <utility>

#include <unistd.h>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>

#include "base/monotonic_clock.h"
#include "collector/messages/peer_limits.h"
#include "collector/recording/part_sequence.h"
#include "collector/server/admission.h"
#include "collector/server/attempts.h"
#include "collector/server/peer.h"
#include "collector/server/service_manager.h"

namespace xsp {
namespace {

constexpr auto kFlushPeriod = std::chrono::seconds(1);
constexpr uint64_t kDrainNs = 2'000'000'000;  // for peers that keep sending while the trace is being finished
constexpr size_t kAcceptsPerTurn = 256;
constexpr auto kAcceptPause = std::chrono::milliseconds(100);

/// Whether a signal was ignored before the collector started: nohup ignores SIGHUP, and that must stay so.
bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

class Collector::Loop {
 public:
  Loop(ListeningSocket& socket, Recording& recording, const FinishWhen& finish_when, const PeerPermission& permission,
       ServiceManager* manager)
      : recording_(recording),
        admission_(permission, recording),
        manager_(manager),
        once_(finish_when.once),
        control_fd_(finish_when.control_fd),
        control_(io_),
        signals_(io_),
        end_of_part_(io_),
        flush_timer_(io_) {
    listen_on(socket);
  }

  bool was_told_to_finish() const { return was_told_to_finish_; }

  void listen_on(ListeningSocket& socket) { doors_.emplace_back(io_, socket); }

  Status run() {
    for (Door& door : doors_) {
      door.readable.assign(door.socket.fd());
      wait_for_peers(door);
    }
    signals_.add(SIGTERM);
    if (control_fd_ >= 0) {
      control_.assign(control_fd_);
      wait_for_control();
    } else {
      signals_.add(SIGINT);
      if (recording_.parts == nullptr && !is_ignored(SIGHUP)) signals_.add(SIGHUP);
    }
    signals_.async_wait([this](const asio::error_code& error, int) {
      if (!error) io_.stop();
    });
    if (recording_.parts != nullptr && control_fd_ < 0) {
      end_of_part_.add(SIGHUP);
      wait_for_end_of_part();
    }
    if (is_always_busy()) start_flushing();
    // A failure here must not take what other programs have recorded with it: the trace is finished all the same.
    attempt("the event loop failed", [this] { io_.run(); });
    attempt("the recording could not be finished", [this] { finish(); });
    return attempts_.status();
  }

 private:
  /// A socket on which peers connect.
  struct Door {
    Door(asio::io_context& io, ListeningSocket& of) : socket(of), readable(io), pause(io) {}
    // The ListeningSocket owns the descriptor: asio must not close it.
    ~Door() {
      if (readable.is_open()) readable.release();
    }
    ListeningSocket& socket;
    asio::posix::stream_descriptor readable;
    asio::steady_timer pause;
  };
  struct Connection {
    Connection(asio::io_context& io, int fd, Recording& recording, uint32_t& next_process)
        : peer(fd, recording, next_process), readable(io) {}
    ~Connection() { readable.release(); }
    uint64_t accepted_ns = monotonic_ns();
    Peer peer;  // owns the descriptor
    asio::posix::stream_descriptor readable;
    bool working = false;
  };
  using Handle = std::list<Connection>::iterator;

  template <typename Work>
  bool attempt(const char* what, Work&& work) {
    return attempts_.attempt(what, std::forward<Work>(work));
  }

  /// Does one program's part of the work. If memory for it is lacking, that program is cut off (false), and the others
  /// continue.
  template <typename Work>
  bool attempt_for(Handle connection, Work&& work) {
    if (attempt("a program could not be recorded to its end", work)) return true;
    attempt("a program could not be ended", [&] { connection->peer.cut_off("out of memory"); });
    return false;
  }

  /// Converts a slice of a program's profiles. Returns whether there is more. If memory for it is lacking, the process
  /// ends as it is.
  bool convert(Handle connection) {
    ProcessTrace* process = connection->peer.process();
    bool more = false;
    if (process == nullptr || attempt_for(connection, [&] { more = process->work(); })) return more;
    attempt("a program could not be ended", [&] { process->give_up(); });
    return false;
  }

  void rotate_if_due() {
    attempt("a part could not be ended", [this] { recording_.rotate_if_due(monotonic_ns()); });
  }

  void wait_for_peers(Door& door) {
    door.readable.async_wait(asio::posix::stream_descriptor::wait_read, [this, &door](const asio::error_code& error) {
      if (error) return;
      bool has_room = false;
      attempt("programs could not be accepted", [&] { has_room = accept_peers(door.socket, kAcceptsPerTurn); });
      if (has_room) {
        wait_for_peers(door);
        return;
      }
      // Out of descriptors or memory: without a pause the waiting connection would wake the loop again at once.
      door.pause.expires_after(kAcceptPause);
      door.pause.async_wait([this, &door](const asio::error_code& timer_error) {
        if (!timer_error) wait_for_peers(door);
      });
    });
  }

  /// Accepts at most `most` of the waiting connections, as the other peers need their turns, too. False: more are
  /// waiting, but there is no room.
  bool accept_peers(ListeningSocket& socket, size_t most) {
    for (size_t i = 0; i < most; ++i) {
      const bool has_room = admission_.has_room(connections_.size());
      const int fd = has_room ? socket.accept() : -1;
      if (fd < 0 && has_room && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
      if (fd < 0) {
        expire_silent_peers(kHelloTimeoutWhenFullNs);
        return false;
      }
      const auto connections_of = [this](uid_t user) {
        return static_cast<size_t>(std::count_if(connections_.begin(), connections_.end(),
                                                 [&](const Connection& other) { return other.peer.user() == user; }));
      };
      if (admission_.lets_in(fd, connections_of)) {
        take(fd);
      } else {
        ::close(fd);
      }
    }
    return true;
  }

  /// If a connection cannot be watched (no memory, no room in the kernel's tables), its program continues unrecorded.
  void take(int fd) {
    const size_t before = connections_.size();
    const bool is_watched = attempt("a connection was refused", [&] {
      connections_.emplace_back(io_, fd, recording_, processes_);
      connections_.back().readable.assign(fd);
      if (before == 0 && !is_always_busy()) start_flushing();
      wait_for_data(std::prev(connections_.end()));
    });
    if (is_watched) return;
    if (connections_.size() != before) {
      connections_.pop_back();
    } else {
      ::close(fd);
    }
  }

  /// Ends connections that have not sent their Hello. Each is removed when its read sees the end.
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
    attempt_for(connection, [&] {
      if (connection->peer.read(kTurnBytes) == Peer::State::kOpen) wait_for_data(connection);
    });
    rotate_if_due();
    work(connection);
  }

  /// Converts one slice; the next one comes after the other peers' turns.
  void work(Handle connection) {
    if (connection->working) return;
    if (convert(connection)) {
      rotate_if_due();
      if (attempt("a profile could not be converted further", [&] {
            asio::post(io_, [this, connection] {
              connection->working = false;
              work(connection);
            });
          })) {
        connection->working = true;
        return;
      }
      // A peer that is still open is tried again when it sends something.
      if (!connection->peer.is_open())
        attempt("a program could not be ended", [&] { connection->peer.process()->give_up(); });
    }
    if (!connection->peer.is_open()) remove(connection);
  }

  void remove(Handle connection) {
    // Only connections with a Hello count for --once: xsp-run connects before it starts a program, to check that
    // somebody is listening.
    seen_program_ |= connection->peer.process() != nullptr;
    connections_.erase(connection);
    if (!connections_.empty()) return;
    if (!is_always_busy()) flush_timer_.cancel();
    recording_.writer.flush();
    if (once_ && seen_program_) io_.stop();
  }

  /// Whether the timer runs even with nobody connected: parts get old, and the service manager expects to hear from us.
  bool is_always_busy() const { return recording_.parts != nullptr || manager_ != nullptr; }

  void start_flushing() {
    // Each step below is attempted on its own: a failing one must not keep the others from running, or stop the timer.
    flush_timer_.expires_after(kFlushPeriod);
    flush_timer_.async_wait([this](const asio::error_code& error) {
      if (error || (connections_.empty() && !is_always_busy())) return;
      const uint64_t now = monotonic_ns();
      attempt("what waits could not be written", [&] {
        for (auto& connection : connections_) {
          if (ProcessTrace* process = connection.peer.process()) process->flush_if_due(now);
        }
      });
      attempt("a part could not be ended", [&] { recording_.tick(now); });
      attempt("the trace could not be written", [&] {
        recording_.writer.flush();
        if (manager_ != nullptr) manager_->is_alive(now);
      });
      attempt("a silent program could not be cut off", [&] { expire_silent_peers(kHelloTimeoutNs); });
      start_flushing();
    });
  }

  void wait_for_end_of_part() {
    end_of_part_.async_wait([this](const asio::error_code& error, int) {
      if (error) return;
      recording_.parts->ask_for_end();
      rotate_if_due();
      wait_for_end_of_part();
    });
  }

  void wait_for_control() {
    control_.async_wait(asio::posix::stream_descriptor::wait_read, [this](const asio::error_code& error) {
      char ignored[64];
      if (!error && ::read(control_.native_handle(), ignored, sizeof ignored) > 0) {
        was_told_to_finish_ = true;
        wait_for_control();
      } else {
        io_.stop();
      }
    });
  }

  /// Connections still waiting to be accepted are taken, too: their programs may be gone already, with records left in
  /// the socket.
  void finish() {
    if (manager_ != nullptr) manager_->is_stopping();
    const uint64_t deadline = monotonic_ns() + kDrainNs;
    bool all_accepted = true;
    const auto accept_all = [&] {
      all_accepted = true;
      for (Door& door : doors_) all_accepted = accept_peers(door.socket, kMaxPeers) && all_accepted;
    };
    attempt("programs could not be accepted", accept_all);
    finish_peers(deadline);
    while (!all_accepted && monotonic_ns() < deadline) {
      // Those are finished; their slots are needed for programs still waiting.
      connections_.clear();
      attempt("programs could not be accepted", accept_all);
      finish_peers(deadline);
    }
  }

  void finish_peers(uint64_t deadline) {
    // All are read before any is ended: the deadline applies to reading, and converting profiles below may take longer.
    for (auto connection = connections_.begin(); connection != connections_.end(); ++connection) {
      attempt_for(connection, [&] { drain(connection->peer, deadline); });
    }
    for (auto connection = connections_.begin(); connection != connections_.end(); ++connection) {
      attempt_for(connection, [&] { connection->peer.stop(); });
      while (convert(connection)) rotate_if_due();
    }
  }

  void drain(Peer& peer, uint64_t deadline) {
    while (peer.is_open() && peer.has_data() && monotonic_ns() < deadline) {
      peer.read(kTurnBytes);
      rotate_if_due();
    }
  }

  asio::io_context io_{1};
  Recording& recording_;
  Admission admission_;
  ServiceManager* manager_;
  bool once_;
  bool seen_program_ = false;
  bool was_told_to_finish_ = false;
  int control_fd_;
  uint32_t processes_ = 0;
  Attempts attempts_;
  std::list<Connection> connections_;
  std::list<Door> doors_;
  asio::posix::stream_descriptor control_;
  asio::signal_set signals_;
  asio::signal_set end_of_part_;
  asio::steady_timer flush_timer_;
};

Collector::Collector(ListeningSocket& socket, Recording& recording, const FinishWhen& finish_when,
                     const PeerPermission& permission, ServiceManager* manager)
    : loop_(std::make_unique<Loop>(socket, recording, finish_when, permission, manager)) {}

Collector::~Collector() = default;

bool Collector::was_told_to_finish() const { return loop_->was_told_to_finish(); }

void Collector::listen_also_on(ListeningSocket& socket) { loop_->listen_on(socket); }

Status Collector::run() {
  try {
    return loop_->run();
  } catch (const std::exception& failure) {
    return Status{std::string("the event loop failed (") + failure.what() + ")"};
  }
}

}  // namespace xsp
