#include "proto/activity_columns.h"

#include <array>
#include <random>
#include <vector>

#include "test/catch.h"
#include "trace.pb.h"

namespace {

const std::array<xsp::ActivityQueue, 2> kQueues{{{0, 1, 7}, {3, 2, 13}}};

xsp::ActivityBatch round_trip(const std::vector<xsp::ActivityRow>& rows, size_t* size = nullptr) {
  std::vector<char> buffer(xsp::kMaxBatchHeadBytes + kQueues.size() * xsp::kMaxQueueBytes +
                           rows.size() * xsp::kMaxActivityBytes);
  xsp::WireWriter writer(buffer.data(), buffer.size());
  const xsp::BatchHead head{.ring = 3, .first_record = 1000, .record_count = 2000, .clock = 2};
  xsp::write_activity_columns(
      writer, head, kQueues.size(), [](size_t i) -> const xsp::ActivityQueue& { return kQueues[i]; }, rows.size(),
      [&](size_t i) -> const xsp::ActivityRow& { return rows[i]; });
  REQUIRE_FALSE(writer.failed());
  if (size != nullptr) *size = writer.size();
  xsp::ActivityBatch batch;
  REQUIRE(batch.ParseFromArray(writer.data(), static_cast<int>(writer.size())));
  return batch;
}

TEST_CASE("random activities survive the columns") {
  std::mt19937_64 random(1);
  const auto some = [&] { return static_cast<uint32_t>(random() >> (random() % 64)); };
  std::vector<xsp::ActivityRow> rows(1000);
  for (auto& row : rows) {
    row.begin = random() >> (random() % 64);
    row.end = row.begin + (random() >> (random() % 64)) % (UINT64_MAX - row.begin);
    row.bytes = random();
    row.graph_node = random() >> (1 + random() % 63);
    row.name = some();
    row.correlation = some();
    row.queue = random() % 2;
    row.launch = {some(), some()};
    row.capture = {some(), some()};
    row.level = 6;
    row.kind = 13;
  }
  const auto batch = round_trip(rows);
  CHECK(batch.clock() == xsp::CLOCK_CUPTI);
  REQUIRE(batch.count() == rows.size());
  REQUIRE(batch.queue_size() == 2);
  CHECK(batch.queue(1).device() == 3);
  CHECK(batch.queue(1).context() == 2);
  CHECK(batch.queue(1).stream() == 13);
  CHECK(batch.configuration_size() == 0);
  uint64_t begin = 0;
  xsp::DistanceColumn correlations;
  xsp::DistanceColumn nodes;
  xsp::DistanceColumn launches;
  xsp::DistanceColumn captures;
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    const auto& row = rows[static_cast<size_t>(i)];
    begin += static_cast<uint64_t>(batch.begin(i));
    REQUIRE(begin == row.begin);
    REQUIRE(begin + batch.duration(i) == row.end);
    REQUIRE(batch.bytes(i) == row.bytes);
    REQUIRE(batch.name(i) == row.name);
    REQUIRE(batch.queue_index(i) == row.queue);
    REQUIRE(correlations.decode(batch.correlation(i)) == row.correlation);
    REQUIRE(nodes.decode(batch.graph_node(i)) == row.graph_node);
    REQUIRE(batch.launch_ring(i) == row.launch.ring);
    REQUIRE(launches.decode(batch.launch(i)) == row.launch.id);
    REQUIRE(batch.capture_ring(i) == row.capture.ring);
    REQUIRE(captures.decode(batch.capture(i)) == row.capture.id);
  }
}

TEST_CASE("an execution in a file takes few bytes") {
  std::vector<xsp::ActivityRow> rows(1000);
  for (uint32_t i = 0; i < rows.size(); ++i) {
    xsp::ActivityRow& row = rows[i];
    row.begin = 1'000'000'000'000 + uint64_t{i} * 20'000;
    row.end = row.begin + 12'345;
    row.name = 200 + i % 50;
    row.configuration = 300 + i % 50;
    row.correlation = 1000 + 7 * i;
    row.launch = {1, 5000 + 3 * i};
    row.level = 6;
    row.kind = 13;
  }
  size_t size = 0;
  round_trip(rows, &size);
  CHECK(size < rows.size() * 16);
}

}  // namespace
