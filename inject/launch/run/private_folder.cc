#include "inject/launch/run/private_folder.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "proto/socket_address.h"

namespace xsp::launch {
namespace {

constexpr size_t kSocketPathMax = sizeof(sockaddr_un::sun_path) - 1;
/// Every process of the command connects once, and connects without blocking: a short queue would turn ranks away.
constexpr int kBacklog = 4096;

}  // namespace

std::string environment_folder(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

PrivateFolder::~PrivateFolder() { remove_now(); }

void PrivateFolder::remove_now() {
  if (path_.empty() || keep_) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  path_.clear();
}

Status PrivateFolder::create() {
  std::string why;
  for (const std::string& base :
       {environment_folder("TMPDIR"), std::string("/tmp"), environment_folder("XDG_RUNTIME_DIR")}) {
    if (base.empty()) continue;
    std::string pattern = base + "/xsp-XXXXXX";
    if (pattern.size() + std::strlen("/collector") > kSocketPathMax) continue;
    if (mkdtemp(pattern.data()) == nullptr) {
      why = fmt::format("{}: {}", base, std::strerror(errno));
      continue;
    }
    path_ = pattern;
    if (mkdir(scratch_path().c_str(), 0700) == 0) return {};
    return {fmt::format("cannot make {} ({})", scratch_path(), std::strerror(errno))};
  }
  return {fmt::format("cannot make a private folder ({})", why), "set TMPDIR to a writable folder"};
}

Status PrivateFolder::listen(OwnedFd* listener) const {
  listener->reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const std::string path = socket_path();
  const SocketAddress address = path_address(path.c_str());
  // Before it has a name: the folder keeps others out, and so should the socket.
  if (!*listener || fchmod(listener->get(), 0600) != 0 ||
      bind(listener->get(), address.generic(), address.length) != 0 || ::listen(listener->get(), kBacklog) != 0) {
    return {fmt::format("cannot listen on {} ({})", path, std::strerror(errno)),
            "Unix sockets are needed; set TMPDIR to a folder on a local file system"};
  }
  return {};
}

OwnedFd PrivateFolder::listen_beyond_folder() const {
  OwnedFd listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress address = abstract_address(socket_path().c_str());
  if (!listener || bind(listener.get(), address.generic(), address.length) != 0 ||
      ::listen(listener.get(), kBacklog) != 0) {
    listener.reset();
  }
  return listener;
}

}  // namespace xsp::launch
