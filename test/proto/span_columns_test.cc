#include "proto/span_columns.h"

#include <random>
#include <vector>

#include "test/catch.h"
#include "trace.pb.h"

namespace {

int32_t unzigzag(uint32_t value) { return static_cast<int32_t>(value >> 1) ^ -static_cast<int32_t>(value & 1); }

xsp::SpanBatch round_trip(const std::vector<xsp::SpanRow>& rows, size_t* size = nullptr) {
  std::vector<char> buffer(xsp::kMaxBatchHeadBytes + rows.size() * xsp::kMaxRowBytes);
  xsp::WireWriter writer(buffer.data(), buffer.size());
  xsp::BatchHead head{.thread = 99, .ring = 3, .first_record = 1000, .record_count = 2000, .clock = 0};
  xsp::write_span_columns(writer, head, rows.size(), [&](size_t i) -> const xsp::SpanRow& { return rows[i]; });
  REQUIRE_FALSE(writer.failed());
  if (size != nullptr) *size = writer.size();
  xsp::SpanBatch batch;
  REQUIRE(batch.ParseFromArray(writer.data(), static_cast<int>(writer.size())));
  return batch;
}

TEST_CASE("random spans survive the columns") {
  std::mt19937_64 random(1);
  std::vector<xsp::SpanRow> rows(1000);
  for (auto& row : rows) {
    row.begin = random() >> (random() % 64);
    row.end = row.begin + (random() >> (random() % 64)) % (UINT64_MAX - row.begin);
    row.id = static_cast<uint32_t>(random());
    row.parent = random() % 2 == 0 ? 0 : static_cast<uint32_t>(random());
    row.name = static_cast<uint32_t>(random());
    row.shape = static_cast<uint32_t>(random());
    row.bytes = random();
    row.has_bytes = true;
    row.level = 3;
    row.kind = 7;
  }
  const auto batch = round_trip(rows);
  CHECK(batch.thread() == 99);
  CHECK(batch.ring() == 3);
  CHECK(batch.first_record() == 1000);
  CHECK(batch.record_count() == 2000);
  REQUIRE(batch.count() == rows.size());
  CHECK(batch.type_size() == 0);
  CHECK(batch.has_bytes());
  uint64_t begin = 0;
  uint32_t id = 0;
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    const auto& row = rows[static_cast<size_t>(i)];
    begin += static_cast<uint64_t>(batch.begin(i));
    id += static_cast<uint32_t>(unzigzag(batch.id(i)));
    REQUIRE(begin == row.begin);
    REQUIRE(begin + batch.duration(i) == row.end);
    REQUIRE(id == row.id);
    const uint32_t parent = batch.parent(i) == 0 ? 0 : id - batch.parent(i);
    REQUIRE((parent == row.parent || row.parent == row.id));
    REQUIRE(batch.name(i) == row.name);
    REQUIRE(batch.shape(i) == row.shape);
    REQUIRE(batch.bytes(i) == row.bytes);
    REQUIRE(batch.level_kind(i) == (3u | 7u << 3));
  }
}

TEST_CASE("spans whose bytes are known are told from those whose are not") {
  std::vector<xsp::SpanRow> rows(3);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = {.begin = 1, .end = 2, .id = 1, .level = 3};
  CHECK(round_trip(rows).bytes_known_size() == 0);
  rows[1].has_bytes = true;
  const auto mixed = round_trip(rows);
  CHECK_FALSE(mixed.has_bytes());
  REQUIRE(mixed.bytes_known_size() == 3);
  CHECK(mixed.bytes_known(0) == 0);
  CHECK(mixed.bytes_known(1) == 1);
  CHECK(mixed.bytes_known(2) == 0);
  rows[0].has_bytes = rows[2].has_bytes = true;
  const auto all = round_trip(rows);
  CHECK(all.has_bytes());
  CHECK(all.bytes_known_size() == 0);
}

TEST_CASE("model calls that were not sampled are told from those that were") {
  std::vector<xsp::SpanRow> rows(2);
  for (auto& row : rows) row = {.begin = 1, .end = 2, .id = 1, .level = 2};
  CHECK(round_trip(rows).shallow_size() == 0);
  rows[1].shallow = true;
  const auto mixed = round_trip(rows);
  REQUIRE(mixed.shallow_size() == 2);
  CHECK(mixed.shallow(0) == 0);
  CHECK(mixed.shallow(1) == 1);
}

TEST_CASE("a layer's span takes at most 24 bytes") {
  std::vector<xsp::SpanRow> rows(1000);
  uint64_t now = 5'000'000'000'000;
  uint32_t id = 0;
  for (auto& row : rows) {
    row = {.begin = now, .end = now + 150'000, .id = ++id, .parent = 1, .name = 300 + id % 150, .type = 7};
    row.shape = 500 + id % 150;
    row.level = 3;
    row.kind = 2;
    now += 160'000;
  }
  size_t size = 0;
  round_trip(rows, &size);
  CHECK(size <= 24 * rows.size());
}

TEST_CASE("an empty batch has no columns") {
  const auto batch = round_trip({});
  CHECK(batch.count() == 0);
  CHECK(batch.begin_size() == 0);
}

}  // namespace
