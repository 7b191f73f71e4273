#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "collector/server/peer.h"
#include "test/collector/fake_guest.h"
#include "test/collector/memory_file.h"

namespace xsp::test {

/// A collector without its loop: a peer that is fed bytes by hand.
struct PeerBench {
  Peer::State receive(const std::string& bytes, std::vector<int> fds = {}) {
    return peer.receive(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), std::move(fds));
  }
  /// The trace, once the peer is gone and all work is done.
  Trace finish() {
    if (peer.is_open()) peer.disconnect();
    while (peer.process() != nullptr && peer.process()->work()) {
    }
    writer.flush();
    return parse_trace(file.bytes);
  }

  MemoryFile file;
  TraceWriter writer{file};
  Recording recording{writer};
  uint32_t processes = 0;
  Peer peer{-1, recording, processes};
};

/// A packet's bytes as the socket carries them.
inline std::string with(const std::function<void(Packet&)>& fill) {
  Packet packet;
  fill(packet);
  return framed(packet);
}

}  // namespace xsp::test
