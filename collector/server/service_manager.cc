#include "collector/server/service_manager.h"

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace xsp {
namespace {

constexpr int kFirstPassed = 3;

/// The number in a variable; -1 if it is not set or not a number.
int64_t number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return -1;
  int64_t number = -1;
  const std::string_view digits(text);
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return failed == std::errc() && end == digits.data() + digits.size() ? number : -1;
}

}  // namespace

Status ServiceManager::take_socket(int* fd) {
  *fd = -1;
  const int64_t count = number_in("LISTEN_FDS");
  const bool is_ours = number_in("LISTEN_PID") == ::getpid();
  if (!is_ours || count <= 0) return Status();
  for (const char* variable : {"LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"}) ::unsetenv(variable);
  if (count != 1)
    return Status{std::to_string(count) + " sockets were passed on, and one is listened to",
                  "keep one ListenStream= in the .socket unit"};
  *fd = kFirstPassed;
  return Status();
}

ServiceManager::ServiceManager() {
  const char* address = std::getenv("NOTIFY_SOCKET");
  if (address != nullptr && (address[0] == '/' || address[0] == '@') &&
      std::strlen(address) < sizeof(sockaddr_un::sun_path)) {
    address_ = address;
    if (address_[0] == '@') address_[0] = '\0';
  }
  const int64_t pid = number_in("WATCHDOG_PID");
  const int64_t microseconds = number_in("WATCHDOG_USEC");
  // Half of the watchdog's period, in nanoseconds.
  if (microseconds > 0 && (pid == -1 || pid == ::getpid())) period_ns_ = static_cast<uint64_t>(microseconds) * 500;
  for (const char* variable : {"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"}) ::unsetenv(variable);
}

void ServiceManager::is_alive(uint64_t now_ns) {
  if (period_ns_ == 0 || now_ns < told_ns_ + period_ns_) return;
  told_ns_ = now_ns;
  send("WATCHDOG=1");
}

void ServiceManager::send(const std::string& state) const {
  if (address_.empty()) return;
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, address_.data(), address_.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
  (void)::sendto(fd, state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                 reinterpret_cast<const sockaddr*>(&address), size);
  ::close(fd);
}

}  // namespace xsp
