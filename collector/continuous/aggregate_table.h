#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/seeded_hash.h"
#include "collector/writing/trace_writer.h"

namespace xsp {

/// What an aggregate stands for: level, kind, and the string ids of name and type, which are below 2^21.
struct AggregateKey {
  uint8_t level = 0;
  uint8_t kind = 0;
  uint32_t name = 0;
  uint32_t type = 0;

  uint64_t packed() const {
    return uint64_t{level} | uint64_t{kind} << 3 | uint64_t{name} << 11 | uint64_t{type} << 32;
  }
  static AggregateKey unpack(uint64_t packed) {
    return {static_cast<uint8_t>(packed & 7), static_cast<uint8_t>(packed >> 3),
            static_cast<uint32_t>(packed >> 11 & 0x1fffff), static_cast<uint32_t>(packed >> 32)};
  }
};

/// For each name: the number of spans, their total, minimum and maximum duration, and the bucket of each duration.
/// Counts are exact. Names beyond kMaxRows are counted in rows without name and type, one for each level and kind;
/// beyond kMaxBuckets distinct buckets, durations are missing from the distribution.
class AggregateTable {
 public:
  static constexpr size_t kMaxRows = 32768;
  static constexpr size_t kMaxBuckets = size_t{1} << 18;

  struct Row {
    uint64_t key = 0;  // AggregateKey::packed
    uint64_t spans = 0;
    uint64_t stored = 0;
    uint64_t total_ns = 0;
    uint64_t min_ns = UINT64_MAX;
    uint64_t max_ns = 0;
    uint64_t failed = 0;
  };

  void add(uint64_t key, uint64_t ns, bool failed, bool stored);
  /// Adds a row of another table under `key`.
  void add_row(uint64_t key, const Row& from) { merge_row(row_of(key), from); }
  /// Adds all of another table. `key_of(key)` translates its keys into this table's.
  template <typename KeyOf>
  void add_table(const AggregateTable& other, KeyOf&& key_of) {
    std::vector<uint32_t> place(other.rows_.size());
    for (size_t i = 0; i < place.size(); ++i) {
      place[i] = row_of(key_of(other.rows_[i].key));
      merge_row(place[i], other.rows_[i]);
    }
    for (size_t slot = 0; slot < other.bucket_keys_.size(); ++slot) {
      const uint32_t key = other.bucket_keys_[slot];
      if (key != 0) add_to_bucket(place[(key - 1) >> kBucketBits], (key - 1) & kBucketMask, other.bucket_counts_[slot]);
    }
  }

  bool is_empty() const { return rows_.empty(); }
  const std::vector<Row>& rows() const { return rows_; }
  /// Forgets all rows and frees their memory.
  void clear();

  /// The largest size of its packet in bytes.
  size_t bytes() const;
  /// Writes an Aggregates packet about `process`.
  void write(TraceWriter& writer, uint32_t process, uint64_t begin_ns, uint64_t end_ns, bool is_total) const;

 private:
  static constexpr uint32_t kBucketBits = 10;
  static constexpr uint32_t kBucketMask = (1 << kBucketBits) - 1;

  uint32_t row_of(uint64_t key);
  void merge_row(uint32_t row, const Row& from);
  void add_to_bucket(uint32_t row, uint32_t bucket, uint64_t count);
  void grow_index();
  void grow_buckets();

  SeededHash hash_;
  std::vector<Row> rows_;
  std::vector<uint32_t> index_;        // row + 1 by hash of the key; 0: free
  std::vector<uint32_t> bucket_keys_;  // 1 + (row << kBucketBits | bucket), by its hash; 0: free
  std::vector<uint64_t> bucket_counts_;
  size_t buckets_ = 0;
};

}  // namespace xsp
