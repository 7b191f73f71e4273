#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "collector/messages/packet_stream.h"
#include "collector/process/process_trace.h"
#include "collector/recording/recording.h"

namespace xsp {

/// One connection: receives the stream of a guest, first its Hello and shared memory, and feeds its ProcessTrace. Its
/// input is hostile; a peer that violates the format or a limit is cut off.
class Peer {
 public:
  enum class State { kOpen, kGone };

  /// Owns `fd`, a connected, non-blocking Unix socket. `next_process` numbers processes over all peers.
  Peer(int fd, Recording& recording, uint32_t& next_process);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// Reads at most `limit` bytes of what has arrived. At the end of the stream, or when the peer breaks a rule, the
  /// process is ended and kGone returned.
  State read(size_t limit);
  /// Whether bytes, or the end, can be read at once.
  bool has_data() const;
  /// What read() does with the bytes it gets. Takes ownership of `fds`, which came with them.
  State receive(const uint8_t* data, size_t size, std::vector<int> fds = {});
  /// The stream has ended.
  void disconnect();
  /// The collector cannot continue with it.
  void cut_off(const std::string& why);
  /// It has taken too long to send its Hello: ends the stream, which the next read() sees.
  void expire();
  /// The trace is being finished: ends a process that is still running.
  void stop();

  bool is_open() const { return open_; }
  /// Whose program it is; empty if the kernel does not say.
  std::optional<uid_t> user() const { return user_; }
  /// Null before the Hello.
  ProcessTrace* process() { return process_.get(); }

 private:
  /// What messages call the process.
  std::string name() const;
  /// Checks how much of an unfinished packet it holds.
  Status check_unfinished();
  Status receive_packet(const uint8_t* data, size_t size);
  Status receive_hello(protozero::data_view bytes);
  void close_fds();

  int fd_;
  Recording& recording_;
  uint32_t& next_process_;
  pid_t pid_ = 0;
  std::optional<uid_t> user_;
  bool open_ = true;
  std::vector<int> received_fds_;
  PacketStream stream_;
  size_t unfinished_ = 0;  // its part of Recording::unfinished_bytes
  std::unique_ptr<ProcessTrace> process_;
};

}  // namespace xsp
