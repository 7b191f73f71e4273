#pragma once

#include <memory>

#include "collector/recording/recording.h"
#include "collector/server/listening_socket.h"
#include "collector/server/peer_permission.h"

namespace xsp {

/// When the collector stops.
struct FinishWhen {
  /// When this descriptor reaches its end; whoever holds the other end writes a byte first, unless it died. If -1,
  /// SIGINT or SIGTERM finish instead, and SIGHUP if the trace is one file.
  int control_fd = -1;
  /// Also when the last program has left.
  bool once = false;
};

class ServiceManager;

/// The event loop: accepts peers that `permission` lets in, reads them in turns, converts profiles in slices, and
/// flushes what waits.
class Collector {
 public:
  Collector(ListeningSocket& socket, Recording& recording, const FinishWhen& finish_when,
            const PeerPermission& permission = {}, ServiceManager* manager = nullptr);
  ~Collector();

  /// Adds a second socket to listen on, before run(). It must outlive the collector.
  void listen_also_on(ListeningSocket& socket);

  /// Whether a byte came before the end of the control descriptor.
  bool was_told_to_finish() const;

  /// Runs until it has to finish, then drains and ends every process. Errors are those of the event loop itself.
  Status run();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace xsp
