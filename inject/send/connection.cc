#include "inject/send/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/guard/mapped_memory.h"
#include "inject/record/posted_packets.h"
#include "inject/send/process_packets.h"
#include "inject/send/sender.h"
#include "inject/send/sender_state.h"
#include "inject/send/unrecorded_note.h"
#include "proto/socket_address.h"
#include "proto/unrecorded.h"

namespace xsp::guest {
namespace {

// Room for the command line (8 KiB at most), the executable's path and the environment's few names.
constexpr size_t kGreetingBytes = size_t{16} * 1024;

bool send_with_descriptor(int socket, const void* bytes, size_t length, int descriptor) {
  iovec part{const_cast<void*>(bytes), length};
  // With the Hello in one message: the collector takes the descriptor with the packet that announces it.
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* attachment = CMSG_FIRSTHDR(&message);
  attachment->cmsg_level = SOL_SOCKET;
  attachment->cmsg_type = SCM_RIGHTS;
  attachment->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(attachment), &descriptor, sizeof descriptor);
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(length);
}

/// A program whose standard streams are closed would write to the descriptor that gets their number. Other low numbers
/// are avoided, too, as programs expect to get them in order.
int above_standard_streams(int descriptor) {
  if (descriptor < 0) return descriptor;
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 200);
  // RLIMIT_NOFILE may not allow 200.
  if (moved < 0) moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  const int error = errno;
  close(descriptor);
  errno = error;
  return moved;
}

/// Whether the listener is this user or root. A path that is no longer in use may belong to someone else by now, who
/// would be sent the names of what runs here.
bool is_trusted(int connection) {
  ucred listener{};
  socklen_t size = sizeof listener;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &listener, &size) == 0 &&
         (listener.uid == geteuid() || listener.uid == 0);
}

bool connects(int connection, const SocketAddress& to) { return connect(connection, to.generic(), to.length) == 0; }

/// Whether the path of the socket cannot be seen from here: other mounts, or another user's folder.
bool is_hidden(int error) { return error == ENOENT || error == EACCES || error == ENOTDIR || error == EPERM; }

/// A connection to the collector of this process, or -1; where there was no descriptor for one, that is noted.
int connect_to_collector(const Settings& settings) {
  const int connection = above_standard_streams(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (connection < 0) {
    if (is_out_of_descriptors(errno)) leave_unrecorded_note(settings, unrecorded::kNoDescriptor);
    return -1;
  }
  // Not blocking: a collector that does not accept must not hold up the program. A full backlog counts as no collector.
  const char* path = settings.socket_path;
  const bool is_connected =
      connects(connection, path_address(path)) || (is_hidden(errno) && connects(connection, abstract_address(path)));
  if (is_connected && is_trusted(connection)) return connection;
  close(connection);
  return -1;
}

}  // namespace

bool owns_connection(const Process& process) {
  struct stat status;
  const auto& own = process.of<SenderState>();
  return fstat(own.socket, &status) == 0 && status.st_dev == own.socket_device && status.st_ino == own.socket_inode;
}

bool is_connected(const Process& process) {
  const int socket = process.of<SenderState>().socket;
  struct stat status;
  if (fstat(socket, &status) == 0 && !owns_connection(process)) return false;
  pollfd end{socket, 0, 0};
  return poll(&end, 1, 0) >= 0 && (end.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0;
}

bool connect_and_greet(Process& process) {
  const int connection = connect_to_collector(process.settings);
  const MappedMemory buffer(kGreetingBytes);
  WireWriter writer(buffer.data(), buffer.size());
  struct stat status;
  bool greeted = false;
  if (connection >= 0 && fstat(connection, &status) == 0) {
    auto& own = process.of<SenderState>();
    own.socket = connection;
    // What identifies our end when the program has closed it and a file of its own has the number.
    own.socket_device = status.st_dev;
    own.socket_inode = status.st_ino;
    write_hello(writer, process, process.region.bytes);
    greeted =
        !writer.failed() && send_with_descriptor(connection, writer.data(), writer.size(), process.region.descriptor);
  }
  // The collector has its own copy and we have the mapping: one descriptor less that the program could meet.
  close(process.region.descriptor);
  process.region.descriptor = -1;
  if (!greeted && connection >= 0) close(connection);
  return greeted;
}

void say_why_off(Process& process, const char* why) {
  const int connection = connect_to_collector(process.settings);
  if (connection < 0) return;
  const MappedMemory buffer(kGreetingBytes);
  WireWriter writer(buffer.data(), buffer.size());
  write_hello(writer, process, 0);
  write_notice(writer, 2, "guest", why);
  write_goodbye(writer);
  if (!writer.failed()) send(connection, writer.data(), writer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  close(connection);
}

bool send_all(Process& process, const void* bytes, size_t length) {
  const auto* from = static_cast<const char*>(bytes);
  const int socket = process.of<SenderState>().socket;
  if (!owns_connection(process)) return false;
  while (length > 0) {
    const ssize_t sent = send(socket, from, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      from += sent;
      length -= static_cast<size_t>(sent);
      continue;
    }
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN) return false;
    pollfd writable{socket, POLLOUT, 0};
    // Bounded, so that a descriptor that the program closes meanwhile is noticed.
    poll(&writable, 1, 100);
    if ((writable.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0 || !owns_connection(process)) return false;
  }
  return true;
}

}  // namespace xsp::guest
