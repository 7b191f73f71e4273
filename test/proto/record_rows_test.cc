#include "proto/record_rows.h"

#include "test/catch.h"

namespace {

using namespace xsp;

TEST_CASE("a record that began on another ring says so in its row") {
  shm::Record record{};
  record.type = 40;
  record.shape = 3;
  record.flags = shm::kFlagForeign | shm::kFlagFailed;
  const SpanRow row = row_of(record);
  CHECK(row.start_thread == 40);
  CHECK(row.start_ring == 4);
  CHECK(row.type == 0);
  CHECK(row.shape == 0);
  CHECK(row.failed);
}

TEST_CASE("a record of backward work has its forward span and no correlation") {
  shm::Record record{};
  record.scope = 2;
  record.correlation = 77;
  record.flags = shm::kFlagForward;
  const SpanRow row = row_of(record);
  CHECK(row.forward_ring == 2);
  CHECK(row.forward == 77);
  CHECK(row.scope == 0);
  CHECK(row.correlation == 0);
}

TEST_CASE("an activity's row depends on its kind") {
  shm::ActivityRecord record{};
  record.correlation = 6;
  record.graph_node = 9;
  record.context = 40;
  record.stream = 7;
  record.kind = static_cast<uint8_t>(wire::Kind::kKernel);
  CHECK(row_of(record, 2).correlation == 6);
  CHECK(row_of(record, 2).queue == 2);
  CHECK(row_of(record, 2).level == static_cast<uint8_t>(wire::Level::kDevice));
  CHECK(queue_of(record).stream == 7);

  record.kind = static_cast<uint8_t>(wire::Kind::kDriverCall);
  CHECK(row_of(record, 0).thread == 40);
  CHECK(row_of(record, 0).level == static_cast<uint8_t>(wire::Level::kRuntime));
  CHECK(queue_of(record) == ActivityQueue());

  record.kind = static_cast<uint8_t>(wire::Kind::kStreamInterval);
  CHECK(row_of(record, 0).launch.ring == 7);
  CHECK(row_of(record, 0).launch.id == 9);
  CHECK(row_of(record, 0).correlation == 0);
}

}  // namespace
