#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace xsp {

/// The protocols of systemd for a service (sd_listen_fds(3), sd_notify(3)), without its library.
class ServiceManager {
 public:
  /// Takes the listening socket that LISTEN_FDS passes on; -1 if there is none. More than one is an error. The
  /// variables are removed from the environment.
  static Status take_socket(int* fd);

  /// Reads NOTIFY_SOCKET and WATCHDOG_USEC.
  ServiceManager();
  /// Whether there is a service manager listening.
  bool is_there() const { return !address_.empty(); }

  void is_ready() { send("READY=1"); }
  void is_stopping() { send("STOPPING=1"); }
  /// Reports to the watchdog, twice per watchdog period.
  void is_alive(uint64_t now_ns);

 private:
  void send(const std::string& state) const;

  std::string address_;  // an abstract one begins with a null character
  uint64_t period_ns_ = 0;
  uint64_t told_ns_ = 0;
};

}  // namespace xsp
