#include "collector/continuous/aggregate_table.h"

#include <algorithm>
#include <utility>

#include "proto/duration_buckets.h"

namespace xsp {
namespace {

constexpr size_t kFirstSlots = 64;
// At most, as varints: three of 32 bits, six of 64 bits and the row's number of buckets; a bucket and its count.
constexpr size_t kRowBytes = 3 * 5 + 6 * 10 + 2;
constexpr size_t kBucketBytes = 2 + 10;

static_assert(kDurationBuckets <= 1024);

uint64_t saturating_add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/// The key of the row for names without a row of their own: level and kind are its lowest 11 bits.
uint64_t nameless(uint64_t key) { return key & 0x7ff; }

}  // namespace

void AggregateTable::add(uint64_t key, uint64_t ns, bool failed, bool stored) {
  const uint32_t place = row_of(key);
  Row& row = rows_[place];
  ++row.spans;
  row.stored += stored ? 1 : 0;
  row.total_ns = saturating_add(row.total_ns, ns);
  row.min_ns = std::min(row.min_ns, ns);
  row.max_ns = std::max(row.max_ns, ns);
  row.failed += failed ? 1 : 0;
  add_to_bucket(place, duration_bucket(ns), 1);
}

uint32_t AggregateTable::row_of(uint64_t key) {
  // At most half full: searches are short, and always end at a free slot.
  if (index_.size() < 2 * (rows_.size() + 1)) grow_index();
  const size_t mask = index_.size() - 1;
  size_t slot = hash_(key) & mask;
  for (; index_[slot] != 0; slot = (slot + 1) & mask) {
    if (rows_[index_[slot] - 1].key == key) return index_[slot] - 1;
  }
  if (rows_.size() >= kMaxRows && key != nameless(key)) return row_of(nameless(key));
  rows_.push_back({.key = key});
  index_[slot] = static_cast<uint32_t>(rows_.size());
  return index_[slot] - 1;
}

void AggregateTable::merge_row(uint32_t place, const Row& from) {
  Row& row = rows_[place];
  row.spans += from.spans;
  row.stored += from.stored;
  row.total_ns = saturating_add(row.total_ns, from.total_ns);
  row.min_ns = std::min(row.min_ns, from.min_ns);
  row.max_ns = std::max(row.max_ns, from.max_ns);
  row.failed += from.failed;
}

void AggregateTable::add_to_bucket(uint32_t row, uint32_t bucket, uint64_t count) {
  if (bucket_keys_.size() < 2 * (buckets_ + 1)) grow_buckets();
  const uint32_t key = 1 + (row << kBucketBits | bucket);
  const size_t mask = bucket_keys_.size() - 1;
  size_t slot = hash_(key) & mask;
  for (; bucket_keys_[slot] != 0; slot = (slot + 1) & mask) {
    if (bucket_keys_[slot] != key) continue;
    bucket_counts_[slot] += count;
    return;
  }
  // The sums include the span; only the distribution lacks it.
  if (buckets_ >= kMaxBuckets) return;
  bucket_keys_[slot] = key;
  bucket_counts_[slot] = count;
  ++buckets_;
}

void AggregateTable::grow_index() {
  index_.assign(std::max(kFirstSlots, 2 * index_.size()), 0);
  const size_t mask = index_.size() - 1;
  for (size_t i = 0; i < rows_.size(); ++i) {
    size_t slot = hash_(rows_[i].key) & mask;
    while (index_[slot] != 0) slot = (slot + 1) & mask;
    index_[slot] = static_cast<uint32_t>(i + 1);
  }
}

void AggregateTable::grow_buckets() {
  const auto keys = std::exchange(bucket_keys_, {});
  const auto counts = std::exchange(bucket_counts_, {});
  bucket_keys_.assign(std::max(kFirstSlots, 2 * keys.size()), 0);
  bucket_counts_.assign(bucket_keys_.size(), 0);
  const size_t mask = bucket_keys_.size() - 1;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == 0) continue;
    size_t slot = hash_(keys[i]) & mask;
    while (bucket_keys_[slot] != 0) slot = (slot + 1) & mask;
    bucket_keys_[slot] = keys[i];
    bucket_counts_[slot] = counts[i];
  }
}

void AggregateTable::clear() {
  if (rows_.empty()) return;
  // Frees the memory, too: a busy minute regrows its table in moments, a quiet one should hold nothing.
  rows_ = {};
  index_ = {};
  bucket_keys_ = {};
  bucket_counts_ = {};
  buckets_ = 0;
}

size_t AggregateTable::bytes() const { return 256 + rows_.size() * kRowBytes + buckets_ * kBucketBytes; }

void AggregateTable::write(TraceWriter& writer, uint32_t process, uint64_t begin_ns, uint64_t end_ns,
                           bool is_total) const {
  std::vector<std::pair<uint32_t, uint64_t>> counted;
  counted.reserve(buckets_);
  for (size_t slot = 0; slot < bucket_keys_.size(); ++slot) {
    if (bucket_keys_[slot] != 0) counted.emplace_back(bucket_keys_[slot] - 1, bucket_counts_[slot]);
  }
  // By row and bucket, so that buckets are written as small differences.
  std::sort(counted.begin(), counted.end());
  std::vector<uint32_t> of_row(rows_.size(), 0);
  for (const auto& [key, count] : counted) ++of_row[key >> kBucketBits];

  writer.write(process, Body::kAggregates, bytes(), [&](WireWriter& body) {
    using Fields = wire::Aggregates;
    body.uint64(Fields::kBeginNs, begin_ns);
    body.uint64(Fields::kEndNs, end_ns);
    body.boolean(Fields::kIsTotal, is_total);
    body.uint64(Fields::kCount, rows_.size());
    if (rows_.empty()) return;
    const auto column = [&](uint32_t field, auto&& value) {
      if (std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) { return value(row) == 0; })) return;
      const auto mark = body.begin(field);
      for (const Row& row : rows_) body.varint(value(row));
      body.end(mark);
    };
    column(Fields::kLevelKind, [](const Row& row) { return row.key & 0x7ff; });
    column(Fields::kName, [](const Row& row) { return uint64_t{AggregateKey::unpack(row.key).name}; });
    column(Fields::kType, [](const Row& row) { return uint64_t{AggregateKey::unpack(row.key).type}; });
    column(Fields::kSpans, [](const Row& row) { return row.spans; });
    column(Fields::kStored, [](const Row& row) { return row.stored; });
    column(Fields::kTotalNs, [](const Row& row) { return row.total_ns; });
    column(Fields::kMinNs, [](const Row& row) { return row.min_ns; });
    column(Fields::kMaxNs, [](const Row& row) { return row.max_ns; });
    column(Fields::kFailed, [](const Row& row) { return row.failed; });
    auto mark = body.begin(Fields::kBuckets);
    for (const uint32_t buckets : of_row) body.varint(buckets);
    body.end(mark);
    mark = body.begin(Fields::kBucket);
    uint32_t row = UINT32_MAX;
    uint32_t before = 0;
    for (const auto& [key, count] : counted) {
      if (key >> kBucketBits != row) before = 0;
      row = key >> kBucketBits;
      body.varint((key & kBucketMask) - before);
      before = key & kBucketMask;
    }
    body.end(mark);
    mark = body.begin(Fields::kBucketSpans);
    for (const auto& [key, count] : counted) body.varint(count);
    body.end(mark);
  });
}

}  // namespace xsp
