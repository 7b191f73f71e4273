#include "collector/server/service_manager.h"

#include <cstdlib>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/server/listening_socket.h"
#include "collector/server/peer_permission.h"
#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp::test {
namespace {

void set_listen(const std::string& pid, const std::string& count) {
  ::setenv("LISTEN_PID", pid.c_str(), 1);
  ::setenv("LISTEN_FDS", count.c_str(), 1);
}

TEST_CASE("a socket is taken if it was passed on to this process, and only one") {
  const std::string own = std::to_string(::getpid());
  int fd = 7;
  set_listen(own, "1");
  REQUIRE(ServiceManager::take_socket(&fd).ok());
  CHECK(fd == 3);
  CHECK(std::getenv("LISTEN_FDS") == nullptr);
  REQUIRE(ServiceManager::take_socket(&fd).ok());
  CHECK(fd == -1);
  set_listen(std::to_string(::getpid() + 1), "1");
  REQUIRE(ServiceManager::take_socket(&fd).ok());
  CHECK(fd == -1);
  for (const char* count : {"", "x", "-1", "0", "1x", "99999999999999999999"}) {
    set_listen(own, count);
    CHECK(ServiceManager::take_socket(&fd).ok());
    CHECK(fd == -1);
  }
  set_listen(own, "2");
  CHECK_FALSE(ServiceManager::take_socket(&fd).ok());
  ::unsetenv("LISTEN_PID");
  ::unsetenv("LISTEN_FDS");
}

TEST_CASE("a socket that was passed on says where it listens") {
  TemporaryFolder folder;
  ListeningSocket socket;
  REQUIRE(socket.bind(folder / "s").ok());
  CHECK(ListeningSocket::path_of(socket.fd()) == folder / "s");
  CHECK(ListeningSocket::path_of(-1).empty());
  const int nameless = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(ListeningSocket::path_of(nameless).empty());
  ::close(nameless);
}

TEST_CASE("what is told reaches a socket in a folder and an abstract one") {
  TemporaryFolder folder;
  for (const bool is_abstract : {false, true}) {
    const std::string name = is_abstract ? "@xsp-test-" + std::to_string(::getpid()) : folder / "notify";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof address.sun_path - 1);
    if (is_abstract) address.sun_path[0] = '\0';
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    REQUIRE(::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) == 0);
    ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
    ::setenv("WATCHDOG_USEC", "2000000", 1);
    ServiceManager manager;
    CHECK(manager.is_there());
    const auto heard = [&] {
      char text[64];
      const ssize_t got = ::recv(fd, text, sizeof text, 0);
      return std::string(text, got > 0 ? static_cast<size_t>(got) : 0);
    };
    manager.is_ready();
    CHECK(heard() == "READY=1");
    manager.is_alive(10'000'000'000);
    CHECK(heard() == "WATCHDOG=1");
    manager.is_alive(10'900'000'000);
    CHECK(heard().empty());
    manager.is_alive(11'000'000'000);
    CHECK(heard() == "WATCHDOG=1");
    manager.is_stopping();
    CHECK(heard() == "STOPPING=1");
    ::close(fd);
  }
  ServiceManager nobody;
  CHECK_FALSE(nobody.is_there());
  nobody.is_ready();
}

TEST_CASE("who may send: the own user, and whom the options name") {
  int fds[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
  CHECK(PeerPermission().lets_in(fds[0]));
  PeerPermission others;
  REQUIRE(others.allow_users("65534,root").ok());
  REQUIRE(others.allow_group("root").ok());
  CHECK(others.lets_in(fds[0]));
  CHECK_FALSE(PeerPermission().allow_users("no-such-user-here").ok());
  CHECK_FALSE(PeerPermission().allow_users("").ok());
  CHECK_FALSE(PeerPermission().allow_group("no-such-group-here").ok());
  int pipe_ends[2];
  REQUIRE(::pipe(pipe_ends) == 0);
  PeerPermission all;
  all.allow_all();
  CHECK_FALSE(all.lets_in(pipe_ends[0]));
  for (const int fd : {fds[0], fds[1], pipe_ends[0], pipe_ends[1]}) ::close(fd);
}

}  // namespace
}  // namespace xsp::test
