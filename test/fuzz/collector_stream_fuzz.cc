/// libFuzzer entry for what a peer may send to the collector: the first byte says how the stream is cut into reads, the
/// second whether its shared memory comes from the input as well.
///
///     clang++ -std=c++20 -fsanitize=fuzzer,address,undefined ... test/fuzz/collector_stream_fuzz.cc

#include <cstddef>
#include <cstdint>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/server/peer.h"
#include "proto/versions.h"

namespace {

/// Takes everything and keeps nothing.
class NullFile : public xsp::OutputFile {
 public:
  ssize_t write(const void*, size_t size) override { return static_cast<ssize_t>(size); }
  int truncate(uint64_t) override { return 0; }
  xsp::Status publish() override { return xsp::Status(); }
};

constexpr uint32_t kRings = 2;
constexpr uint32_t kOverflows = 1;
constexpr uint64_t kArenaBytes = 4096;

/// Shared memory with a sound header, the input over everything behind it that matters.
int make_memory(const uint8_t* data, size_t size, uint32_t clock) {
  const uint64_t total = xsp::shm::total_bytes(kRings, kOverflows, kArenaBytes);
  const int fd = ::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(total)) != 0) return fd;
  ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  constexpr size_t kFixed = offsetof(xsp::shm::SharedHeader, rings_used);
  const auto write_at = [&](uint64_t offset, size_t limit) {
    const size_t part = size < limit ? size : limit;
    (void)!::pwrite(fd, data, part, static_cast<off_t>(offset));
    data += part;
    size -= part;
  };
  xsp::shm::SharedHeader header{};
  header.magic = xsp::shm::kMagic;
  header.layout_version = xsp::shm::kLayoutVersion;
  header.total_bytes = total;
  header.arena_offset = xsp::shm::total_bytes(kRings, kOverflows, 0);
  header.arena_bytes = kArenaBytes;
  header.ring_capacity = kRings;
  header.overflow_count = kOverflows;
  header.clock = clock;
  (void)!::pwrite(fd, &header, sizeof header, 0);
  write_at(kFixed, sizeof header - kFixed);
  write_at(header.arena_offset, 256);
  for (uint32_t ring = 0; ring < kRings; ++ring) {
    const uint64_t at = xsp::shm::kRingsOffset + ring * uint64_t{xsp::shm::kRingStride};
    write_at(at, 128);
    write_at(at + offsetof(xsp::shm::RingHeader, open), 96);
    write_at(at + xsp::shm::kPage, 512);
  }
  return fd;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const size_t read_size = size_t{data[0]} + 1;
  const bool with_memory = (data[1] & 1) != 0;
  const uint32_t clock = data[1] >> 1 & 1;
  data += 2;
  size -= 2;

  NullFile file;
  xsp::TraceWriter writer(file, 4096);
  xsp::Recording recording(writer);
  uint32_t processes = 0;
  xsp::Peer peer(-1, recording, processes);
  if (with_memory) {
    // A Hello of our own, so that the input decides about rings and records at once.
    uint8_t hello[64];
    xsp::WireWriter out(hello, sizeof hello);
    auto packet = out.begin(1);
    auto body = out.begin(4);
    out.uint64(1, xsp::kProtocolVersion);
    out.uint64(7, clock);
    out.uint64(8, xsp::shm::total_bytes(kRings, kOverflows, kArenaBytes));
    out.end(body);
    out.end(packet);
    const size_t part = size / 2;
    peer.receive(out.data(), out.size(), {make_memory(data, part, clock)});
    data += part;
    size -= part;
  }
  while (size > 0 && peer.is_open()) {
    const size_t part = size < read_size ? size : read_size;
    peer.receive(data, part);
    data += part;
    size -= part;
  }
  if (peer.is_open()) peer.disconnect();
  while (peer.process() != nullptr && peer.process()->work()) {
  }
  writer.flush();
  return 0;
}
