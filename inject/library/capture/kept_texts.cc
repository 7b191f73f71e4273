#include "inject/library/capture/kept_texts.h"

namespace xsp::guest {

uint32_t ContentTexts::find(const Content& content) const {
  const uint64_t hash = content.hash();
  for (uint32_t probe = 0; probe < kProbes; ++probe) {
    const Entry& entry = entries_[(hash + probe) % kEntries];
    const uint64_t known = entry.hash.load(std::memory_order_relaxed);
    if (known == hash) return entry.id.load(std::memory_order_relaxed);
    if (known == 0) return 0;
  }
  return 0;
}

void ContentTexts::keep(const Content& content, uint32_t id) {
  if (id == 0) return;
  const uint64_t hash = content.hash();
  for (uint32_t probe = 0; probe < kProbes; ++probe) {
    Entry& entry = entries_[(hash + probe) % kEntries];
    uint64_t known = 0;
    if (entry.hash.compare_exchange_strong(known, hash, std::memory_order_relaxed) || known == hash) {
      // Between the two stores a reader finds the hash with id 0, and makes the text once more: the same id.
      entry.id.store(id, std::memory_order_relaxed);
      return;
    }
  }
}

const ObjectTexts::Entry* ObjectTexts::slot(const void* object, uint32_t probe) const {
  const uint64_t mixed = reinterpret_cast<uintptr_t>(object) * 0x9e3779b97f4a7c15u;
  return &entries_[((mixed >> 40) + probe) % kEntries];
}

ObjectTexts::Entry* ObjectTexts::slot(const void* object, uint32_t probe) {
  return const_cast<Entry*>(static_cast<const ObjectTexts*>(this)->slot(object, probe));
}

ObjectTexts::Found ObjectTexts::find(const void* object) const {
  for (uint32_t probe = 0; probe < kProbes; ++probe) {
    const Entry* entry = slot(object, probe);
    if (entry->object.load(std::memory_order_acquire) != object) continue;
    const Found found = {entry->id.load(std::memory_order_acquire), entry->note.load(std::memory_order_acquire),
                         entry->extra.load(std::memory_order_acquire)};
    // Else the entry was forgotten, or taken over by another object, while it was read.
    if (entry->object.load(std::memory_order_acquire) == object) return found;
  }
  return {};
}

void ObjectTexts::keep(const void* object, const Found& text) {
  if (text.id == 0 || !writer_.try_lock()) return;
  Entry* chosen = slot(object, 0);  // its text is dropped if no entry is free
  for (uint32_t probe = 0; probe < kProbes; ++probe) {
    Entry* entry = slot(object, probe);
    const void* there = entry->object.load(std::memory_order_relaxed);
    if (there == object || there == nullptr) {
      chosen = entry;
      break;
    }
  }
  // No object while the fields change, so that no reader takes a mixture: find() checks the object before and after.
  chosen->object.store(nullptr, std::memory_order_release);
  chosen->id.store(text.id, std::memory_order_release);
  chosen->note.store(text.note, std::memory_order_release);
  chosen->extra.store(text.extra, std::memory_order_release);
  chosen->object.store(object, std::memory_order_release);
  writer_.unlock();
}

void ObjectTexts::forget(const void* object) {
  for (uint32_t probe = 0; probe < kProbes; ++probe) {
    const void* expected = object;
    slot(object, probe)->object.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel);
  }
}

}  // namespace xsp::guest
