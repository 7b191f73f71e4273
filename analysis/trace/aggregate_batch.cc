#include "analysis/trace/aggregate_batch.h"

#include <algorithm>

#include "analysis/trace/packed_columns.h"
#include "analysis/trace/packet_fields.h"
#include "proto/duration_buckets.h"

namespace xsp::analysis {
namespace {

using AggregateFields = wire::Aggregates;

struct EncodedAggregates : EncodedBatch<wire::Aggregates> {
  int64_t begin = 0;
  int64_t end = 0;
};

/// Collectors keep fewer names, and send packets of at most 1 MiB.
constexpr uint32_t kMaxRows = 1U << 20;

using Rows = std::vector<std::pair<SpanTotalsKey, SpanTotals>>;

bool read_fields(std::string_view encoded, EncodedAggregates* batch) {
  if (!read_batch<wire::Mismatch::kSkip>(encoded, batch)) return false;
  batch->begin = packet::clamp_time(batch->head.begin_ns);
  batch->end = packet::clamp_time(batch->head.end_ns);
  // A row takes at least two bytes, so that a claimed count is bounded by the bytes that are there.
  return batch->count <= kMaxRows && batch->count <= batch->encoded[AggregateFields::kSpans].size() &&
         batch->count <= batch->encoded[AggregateFields::kLevelKind].size() && batch->begin >= 0 &&
         batch->begin <= batch->end && batch->end <= kMaxTime;
}

/// The columns of all rows' buckets, one row behind the other.
bool decode_buckets(EncodedAggregates batch, Rows* rows) {
  std::vector<uint64_t> lengths(batch.count);
  uint64_t all = 0;
  const size_t bytes = batch.encoded[AggregateFields::kBucketSpans].size();
  if (!batch.decode(AggregateFields::kBuckets, [&](size_t i, uint64_t length) {
        lengths[i] = length;
        all += length;
        return length <= kDurationBuckets && all <= bytes;
      })) {
    return false;
  }
  batch.count = static_cast<uint32_t>(all);
  if (all != 0 && (!batch.has(AggregateFields::kBucket) || !batch.has(AggregateFields::kBucketSpans))) return false;
  std::vector<uint32_t> numbers(all);
  if (!decode_numbers(batch, AggregateFields::kBucket, numbers.data())) return false;
  size_t at = 0;
  for (size_t row = 0; row < lengths.size(); ++row) {
    uint64_t bucket = 0;
    auto& buckets = (*rows)[row].second.buckets;
    buckets.reserve(lengths[row]);
    for (uint64_t i = 0; i < lengths[row]; ++i, ++at) {
      if (i != 0 && numbers[at] == 0) return false;
      bucket += numbers[at];
      if (bucket >= kDurationBuckets) return false;
      buckets.emplace_back(static_cast<uint32_t>(bucket), 0);
    }
  }
  size_t row = 0;
  size_t in_row = 0;
  return batch.decode(AggregateFields::kBucketSpans, [&](size_t, uint64_t spans) {
    while (in_row == (*rows)[row].second.buckets.size()) {
      ++row;
      in_row = 0;
    }
    (*rows)[row].second.buckets[in_row++].second = spans;
    return true;
  });
}

bool decode_rows(const EncodedAggregates& batch, const ProcessStrings& strings, Rows* rows, uint64_t* missing) {
  rows->resize(batch.count);
  for (auto& row : *rows) row.second.min_ns = 0;
  std::vector<Level> levels(batch.count);
  std::vector<Kind> kinds(batch.count);
  std::vector<uint32_t> names(batch.count);
  std::vector<uint32_t> types(batch.count);
  if (!decode_levels(batch, AggregateFields::kLevelKind, levels.data(), kinds.data()) ||
      !decode_strings(batch, AggregateFields::kName, strings, names.data(), missing) ||
      !decode_strings(batch, AggregateFields::kType, strings, types.data(), missing)) {
    return false;
  }
  for (size_t i = 0; i < rows->size(); ++i) (*rows)[i].first = {levels[i], kinds[i], names[i], types[i]};
  const auto decode = [&](uint32_t field, uint64_t SpanTotals::*member) {
    return batch.decode(field, [&](size_t i, uint64_t value) {
      (*rows)[i].second.*member = value;
      return true;
    });
  };
  return decode(AggregateFields::kSpans, &SpanTotals::spans) && decode(AggregateFields::kStored, &SpanTotals::stored) &&
         decode(AggregateFields::kTotalNs, &SpanTotals::total_ns) &&
         decode(AggregateFields::kMinNs, &SpanTotals::min_ns) && decode(AggregateFields::kMaxNs, &SpanTotals::max_ns) &&
         decode(AggregateFields::kFailed, &SpanTotals::failed) && decode_buckets(batch, rows);
}

void add_window(const EncodedAggregates& batch, uint32_t process, const Rows& rows, AggregateTable* table) {
  AggregateWindow window{.process = process, .begin = batch.begin, .end = batch.end};
  SpanTotals all;
  for (const auto& [key, totals] : rows) {
    SpanTotals counts = totals;
    counts.buckets.clear();
    all.add(counts);
    uint64_t& spans = window.spans[static_cast<size_t>(key.level)];
    if (__builtin_add_overflow(spans, totals.spans, &spans)) spans = UINT64_MAX;
    if (key.level == Level::kModel) window.models.add(totals);
  }
  window.stored = all.stored;
  window.failed_models = window.models.failed;
  table->windows.push_back(std::move(window));
}

}  // namespace

bool append_aggregates(std::string_view encoded, uint32_t process, uint32_t part, const ProcessStrings& strings,
                       AggregateTable* table, uint64_t* missing_strings) {
  EncodedAggregates batch;
  Rows rows;
  uint64_t missing = 0;
  if (!read_fields(encoded, &batch) || !decode_rows(batch, strings, &rows, &missing)) return false;
  *missing_strings += missing;
  ProcessAggregates& of = table->processes[process];
  if (!batch.head.is_total) {
    add_window(batch, process, rows, table);
    of.begin = std::min(of.begin, batch.begin);
    of.end = std::max(of.end, batch.end);
    for (const auto& [key, totals] : rows) of.rows[key].add(totals);
    return true;
  }
  if (of.has_before && part > of.before_part) return true;
  if (part < of.before_part) of.before.clear();
  of.has_before = true;
  of.before_part = part;
  of.before_begin = batch.begin;
  of.before_is_empty = batch.begin != 0 && batch.begin == batch.end;
  of.end = std::max(of.end, batch.end);
  for (const auto& [key, totals] : rows) of.before[key].add(totals);
  return true;
}

}  // namespace xsp::analysis
