/// Entry for what a dead process leaves in its shared memory: rings, open spans and an arena made of the input, mostly
/// with the sequences that they should have, so that what is in the records is looked at.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/server/peer.h"
#include "proto/versions.h"
#include "test/collector/memory_file.h"
#include "test/fuzz/fuzz_input.h"

namespace {

constexpr uint32_t kRings = 2;
constexpr uint32_t kOverflows = 1;
constexpr uint64_t kArenaBytes = 8192;
constexpr uint32_t kMostRecords = 64;  // of a ring

/// The memory of a guest, written through a mapping and handed over as a descriptor.
class GuestMemory {
 public:
  GuestMemory() : size_(xsp::shm::total_bytes(kRings, kOverflows, kArenaBytes)) {
    fd_ = ::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    (void)!::ftruncate(fd_, static_cast<off_t>(size_));
    ::fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    bytes_ = static_cast<char*>(::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
  }
  ~GuestMemory() { ::munmap(bytes_, size_); }
  GuestMemory(const GuestMemory&) = delete;
  GuestMemory& operator=(const GuestMemory&) = delete;

  uint64_t size() const { return size_; }
  int fd() const { return fd_; }

  void fill(xsp::test::FuzzInput& input, uint32_t clock) {
    auto& header = *reinterpret_cast<xsp::shm::SharedHeader*>(bytes_);
    header.magic = xsp::shm::kMagic;
    header.layout_version = xsp::shm::kLayoutVersion;
    header.total_bytes = size_;
    header.arena_offset = xsp::shm::total_bytes(kRings, kOverflows, 0);
    header.arena_bytes = kArenaBytes;
    header.ring_capacity = kRings;
    header.overflow_count = kOverflows;
    header.clock = clock;
    const uint8_t flaws = input.byte();
    header.rings_used = (flaws & 1) != 0 ? input.number<uint32_t>() : kRings;
    header.goodbye = flaws >> 1 & 1;
    fill_arena(input, header, (flaws & 4) != 0);
    for (uint32_t i = 0; i < kRings; ++i) fill_ring(input, i, (flaws >> (3 + i) & 1) != 0);
  }

 private:
  void fill_arena(xsp::test::FuzzInput& input, xsp::shm::SharedHeader& header, bool is_flawed) {
    uint64_t at = 0;
    uint32_t count = 0;
    for (uint32_t strings = input.byte() % 16; strings > 0 && at + 300 < kArenaBytes; --strings) {
      const std::string_view text = input.take(input.byte());
      const xsp::shm::ArenaEntry entry{is_flawed ? input.number<uint32_t>() : static_cast<uint32_t>(text.size()), 0};
      char* to = bytes_ + header.arena_offset + at;
      std::memcpy(to, &entry, sizeof entry);
      std::memcpy(to + sizeof entry, text.data(), text.size());
      at += sizeof entry + ((text.size() + 7) & ~size_t{7});
      ++count;
    }
    header.string_count = is_flawed ? input.number<uint32_t>() : count;
    header.arena_committed = is_flawed ? input.number<uint64_t>() : at;
  }

  void fill_ring(xsp::test::FuzzInput& input, uint32_t index, bool is_flawed) {
    char* at = bytes_ + xsp::shm::kRingsOffset + index * uint64_t{xsp::shm::kRingStride};
    auto& ring = *reinterpret_cast<xsp::shm::RingHeader*>(at);
    const uint32_t records = input.byte() % kMostRecords;
    // A ring that has gone round, too: its sequences are large.
    const uint64_t first = (input.byte() & 1) != 0 ? input.number<uint32_t>() : 0;
    ring.head = first + records;
    ring.sent = first + (records == 0 ? 0 : input.byte() % records);
    ring.state = input.byte() % 4;
    ring.thread = ring.sent_thread = input.number<uint16_t>();
    ring.dropped = input.byte();
    ring.depth = input.byte() % 8;
    if (is_flawed) {
      const std::string_view head = input.take(128);
      std::memcpy(at, head.data(), head.size());
    }
    const std::string_view open = input.take(std::min<size_t>(ring.depth, 8) * sizeof(xsp::shm::OpenSpan));
    std::memcpy(reinterpret_cast<char*>(ring.open), open.data(), open.size());
    if (is_flawed) {
      ring.stretch_count = input.byte();
      const std::string_view stretches = input.take(sizeof ring.stretches);
      std::memcpy(reinterpret_cast<char*>(ring.stretches), stretches.data(), stretches.size());
    } else if ((first & 1) != 0) {
      // The second half lies in the overflow area.
      ring.stretch_count = 1;
      ring.stretches[0].begin = first + records / 2;
      ring.stretches[0].memory = 1;
    }
    for (uint64_t i = 0; i < records && !input.is_empty(); ++i) {
      const uint32_t memory = std::min(xsp::shm::placement_of(ring, first + i).memory, kOverflows);
      char* slots = memory == 0 ? at + xsp::shm::kPage : bytes_ + xsp::shm::overflow_offset(kRings, memory - 1);
      xsp::shm::Record& record = reinterpret_cast<xsp::shm::Record*>(slots)[(first + i) % xsp::shm::records_in(memory)];
      const uint8_t type = input.byte();
      const std::string_view bytes = input.take(sizeof record);
      std::memcpy(reinterpret_cast<char*>(&record), bytes.data(), bytes.size());
      if ((type & 8) == 0) record.record_type = type % 7;
      if ((type & 0x70) != 0x70) record.sequence = static_cast<uint32_t>(first + i + 1);
    }
  }

  size_t size_;
  int fd_;
  char* bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  xsp::test::FuzzInput input(data, size);
  const uint32_t clock = input.byte() & 1;
  GuestMemory memory;
  memory.fill(input, clock);

  xsp::test::MemoryFile file;
  xsp::TraceWriter writer(file, 4096);
  xsp::Recording recording(writer);
  uint32_t processes = 0;
  xsp::Peer peer(-1, recording, processes);
  uint8_t hello[64];
  xsp::WireWriter out(hello, sizeof hello);
  auto packet = out.begin(1);
  auto body = out.begin(4);
  out.uint64(1, xsp::kProtocolVersion);
  out.uint64(7, clock);
  out.uint64(8, memory.size());
  out.end(body);
  out.end(packet);
  peer.receive(out.data(), out.size(), {memory.fd()});
  // What is left may be packets that came before the end.
  const std::string_view rest = input.rest();
  if (!rest.empty() && peer.is_open()) peer.receive(reinterpret_cast<const uint8_t*>(rest.data()), rest.size());
  if (peer.is_open()) peer.disconnect();
  while (peer.process() != nullptr && peer.process()->work()) {
  }
  writer.flush();
  return 0;
}
