#include "inject/torch/operator_names.h"

#include <string.h>

#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/record/hash.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr size_t kNames = 4096;

/// Direct-mapped by hash of the text. A word is the entry's offset in the arena, in units of 8 bytes, and the string's
/// id: both are written at once, so that a reader compares with the very text that the id stands for. Wiped by a fork,
/// as the child has its own arena.
struct KnownNames {
  std::atomic<const uint8_t*> arena;
  std::atomic<uint64_t> words[kNames];
};
constinit ForkWiped<KnownNames> known_names;

uint64_t word_at(const char* text) {
  uint64_t word;
  memcpy(&word, text, sizeof word);
  return word;
}

uint64_t hash_of(const char* text, size_t length) {
  uint64_t hash = length;
  if (length < sizeof hash) {
    uint64_t word = 0;
    for (size_t i = 0; i < length; ++i) word = word << 8 | static_cast<uint8_t>(text[i]);
    return mix(hash, word);
  }
  for (size_t at = 0; at + sizeof hash < length; at += sizeof hash) hash = mix(hash, word_at(text + at));
  return mix(hash, word_at(text + length - sizeof hash));
}

__attribute__((noinline, cold)) uint32_t intern_name(const char* text, size_t length, uint64_t hash) {
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  Process* process = wake_process();
  KnownNames* names = known_names.make();
  if (process == nullptr) return 0;
  uint64_t word;
  {
    const LockGuard lock(process->lock);
    const uint32_t id = process->strings.intern(process->region, {text, length});
    if (id == 0) return 0;
    word = uint64_t{process->strings.offset_of(id)} << 32 | id;
  }
  if (names != nullptr) {
    // Published by the release store of the word; the arena never moves in the life of a process.
    names->arena.store(process->region.arena(), std::memory_order_relaxed);
    names->words[hash % kNames].store(word, std::memory_order_release);
  }
  return static_cast<uint32_t>(word);
}

}  // namespace

uint32_t operator_name(const char* name) {
  const size_t length = strlen(name);
  if (__builtin_expect(length == 0, 0)) return 0;
  const uint64_t hash = hash_of(name, length);
  if (const KnownNames* names = known_names.get(); __builtin_expect(names != nullptr, 1)) {
    const uint64_t word = names->words[hash % kNames].load(std::memory_order_acquire);
    if (__builtin_expect(word != 0, 1)) {
      const auto* entry = reinterpret_cast<const shm::ArenaEntry*>(names->arena.load(std::memory_order_relaxed) +
                                                                   (word >> 32) * sizeof(uint64_t));
      if (entry->length == length && memcmp(entry + 1, name, length) == 0) return static_cast<uint32_t>(word);
    }
  }
  return intern_name(name, length, hash);
}

}  // namespace xsp::guest
