#pragma once

#include <atomic>
#include <cstdint>

#include "inject/record/process.h"

namespace xsp::guest {

/// The connection of the process, and how its sender ends.
struct SenderState {
  static constexpr ProcessRoom kRoom = ProcessRoom::kSend;

  uint64_t socket_device;  // of our end: shows whether the program has closed it
  uint64_t socket_inode;
  int socket;
  std::atomic<uint32_t> stop_requested;
  std::atomic<void*> lone_sender;  // set while it ends the process, as the only thread that is left
  std::atomic<uint32_t> done;      // futex; 1 when the sender thread has ended
};

}  // namespace xsp::guest
