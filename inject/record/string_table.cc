#include "inject/record/string_table.h"

#include <string.h>
#include <sys/mman.h>

#include <algorithm>

#include "proto/string_ids.h"

namespace xsp::guest {
namespace {

// Meant to be enough for most programs, so that the index rarely grows.
constexpr uint32_t kFirstStrings = 4096;
constexpr int kStringsFull = 4;  // Loss.STRINGS_FULL

// FNV-1a.
uint32_t hash_of(std::string_view text) {
  uint32_t hash = 2166136261u;
  for (const char character : text) hash = (hash ^ static_cast<uint8_t>(character)) * 16777619u;
  return hash;
}

void insert(StringTable::Index& index, uint32_t hash, uint32_t id) {
  const uint32_t mask = index.slot_count() - 1;
  uint32_t at = hash & mask;
  while (index.slots()[at] != 0) at = (at + 1) & mask;
  __atomic_store_n(&index.slots()[at], id, __ATOMIC_RELEASE);
}

size_t entry_bytes(size_t length) { return (sizeof(shm::ArenaEntry) + length + 7) & ~size_t{7}; }

const shm::ArenaEntry* entry_at(const SharedRegion& region, uint32_t offset) {
  return reinterpret_cast<const shm::ArenaEntry*>(region.arena() + size_t{offset} * 8);
}

}  // namespace

bool StringTable::open(const SharedRegion& region) {
  const uint32_t known = region.header()->string_count.load(std::memory_order_acquire);
  uint32_t capacity = kFirstStrings;
  while (capacity < known + known / 2) capacity *= 2;
  return grow(region, capacity);
}

bool StringTable::grow(const SharedRegion& region, uint32_t strings) {
  const size_t bytes = sizeof(Index) + size_t{strings} * 3 * sizeof(uint32_t);
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return false;
  auto* grown = static_cast<Index*>(pages);
  grown->capacity = strings;
  const uint32_t known = region.header()->string_count.load(std::memory_order_relaxed);
  uint32_t offset = 0;
  for (uint32_t id = 1; id <= known; ++id) {
    const shm::ArenaEntry* entry = entry_at(region, offset);
    grown->offsets()[id - 1] = offset;
    insert(*grown, entry->hash, id);
    offset += static_cast<uint32_t>(entry_bytes(entry->length) / 8);
  }
  // The old index is never unmapped: lookups take no lock, and one may be in it.
  index.store(grown, std::memory_order_release);
  return true;
}

uint32_t StringTable::find_hashed(const SharedRegion& region, std::string_view text, uint32_t hash) const {
  Index* known = index.load(std::memory_order_acquire);
  const uint32_t mask = known->slot_count() - 1;
  for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
    const uint32_t id = __atomic_load_n(&known->slots()[at], __ATOMIC_ACQUIRE);
    // There are twice as many slots as strings, so an empty one always ends the search.
    if (id == 0) return 0;
    const shm::ArenaEntry* entry = entry_at(region, known->offsets()[id - 1]);
    if (entry->hash == hash && entry->length == text.size() && memcmp(entry + 1, text.data(), text.size()) == 0) {
      return id;
    }
  }
}

uint32_t StringTable::find(const SharedRegion& region, std::string_view text) const {
  if (text.empty() || index.load(std::memory_order_acquire) == nullptr) return 0;
  text = text.substr(0, kMaxStringBytes);
  return find_hashed(region, text, hash_of(text));
}

uint32_t StringTable::intern(const SharedRegion& region, std::string_view text) {
  if (text.empty() || index.load(std::memory_order_acquire) == nullptr) return 0;
  text = text.substr(0, kMaxStringBytes);
  const uint32_t hash = hash_of(text);
  if (const uint32_t found = find_hashed(region, text, hash); found != 0) return found;
  shm::SharedHeader* header = region.header();
  const uint64_t used = header->arena_committed.load(std::memory_order_relaxed);
  const uint32_t id = header->string_count.load(std::memory_order_relaxed) + 1;
  if (used + entry_bytes(text.size()) > header->arena_bytes || id > kMaxStrings ||
      (id > index.load(std::memory_order_relaxed)->capacity &&
       !grow(region, index.load(std::memory_order_relaxed)->capacity * 2))) {
    header->losses[kStringsFull].fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  auto* entry = reinterpret_cast<shm::ArenaEntry*>(region.arena() + used);
  entry->length = static_cast<uint32_t>(text.size());
  entry->hash = hash;
  memcpy(entry + 1, text.data(), text.size());
  Index* known = index.load(std::memory_order_relaxed);
  known->offsets()[id - 1] = static_cast<uint32_t>(used / 8);
  header->arena_committed.store(used + entry_bytes(text.size()), std::memory_order_release);
  header->string_count.store(id, std::memory_order_release);
  // Last: a thread that finds the id may record it at once, and the sender sends only strings within the count.
  insert(*known, hash, id);
  return id;
}

std::string_view StringTable::text(const SharedRegion& region, uint32_t id) const {
  if (id == 0 || id > region.header()->string_count.load(std::memory_order_acquire)) return {};
  const shm::ArenaEntry* entry = entry_at(region, offset_of(id));
  return {reinterpret_cast<const char*>(entry + 1), entry->length};
}

void copy_strings(const SharedRegion& from, const SharedRegion& to) {
  // The parent may be appending. It commits a string before it counts it, so with the count read first all counted
  // strings lie within what is committed.
  const uint32_t count = from.header()->string_count.load(std::memory_order_acquire);
  const uint64_t committed = from.header()->arena_committed.load(std::memory_order_acquire);
  const uint64_t room = std::min(to.header()->arena_bytes, from.header()->arena_bytes);
  if (committed > room) return;
  memcpy(to.arena(), from.arena(), committed);
  // Where the last counted string ends: what the parent had committed beyond it may be half a string.
  uint64_t end = 0;
  for (uint32_t id = 1; id <= count; ++id) {
    end += entry_bytes(reinterpret_cast<const shm::ArenaEntry*>(to.arena() + end)->length);
  }
  to.header()->arena_committed.store(end, std::memory_order_release);
  to.header()->string_count.store(count, std::memory_order_release);
}

}  // namespace xsp::guest
