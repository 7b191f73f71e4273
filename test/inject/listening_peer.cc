#include "test/inject/listening_peer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "proto/span_columns.h"

namespace xsp::test {
namespace {

struct Connection {
  int socket = -1;
  int memory = -1;
  std::string bytes;
};

/// False at the end of the stream.
bool receive(Connection& connection) {
  char buffer[65536];
  iovec part{buffer, sizeof buffer};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t length = recvmsg(connection.socket, &message, MSG_DONTWAIT);
  if (length <= 0) return length < 0 && errno == EAGAIN;
  if (const cmsghdr* attachment = CMSG_FIRSTHDR(&message)) {
    std::memcpy(&connection.memory, CMSG_DATA(attachment), sizeof connection.memory);
  }
  connection.bytes.append(buffer, static_cast<size_t>(length));
  return true;
}

int32_t unzigzag(uint32_t value) { return static_cast<int32_t>(value >> 1) ^ -static_cast<int32_t>(value & 1); }

void add_spans(const SpanBatch& batch, Received& received) {
  auto& next = received.next_record[batch.ring()];
  if (batch.first_record() < next) std::abort();
  received.left_out += batch.first_record() - next;
  next = batch.first_record();
  next += batch.record_count();
  auto at = [](const auto& column, int i) { return i < column.size() ? column.Get(i) : 0; };
  uint64_t begin = 0;
  uint32_t id = 0;
  for (int i = 0; i < static_cast<int>(batch.count()); ++i) {
    begin += static_cast<uint64_t>(at(batch.begin(), i));
    id += static_cast<uint32_t>(unzigzag(at(batch.id(), i)));
    ReceivedSpan span{};
    span.name = received.strings.at(at(batch.name(), i));
    span.type = received.strings.at(at(batch.type(), i));
    span.id = id;
    span.parent = at(batch.parent(), i) == 0 ? 0 : id - at(batch.parent(), i);
    span.level = at(batch.level_kind(), i) & 7;
    span.kind = at(batch.level_kind(), i) >> 3;
    span.ring = batch.ring();
    span.thread = batch.thread();
    span.start_thread = at(batch.start_thread(), i);
    span.begin = begin;
    span.end = begin + at(batch.duration(), i);
    span.shallow = at(batch.shallow(), i) != 0;
    received.spans.push_back(span);
  }
}

void add_activities(const ActivityBatch& batch, Received& received) {
  auto& next = received.next_record[batch.ring()];
  if (batch.first_record() != next) std::abort();
  next += batch.record_count();
  uint64_t latest = 0;
  for (const Packet& packet : received.trace.packet()) {
    if (packet.has_activities() && &packet.activities() == &batch) break;
    if (packet.has_clock() && packet.clock().clock() == batch.clock()) latest = packet.clock().ticks();
  }
  const auto at = [](const auto& column, int i) { return i < column.size() ? column.Get(i) : 0; };
  uint64_t begin = 0;
  DistanceColumn correlations;
  DistanceColumn nodes;
  for (int i = 0; i < static_cast<int>(batch.count()); ++i) {
    begin += static_cast<uint64_t>(at(batch.begin(), i));
    const ActivityBatch::Queue& queue = batch.queue(static_cast<int>(at(batch.queue_index(), i)));
    ReceivedActivity activity{};
    activity.name = received.strings.at(at(batch.name(), i));
    activity.configuration = received.strings.at(at(batch.configuration(), i));
    activity.level = at(batch.level_kind(), i) & 7;
    activity.kind = at(batch.level_kind(), i) >> 3;
    activity.ring = batch.ring();
    activity.device = queue.device();
    activity.context = queue.context();
    activity.stream = queue.stream();
    activity.correlation = static_cast<uint32_t>(correlations.decode(at(batch.correlation(), i)));
    activity.graph_node = nodes.decode(at(batch.graph_node(), i));
    activity.graph = at(batch.graph(), i);
    activity.bytes = at(batch.bytes(), i);
    activity.begin = begin;
    activity.end = begin + at(batch.duration(), i);
    activity.clock = batch.clock();
    activity.after_clock = activity.end <= latest;
    received.activities.push_back(activity);
  }
}

Received decode(const Connection& connection) {
  Received received;
  received.strings.emplace_back();
  // A killed guest may leave a torn packet: what came before is parsed as far as it goes.
  if (!received.trace.ParseFromString(connection.bytes)) received.trace.ParsePartialFromString(connection.bytes);
  for (const Packet& packet : received.trace.packet()) {
    if (packet.has_hello()) received.hello = packet.hello();
    if (packet.has_strings()) {
      if (packet.strings().first_id() != received.strings.size()) std::abort();
      for (const auto& text : packet.strings().text()) received.strings.push_back(text);
    }
    if (packet.has_spans()) add_spans(packet.spans(), received);
    if (packet.has_activities()) add_activities(packet.activities(), received);
    if (packet.has_process_end()) received.goodbye = true;
  }
  struct stat status;
  if (connection.memory >= 0 && fstat(connection.memory, &status) == 0) {
    const auto size = static_cast<size_t>(status.st_size);
    void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, connection.memory, 0);
    const auto* header = static_cast<const shm::SharedHeader*>(mapped);
    // Only the rings that were used: the rest is sparse. Of overflow areas those that any ring has records in.
    const auto* base = static_cast<const uint8_t*>(mapped);
    const uint32_t rings = header->rings_used.load();
    received.memory.assign(base, base + shm::kRingsOffset + rings * shm::kRingStride);
    for (uint32_t i = 0; i < rings; ++i) {
      for (const shm::Stretch& stretch : received.ring(i)->stretches) {
        const uint32_t memory = stretch.memory.load();
        if (memory == 0 || received.overflows.count(memory) != 0) continue;
        const uint8_t* area = base + shm::overflow_offset(header->ring_capacity, memory - 1);
        received.overflows[memory].assign(area, area + shm::kOverflowBytes);
      }
    }
    munmap(mapped, size);
  }
  return received;
}

}  // namespace

