#include "collector/messages/shared_memory_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/messages/peer_limits.h"

namespace xsp {
namespace {

// Strings are read through a window of this size: one system call for thousands of names.
constexpr size_t kWindowBytes = size_t{256} << 10;

bool read_all(int fd, uint64_t offset, void* to, size_t size) {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = ::pread(fd, at, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    offset += static_cast<uint64_t>(got);
    size -= static_cast<size_t>(got);
  }
  return true;
}

/// Checks the memory, and reads its header.
Status check(int fd, uint64_t announced, shm::SharedHeader& header) {
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & (F_SEAL_SHRINK | F_SEAL_GROW)) != (F_SEAL_SHRINK | F_SEAL_GROW)) {
    return Status{"the shared memory is not sealed"};
  }
  struct stat file {};
  if (::fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) return Status{"the shared memory is no memfd"};
  const auto size = static_cast<uint64_t>(file.st_size);
  if (size != announced || size > kMaxSharedMemoryBytes || size < shm::total_bytes(0, 0, 0)) {
    return Status{"the shared memory has the wrong size"};
  }
  if (!read_all(fd, 0, &header, sizeof header)) {
    return Status{"the shared memory cannot be read"};
  }
  if (header.magic != shm::kMagic) return Status{"the shared memory has no magic number"};
  if (header.layout_version != shm::kLayoutVersion) {
    return Status{"the shared memory has layout version " + std::to_string(header.layout_version) +
                  ", this collector reads " + std::to_string(shm::kLayoutVersion)};
  }
  // Subtractions only, in this order: sums of a hostile header's values could overflow.
  const bool sound = header.total_bytes == size && header.ring_capacity <= shm::kMaxRings && header.clock <= 1 &&
                     header.overflow_count <= shm::kMaxOverflows &&
                     header.arena_offset >= shm::overflow_offset(header.ring_capacity, header.overflow_count) &&
                     header.arena_offset <= size && header.arena_bytes <= size - header.arena_offset &&
                     header.arena_bytes <= shm::kDefaultArenaBytes;
  return sound ? Status() : Status{"the shared memory's header is unsound"};
}

}  // namespace

Status SharedMemoryReader::open(int fd, uint64_t announced_bytes, std::unique_ptr<SharedMemoryReader>* reader) {
  shm::SharedHeader header{};
  Status status = check(fd, announced_bytes, header);
  if (!status.ok()) {
    ::close(fd);
    return status;
  }
  reader->reset(new SharedMemoryReader(fd, header));
  return status;
}

SharedMemoryReader::SharedMemoryReader(int fd, const shm::SharedHeader& header)
    : fd_(fd),
      arena_offset_(header.arena_offset),
      arena_bytes_(header.arena_bytes),
      ring_capacity_(header.ring_capacity),
      overflow_count_(header.overflow_count),
      clock_(header.clock) {}

SharedMemoryReader::~SharedMemoryReader() { ::close(fd_); }

bool SharedMemoryReader::read(uint64_t offset, void* to, size_t size) const { return read_all(fd_, offset, to, size); }

bool SharedMemoryReader::read_header(shm::SharedHeader* header) const { return read(0, header, sizeof *header); }

bool SharedMemoryReader::read_ring(uint32_t index, shm::RingHeader* ring) const {
  return index < ring_capacity_ && read(shm::kRingsOffset + index * uint64_t{shm::kRingStride}, ring, sizeof *ring);
}

shm::Placement SharedMemoryReader::placement_of(const shm::RingHeader& ring, uint64_t first) const {
  const shm::Placement placement = shm::placement_of(ring, first);
  return {placement.memory <= overflow_count_ ? placement.memory : 0, placement.end};
}

uint32_t SharedMemoryReader::most_records(const shm::RingHeader& ring, uint64_t first) const {
  const uint64_t head = ring.head.load(std::memory_order_relaxed);
  uint32_t most = shm::kRingRecords;
  for (uint32_t i = 0; i < shm::kStretches && first < head; ++i) {
    const shm::Placement placement = placement_of(ring, first);
    most = std::max(most, shm::records_in(placement.memory));
    first = placement.end;
  }
  return most;
}

uint32_t SharedMemoryReader::read_records(uint32_t index, const shm::RingHeader& ring, uint64_t first, uint64_t last,
                                          shm::Record* records) const {
  const shm::Placement placement = placement_of(ring, first);
  const uint32_t capacity = shm::records_in(placement.memory);
  const auto slot = static_cast<uint32_t>(first % capacity);
  const auto count = static_cast<uint32_t>(
      std::min({last - first, placement.end - first, uint64_t{kRecordsPerRead}, uint64_t{capacity - slot}}));
  const uint64_t memory_at = placement.memory == 0 ? shm::kRingsOffset + index * uint64_t{shm::kRingStride} + shm::kPage
                                                   : shm::overflow_offset(ring_capacity_, placement.memory - 1);
  if (!read(memory_at + slot * sizeof(shm::Record), records, count * sizeof(shm::Record))) return 0;
  // A running guest overwrites a slot only after its record was sent. A slot whose record was sent, and which the head
  // has reached again, may be half new; and a slot of an overflow area may belong to another ring by then.
  shm::RingHeader after{};
  if (!read_ring(index, &after)) return 0;
  const uint64_t head = after.head.load(std::memory_order_relaxed);
  const uint64_t sent = after.sent.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t sequence = first + i;
    const bool may_be_new = placement.memory != 0 || head >= sequence + capacity;
    if (sent > sequence && may_be_new) records[i].sequence = static_cast<uint32_t>(sequence);
  }
  return count;
}

bool SharedMemoryReader::begin_arena(ArenaCursor* cursor) const {
  shm::SharedHeader header{};
  if (!read_header(&header)) return false;
  cursor->count = std::min(header.string_count.load(std::memory_order_relaxed), kMaxStrings);
  cursor->end = std::min(header.arena_committed.load(std::memory_order_relaxed), arena_bytes_);
  return true;
}

const char* SharedMemoryReader::window(ArenaCursor& cursor, uint64_t offset, size_t size) const {
  if (offset < cursor.window_at || offset + size > cursor.window_at + cursor.window.size()) {
    const auto length = static_cast<size_t>(std::min<uint64_t>(std::max(kWindowBytes, size), cursor.end - offset));
    cursor.window.resize(length);
    cursor.window_at = offset;
    if (!read(arena_offset_ + offset, cursor.window.data(), length)) return nullptr;
  }
  return cursor.window.data() + (offset - cursor.window_at);
}

bool SharedMemoryReader::next_string(ArenaCursor& cursor, std::string_view* text) const {
  if (cursor.id == cursor.count || cursor.end - cursor.at < sizeof(shm::ArenaEntry)) return false;
  const char* head = window(cursor, cursor.at, sizeof(shm::ArenaEntry));
  if (head == nullptr) return false;
  shm::ArenaEntry entry{};
  std::memcpy(&entry, head, sizeof entry);
  const uint64_t left = cursor.end - cursor.at - sizeof entry;
  if (entry.length > kMaxStringBytes || entry.length > left) return false;
  const char* bytes = window(cursor, cursor.at + sizeof entry, entry.length);
  if (bytes == nullptr) return false;
  *text = {bytes, entry.length};
  const uint64_t padded = (uint64_t{entry.length} + 7) & ~uint64_t{7};
  cursor.at += sizeof entry + std::min(padded, left);
  ++cursor.id;
  return true;
}

}  // namespace xsp
