#pragma once

#include <stdint.h>

#include <atomic>

#include "inject/library/capture/process_lock.h"

namespace xsp::guest {

/// Hash of what a text is made from, by which a text that was made before is found again.
class Content {
 public:
  explicit Content(uint64_t kind) { add(kind); }

  template <typename Value>
  Content& add(Value value) {
    hash_ = (hash_ ^ static_cast<uint64_t>(value)) * 0x9e3779b97f4a7c15u;
    hash_ ^= hash_ >> 29;
    return *this;
  }
  template <typename Value>
  Content& add_list(const Value* values, int count) {
    for (int i = 0; i < count; ++i) add(values[i]);
    return add(count);
  }
  Content& add_real(double value) {
    uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return add(bits);
  }

  uint64_t hash() const { return hash_ == 0 ? 1 : hash_; }

 private:
  uint64_t hash_ = 0x243f6a8885a308d3u;
};

/// String ids of texts by their content: descriptors are made, changed and freed, and their addresses used again, so an
/// address says nothing. Entries are added and never changed; a full table keeps nothing more. Takes no locks; ids stay
/// valid after a fork, whose child copies the strings.
class ContentTexts {
 public:
  /// 0: not known.
  uint32_t find(const Content& content) const;
  void keep(const Content& content, uint32_t id);

 private:
  static constexpr uint32_t kEntries = 4096;
  static constexpr uint32_t kProbes = 32;
  struct Entry {
    std::atomic<uint64_t> hash;
    std::atomic<uint32_t> id;
  };
  Entry entries_[kEntries];
};

/// String ids that describe objects which never change (execution plans, primitives), by the object's address. The
/// object's end must be reported with forget(). Reading takes no lock; a writer that finds another at work keeps
/// nothing.
class ObjectTexts {
 public:
  struct Found {
    uint32_t id = 0;    // 0: not known
    uint32_t note = 0;  // a second text
    uint64_t extra = 0;
  };
  Found find(const void* object) const;
  void keep(const void* object, const Found& text);
  void forget(const void* object);

 private:
  static constexpr uint32_t kEntries = 4096;
  static constexpr uint32_t kProbes = 16;
  struct Entry {
    std::atomic<const void*> object;
    std::atomic<uint64_t> extra;
    std::atomic<uint32_t> id;
    std::atomic<uint32_t> note;
  };
  Entry* slot(const void* object, uint32_t probe);
  const Entry* slot(const void* object, uint32_t probe) const;
  Entry entries_[kEntries];
  ProcessLock writer_;
};

}  // namespace xsp::guest