uint64_t Received::loss(Loss::Reason reason) const {
  uint64_t count = 0;
  for (const Packet& packet : trace.packet()) {
    if (packet.has_loss() && packet.loss().reason() == reason) count = packet.loss().count();
  }
  return count;
}

std::string Received::notices() const {
  std::string texts;
  for (const Packet& packet : trace.packet()) {
    if (packet.has_notice()) texts += packet.notice().component() + ": " + packet.notice().text() + "\n";
  }
  return texts;
}

std::vector<std::string> Received::span_names() const {
  std::vector<std::string> names;
  for (const auto& span : spans) names.push_back(span.name);
  return names;
}

std::vector<std::string> Received::left_in_rings() const {
  std::vector<std::string> names;
  if (memory.size() < shm::kRingsOffset) return names;  // killed before it handed its memory over
  const auto* header = reinterpret_cast<const shm::SharedHeader*>(memory.data());
  for (uint32_t i = 0; i < header->rings_used.load(); ++i) {
    const auto known = next_record.find(i);
    const uint64_t head = ring(i)->head.load();
    for (uint64_t at = known == next_record.end() ? 0 : known->second; at < head; ++at) {
      const uint32_t in = shm::placement_of(*ring(i), at).memory;
      const uint8_t* first = in == 0 ? reinterpret_cast<const uint8_t*>(ring(i)) + shm::kPage : overflows.at(in).data();
      const shm::Record& record = reinterpret_cast<const shm::Record*>(first)[at % shm::records_in(in)];
      if (shm::is_unfinished(record, at, head)) continue;
      if (record.sequence != static_cast<uint32_t>(at + 1)) std::abort();
      names.push_back(record.name < strings.size() ? strings[record.name] : "?");
    }
  }
  return names;
}

ListeningPeer::ListeningPeer() {
  char directory[] = "/tmp/xsp-test-XXXXXX";
  directory_ = mkdtemp(directory);
  path_ = directory_ + "/socket";
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.c_str(), path_.size());
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(listener_, 64) != 0) {
    std::abort();
  }
}

ListeningPeer::~ListeningPeer() {
  close(listener_);
  unlink(path_.c_str());
  rmdir(directory_.c_str());
}

std::vector<Received> ListeningPeer::run(const std::function<void()>& program, int* status) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("XSP_SOCKET", path_.c_str(), 1);
    program();
    std::exit(0);
  }
  std::vector<Connection> connections;
  bool child_running = true;
  size_t open_connections = 0;
  int child_status = 0;
  while (child_running || open_connections > 0) {
    std::vector<pollfd> sockets{{listener_, POLLIN, 0}};
    for (const auto& connection : connections) sockets.push_back({connection.socket, POLLIN, 0});
    poll(sockets.data(), sockets.size(), 20);
    if ((sockets[0].revents & POLLIN) != 0) {
      Connection connection;
      connection.socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      connections.push_back(connection);
      open_connections++;
    }
    for (size_t i = 1; i < sockets.size(); ++i) {
      Connection& connection = connections[i - 1];
      if (connection.socket < 0 || sockets[i].revents == 0) continue;
      if (!receive(connection)) {
        close(connection.socket);
        connection.socket = -1;
        open_connections--;
      }
    }
    if (child_running && waitpid(child, &child_status, WNOHANG) == child) {
      child_running = false;
    }
  }
  if (status != nullptr) *status = child_status;
  std::vector<Received> all;
  for (const auto& connection : connections) {
    all.push_back(decode(connection));
    if (all.back().left_out != 0 && !may_leave_out_) std::abort();
    if (connection.memory >= 0) close(connection.memory);
  }
  return all;
}

}  // namespace xsp::test
