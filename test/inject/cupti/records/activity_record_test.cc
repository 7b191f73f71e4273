#include "inject/cupti/records/activity_record.h"

#include <memory>

#include "test/catch.h"
#include "test/inject/cupti/records/device_records.h"

namespace {

using namespace xsp::guest;
namespace cupti = xsp::guest::cupti;
using Outcome = ActivityReader::Outcome;
using xsp::test::DeviceRecord;
using xsp::test::kernel;
using xsp::wire::Kind;

/// Nothing records here: names are 0.
struct Reading {
  Session session{};
  std::unique_ptr<ActivityTexts> texts = std::make_unique<ActivityTexts>();
  xsp::shm::ActivityRecord activity{};

  explicit Reading(uint32_t version = 130001) { session.version = version; }
  Outcome read(const DeviceRecord& record) {
    ActivityReader reader(session, *texts);
    return reader.read(record.data(), 1, &activity);
  }
  Kind kind() const { return static_cast<Kind>(activity.kind); }
};

TEST_CASE("a copy between devices has its own place for the correlation id") {
  DeviceRecord record(cupti::kPeerMemcpy, 96);
  record.set<uint64_t>(8, 4096).set<uint64_t>(16, 100).set<uint64_t>(24, 200);
  record.set<uint32_t>(32, 1).set<uint32_t>(36, 2).set<uint32_t>(40, 3).set<uint32_t>(44, 666);
  record.set<uint32_t>(60, 55).set<uint64_t>(72, 12).set<uint32_t>(80, 13);
  Reading reading;
  REQUIRE(reading.read(record) == Outcome::kKept);
  CHECK(reading.kind() == Kind::kMemcpy);
  CHECK(reading.activity.bytes == 4096);
  CHECK(reading.activity.correlation == 55);
  CHECK(reading.activity.graph_node == 12);
  CHECK(reading.activity.graph == 13);
  CHECK(reading.activity.stream == 3);
}

TEST_CASE("host memory is not device memory") {
  DeviceRecord record(cupti::kMemory, 128);
  record.set<uint32_t>(4, 1).set<uint32_t>(8, 2).set<uint64_t>(24, 64).set<uint64_t>(32, 1000);
  CHECK(Reading().read(record) == Outcome::kIgnored);
  record.set<uint32_t>(8, 3);
  Reading reading;
  REQUIRE(reading.read(record) == Outcome::kKept);
  CHECK(reading.kind() == Kind::kMemory);
  CHECK(reading.activity.begin == 1000);
  CHECK(reading.activity.end == 1000);
  CHECK(reading.activity.bytes == 64);
}

TEST_CASE("the correlation id of an overhead is read where the version has one") {
  DeviceRecord record(cupti::kOverhead, 56);
  record.set<uint32_t>(4, 5u << 16).set<uint32_t>(8, 2).set<uint64_t>(24, 10).set<uint64_t>(32, 20);
  record.set<uint32_t>(40, 7);
  Reading old(cupti::kOldestVersion);
  REQUIRE(old.read(record) == Outcome::kKept);
  CHECK(old.activity.correlation == 0);
  Reading now;
  REQUIRE(now.read(record) == Outcome::kKept);
  CHECK(now.activity.correlation == 7);
}

TEST_CASE("a synchronization is on the device of its context") {
  Session session{};
  auto texts = std::make_unique<ActivityTexts>();
  ActivityReader reader(session, *texts);
  xsp::shm::ActivityRecord activity;
  auto on_second = kernel("x", 1, 5, 6);
  on_second.set<uint32_t>(cupti::kernel_record::kDevice, 3).set<uint32_t>(cupti::kernel_record::kContext, 8);
  reader.read(on_second.data(), 1, &activity);
  DeviceRecord record(cupti::kSynchronization, 56);
  record.set<uint32_t>(4, 4).set<uint64_t>(8, 10).set<uint64_t>(16, 20).set<uint32_t>(28, 8).set<uint32_t>(32, ~0u);
  REQUIRE(reader.read(record.data(), 1, &activity) == Outcome::kKept);
  CHECK(activity.device == 3);
  CHECK(activity.stream == 0);
}

TEST_CASE("a question whether an event is done, which is not, is no synchronization, where the version can tell") {
  constexpr uint32_t kNotReady = 600;
  DeviceRecord record(cupti::kSynchronization, 56);
  record.set<uint32_t>(4, 1).set<uint64_t>(8, 10).set<uint64_t>(16, 20).set<uint32_t>(48, kNotReady);
  CHECK(Reading().read(record) == Outcome::kIgnored);
  CHECK(Reading(cupti::kOldestVersion).read(record) == Outcome::kKept);
  CHECK(Reading().read(record.set<uint32_t>(48, 0)) == Outcome::kKept);
}

TEST_CASE("a call that failed is marked") {
  DeviceRecord record(cupti::kRuntime, 40);
  record.set<uint64_t>(8, 10).set<uint64_t>(16, 20).set<uint32_t>(28, 1234).set<uint32_t>(36, 2);
  Reading reading;
  REQUIRE(reading.read(record) == Outcome::kKept);
  CHECK(reading.kind() == Kind::kRuntimeCall);
  CHECK(reading.activity.context == 1234);
  CHECK(reading.activity.flags == xsp::shm::kFlagFailed);
}

TEST_CASE("records of other kinds are ignored") {
  for (const int kind : {0, 6, 8, 11, 12, 37, 39, 46, 51, 54, 999}) {
    CHECK(Reading().read(DeviceRecord(kind, 512)) == Outcome::kIgnored);
  }
}

}  // namespace
