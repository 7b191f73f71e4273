#include "inject/record/string_table.h"

#include <string.h>
#include <sys/mman.h>

#include <algorithm>

#include "proto/string_ids.h"

namespace xsp::guest {
namespace {

constexpr uint32_t kFirstStrings = 4096;
constexpr uint32_t kMaxStrings = kFirstCollectorString - 1;
constexpr int kStringsFull = 4;  // Loss.STRINGS_FULL

// FNV-1a.
uint32_t hash_of(std::string_view text) {
  uint32_t hash = 2166136261u;
  for (const char character : text) hash = (hash ^ static_cast<uint8_t>(character)) * 16777619u;
  return hash;
}

uint32_t* map_words(size_t count) {
  void* pages = mmap(nullptr, count * 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? nullptr : static_cast<uint32_t*>(pages);
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
  uint32_t* new_slots = map_words(size_t{strings} * 2);
  uint32_t* new_offsets = map_words(strings);
  if (new_slots == nullptr || new_offsets == nullptr) {
    if (new_slots != nullptr) munmap(new_slots, size_t{strings} * 8);
    if (new_offsets != nullptr) munmap(new_offsets, size_t{strings} * 4);
    return false;
  }
  if (slots != nullptr) munmap(slots, size_t{slot_count} * 4);
  if (offsets != nullptr) munmap(offsets, size_t{offset_capacity} * 4);
  slots = new_slots;
  slot_count = strings * 2;
  offsets = new_offsets;
  offset_capacity = strings;
  const uint32_t known = region.header()->string_count.load(std::memory_order_relaxed);
  uint32_t offset = 0;
  for (uint32_t id = 1; id <= known; ++id) {
    const shm::ArenaEntry* entry = entry_at(region, offset);
    offsets[id - 1] = offset;
    insert(entry->hash, id);
    offset += static_cast<uint32_t>(entry_bytes(entry->length) / 8);
  }
  return true;
}

void StringTable::insert(uint32_t hash, uint32_t id) {
  uint32_t at = hash & (slot_count - 1);
  while (slots[at] != 0) at = (at + 1) & (slot_count - 1);
  slots[at] = id;
}

uint32_t StringTable::find_hashed(const SharedRegion& region, std::string_view text, uint32_t hash) const {
  for (uint32_t at = hash & (slot_count - 1); slots[at] != 0; at = (at + 1) & (slot_count - 1)) {
    const shm::ArenaEntry* entry = entry_at(region, offsets[slots[at] - 1]);
    if (entry->hash == hash && entry->length == text.size() && memcmp(entry + 1, text.data(), text.size()) == 0) {
      return slots[at];
    }
  }
  return 0;
}

uint32_t StringTable::find(const SharedRegion& region, std::string_view text) const {
  if (text.empty() || slots == nullptr) return 0;
  text = text.substr(0, kMaxStringBytes);
  return find_hashed(region, text, hash_of(text));
}

uint32_t StringTable::intern(const SharedRegion& region, std::string_view text) {
  if (text.empty() || slots == nullptr) return 0;
  text = text.substr(0, kMaxStringBytes);
  const uint32_t hash = hash_of(text);
  if (const uint32_t known = find_hashed(region, text, hash); known != 0) return known;
  shm::SharedHeader* header = region.header();
  const uint64_t used = header->arena_committed.load(std::memory_order_relaxed);
  const uint32_t id = header->string_count.load(std::memory_order_relaxed) + 1;
  if (used + entry_bytes(text.size()) > header->arena_bytes || id > kMaxStrings ||
      (id > offset_capacity && !grow(region, offset_capacity * 2))) {
    header->losses[kStringsFull].fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  auto* entry = reinterpret_cast<shm::ArenaEntry*>(region.arena() + used);
  entry->length = static_cast<uint32_t>(text.size());
  entry->hash = hash;
  memcpy(entry + 1, text.data(), text.size());
  offsets[id - 1] = static_cast<uint32_t>(used / 8);
  insert(hash, id);
  header->arena_committed.store(used + entry_bytes(text.size()), std::memory_order_release);
  header->string_count.store(id, std::memory_order_release);
  return id;
}

std::string_view StringTable::text(const SharedRegion& region, uint32_t id) const {
  if (id == 0 || id > region.header()->string_count.load(std::memory_order_acquire)) return {};
  const shm::ArenaEntry* entry = entry_at(region, offsets[id - 1]);
  return {reinterpret_cast<const char*>(entry + 1), entry->length};
}

void copy_strings(const SharedRegion& from, const SharedRegion& to) {
  // The parent may be appending: strings first committed, then counted, so the count is read first.
  const uint32_t count = from.header()->string_count.load(std::memory_order_acquire);
  const uint64_t committed = from.header()->arena_committed.load(std::memory_order_acquire);
  const uint64_t room = std::min(to.header()->arena_bytes, from.header()->arena_bytes);
  if (committed > room) return;
  memcpy(to.arena(), from.arena(), committed);
  uint64_t end = 0;
  for (uint32_t id = 1; id <= count; ++id) {
    end += entry_bytes(reinterpret_cast<const shm::ArenaEntry*>(to.arena() + end)->length);
  }
  to.header()->arena_committed.store(end, std::memory_order_release);
  to.header()->string_count.store(count, std::memory_order_release);
}

}  // namespace xsp::guest
