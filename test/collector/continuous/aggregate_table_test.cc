#include "collector/continuous/aggregate_table.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "proto/duration_buckets.h"
#include "test/catch.h"
#include "test/collector/memory_file.h"
#include "trace.pb.h"

namespace xsp::test {
namespace {

struct Expected {
  uint64_t spans = 0;
  uint64_t stored = 0;
  uint64_t total = 0;
  uint64_t least = UINT64_MAX;
  uint64_t most = 0;
  uint64_t failed = 0;
  std::map<uint32_t, uint64_t> buckets;
};

using Counts = std::map<uint64_t, Expected>;

void count(Counts& counts, uint64_t key, uint64_t ns, bool failed, bool stored) {
  Expected& row = counts[key];
  ++row.spans;
  row.stored += stored ? 1 : 0;
  row.total += ns;
  row.least = std::min(row.least, ns);
  row.most = std::max(row.most, ns);
  row.failed += failed ? 1 : 0;
  ++row.buckets[duration_bucket(ns)];
}

xsp::Aggregates written(const AggregateTable& table, bool is_total = false) {
  MemoryFile file;
  TraceWriter writer(file);
  table.write(writer, 3, 1000, 2000, is_total);
  writer.flush();
  Trace trace;
  REQUIRE(trace.ParseFromString(file.bytes));
  REQUIRE(trace.packet_size() == 1);
  REQUIRE(trace.packet(0).process() == 3);
  return trace.packet(0).aggregates();
}

Counts read(const xsp::Aggregates& aggregates) {
  Counts counts;
  int at = 0;
  for (int i = 0; i < static_cast<int>(aggregates.count()); ++i) {
    const auto value = [&](const auto& column) { return column.empty() ? 0 : column.Get(i); };
    const uint64_t level_kind = value(aggregates.level_kind());
    const AggregateKey key{static_cast<uint8_t>(level_kind & 7), static_cast<uint8_t>(level_kind >> 3),
                           value(aggregates.name()), value(aggregates.type())};
    Expected& row = counts[key.packed()];
    REQUIRE(row.spans == 0);
    row = {value(aggregates.spans()),
           value(aggregates.stored()),
           value(aggregates.total_ns()),
           value(aggregates.min_ns()),
           value(aggregates.max_ns()),
           value(aggregates.failed()),
           {}};
    uint32_t bucket = 0;
    for (uint32_t k = 0; k < value(aggregates.buckets()); ++k, ++at) {
      bucket += aggregates.bucket(at);
      row.buckets[bucket] += aggregates.bucket_spans(at);
    }
  }
  REQUIRE(at == aggregates.bucket_size());
  REQUIRE(at == aggregates.bucket_spans_size());
  return counts;
}

void check_equal(const Counts& got, const Counts& expected) {
  REQUIRE(got.size() == expected.size());
  for (const auto& [key, row] : expected) {
    REQUIRE(got.count(key) == 1);
    const Expected& other = got.at(key);
    CHECK(other.spans == row.spans);
    CHECK(other.stored == row.stored);
    CHECK(other.total == row.total);
    CHECK(other.least == row.least);
    CHECK(other.most == row.most);
    CHECK(other.failed == row.failed);
    CHECK(other.buckets == row.buckets);
  }
}

TEST_CASE("counts equal those of a plain map, a minute's and the total") {
  std::mt19937_64 random(5);
  AggregateTable minute;
  AggregateTable total;
  Counts all;
  for (int round = 0; round < 3; ++round) {
    Counts counts;
    for (int i = 0; i < 20'000; ++i) {
      const AggregateKey key{static_cast<uint8_t>(1 + random() % 6), static_cast<uint8_t>(random() % 24),
                             static_cast<uint32_t>(random() % 100), static_cast<uint32_t>(random() % 3)};
      const uint64_t ns = random() >> (24 + random() % 40);
      const bool failed = random() % 10 == 0;
      const bool stored = random() % 2 == 0;
      minute.add(key.packed(), ns, failed, stored);
      count(counts, key.packed(), ns, failed, stored);
      count(all, key.packed(), ns, failed, stored);
    }
    check_equal(read(written(minute)), counts);
    total.add_table(minute, [](uint64_t key) { return key; });
    minute.clear();
    CHECK(minute.is_empty());
  }
  const auto aggregates = written(total, true);
  CHECK(aggregates.is_total());
  CHECK(aggregates.begin_ns() == 1000);
  CHECK(aggregates.end_ns() == 2000);
  check_equal(read(aggregates), all);
}

TEST_CASE("an empty total is written, as it says that there was nothing before") {
  const auto aggregates = written(AggregateTable(), true);
  CHECK(aggregates.is_total());
  CHECK(aggregates.count() == 0);
}

TEST_CASE("more names than are kept: the rest counts without a name, and nothing is missing") {
  AggregateTable table;
  constexpr uint32_t kNames = 3 * AggregateTable::kMaxRows;
  for (uint32_t name = 1; name <= kNames; ++name) {
    table.add(AggregateKey{static_cast<uint8_t>(3 + name % 2), 2, name, 7}.packed(), name, false, true);
  }
  const Counts counts = read(written(table));
  CHECK(counts.size() == AggregateTable::kMaxRows + 2);
  uint64_t spans = 0;
  for (const auto& [key, row] : counts) spans += row.spans;
  CHECK(spans == kNames);
  const Expected& rest = counts.at(AggregateKey{3, 2, 0, 0}.packed());
  CHECK(rest.spans == (kNames - AggregateTable::kMaxRows) / 2);
  CHECK(table.bytes() >= written(table).ByteSizeLong());
}

TEST_CASE("more distributions than are kept: counts and sums stay exact") {
  AggregateTable table;
  std::mt19937_64 random(6);
  uint64_t spans = 0;
  for (uint32_t name = 1; name <= 20'000; ++name) {
    for (int i = 0; i < 30; ++i, ++spans) table.add(AggregateKey{3, 2, name, 0}.packed(), random() >> 20, false, true);
  }
  uint64_t counted = 0;
  uint64_t in_buckets = 0;
  for (const auto& [key, row] : read(written(table))) {
    counted += row.spans;
    for (const auto& [bucket, inside] : row.buckets) in_buckets += inside;
  }
  CHECK(counted == spans);
  CHECK(in_buckets <= spans);
  CHECK(in_buckets >= AggregateTable::kMaxBuckets);
}

}  // namespace
}  // namespace xsp::test
