// A libcupti of NVIDIA's, named by REAL_CUPTI, walks records that were made up here, and is asked to start where there
// is no driver. Run by real_cupti_test.py for every one found.
#include <dlfcn.h>

#include <memory>
#include <vector>

#include "inject/cupti/library/driver_functions.h"
#include "inject/cupti/records/activity_record.h"
#include "inject/cupti/session/session_start.h"
#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/fake_cuda/cupti/records.h"
#include "test/inject/cupti/records/device_records.h"
#include "test/inject/listening_peer.h"

namespace {

using namespace xsp::guest;
namespace cupti = xsp::guest::cupti;
using xsp::test::DeviceRecord;
using xsp::wire::Kind;

/// As the stand-in lays them out; that the library walks over them by the same sizes is a test of these. The libraries
/// of CUDA 11.8 and 12.1 have one version number, and kernels of 200 and 208 bytes.
size_t size_of(int kind, uint32_t version) {
  const bool is_cuda11 = strstr(getenv("REAL_CUPTI"), "libcupti.so.11") != nullptr;
  if (is_cuda11 && kind == cupti::kConcurrentKernel) return 200;
  return fake::record_size(static_cast<uint32_t>(kind), version);
}

DeviceRecord record_of(int kind, uint32_t version) { return {kind, size_of(kind, version)}; }

DeviceRecord timed(int kind, uint32_t version, size_t start, size_t correlation_at, uint32_t correlation) {
  DeviceRecord record = record_of(kind, version);
  return record.set<uint64_t>(start, 1000).set<uint64_t>(start + 8, 2000).set(correlation_at, correlation);
}

/// Before CUDA 12.2 the record ends with its times.
bool tells_call_of_overhead(uint32_t version) { return fake::record_size(cupti::kOverhead, version) > 40; }

/// One record of each kind, with correlation ids from 1.
std::vector<DeviceRecord> all_records(uint32_t version) {
  std::vector<DeviceRecord> records;
  records.push_back(timed(cupti::kConcurrentKernel, version, 16, 92, 1));
  records.push_back(timed(cupti::kMemcpy, version, 16, 44, 2));
  records.push_back(timed(cupti::kPeerMemcpy, version, 16, 60, 3));
  records.push_back(timed(cupti::kMemset, version, 16, 44, 4));
  records.push_back(timed(cupti::kSynchronization, version, 8, 24, 5));
  records.push_back(record_of(cupti::kOverhead, version).set<uint64_t>(24, 1000).set<uint64_t>(32, 2000));
  if (tells_call_of_overhead(version)) records.back().set<uint32_t>(40, 6);
  records.push_back(record_of(cupti::kMemory, version).set<uint64_t>(32, 1000).set<uint32_t>(4, 1));
  records.back().set<uint32_t>(8, 3).set<uint32_t>(12, 7);
  records.push_back(timed(cupti::kRuntime, version, 8, 32, 8));
  records.push_back(timed(cupti::kDriver, version, 8, 32, 9));
  return records;
}

constexpr Kind kKinds[] = {Kind::kKernel,   Kind::kMemcpy, Kind::kMemcpy,      Kind::kMemset,    Kind::kSynchronization,
                           Kind::kOverhead, Kind::kMemory, Kind::kRuntimeCall, Kind::kDriverCall};

/// Without a driver some versions crash in whatever is called: then nothing must be.
TEST_CASE("without a driver the program goes on") {
  if (driver_is_up()) return;
  xsp::test::ListeningPeer peer;
  int status = 0;
  const auto received = peer.run(
      [] {
        setenv("XSP_CUPTI", getenv("REAL_CUPTI"), 1);
        start_session();
        finish_span(start_span(intern("after"), 2, 1, 0, 0), {});
      },
      &status);
  CHECK(status == 0);
  REQUIRE(received.size() == 1);
  CHECK(received[0].spans.size() == 1);
  CHECK(received[0].notices().find("no NVIDIA driver") != std::string::npos);
  CHECK(received[0].goodbye);
}

TEST_CASE("the library walks its records and each is read") {
  void* library = dlopen(getenv("REAL_CUPTI"), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  auto* get_version = reinterpret_cast<cupti::Result (*)(uint32_t*)>(dlsym(library, "cuptiGetVersion"));
  auto* get_next = reinterpret_cast<decltype(cupti::Functions::activity_get_next_record)>(
      dlsym(library, "cuptiActivityGetNextRecord"));
  Session session{};
  REQUIRE(get_version(&session.version) == cupti::kSuccess);
  INFO("version " << session.version);

  std::vector<uint64_t> buffer;  // aligned as CUPTI wants it
  size_t used = 0;
  for (int round = 0; round < 3; ++round) {
    for (const DeviceRecord& record : all_records(session.version)) {
      buffer.resize((used + record.size()) / 8);
      memcpy(reinterpret_cast<uint8_t*>(buffer.data()) + used, record.data(), record.size());
      used += record.size();
    }
  }
  auto texts = std::make_unique<ActivityTexts>();
  ActivityReader reader(session, *texts);
  const uint8_t* record = nullptr;
  cupti::Result result;
  size_t count = 0;
  while ((result = get_next(reinterpret_cast<uint8_t*>(buffer.data()), used, &record)) == cupti::kSuccess) {
    xsp::shm::ActivityRecord activity;
    REQUIRE(reader.read(record, 1, &activity) == ActivityReader::Outcome::kKept);
    CHECK(static_cast<Kind>(activity.kind) == kKinds[count % 9]);
    const bool is_told = kKinds[count % 9] != Kind::kOverhead || tells_call_of_overhead(session.version);
    CHECK(activity.correlation == (is_told ? count % 9 + 1 : 0));
    CHECK(activity.begin == 1000);
    ++count;
  }
  CHECK(result == cupti::kMaxLimitReached);
  CHECK(count == 27);
}

/// What the walk through one kernel's record and what lies behind it comes to.
struct Walk {
  size_t records = 0;
  cupti::Result end = cupti::kSuccess;
};

Walk walk_behind_kernel(int kind, size_t valid_behind) {
  void* library = dlopen(getenv("REAL_CUPTI"), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  uint32_t version = 0;
  REQUIRE(reinterpret_cast<cupti::Result (*)(uint32_t*)>(dlsym(library, "cuptiGetVersion"))(&version) == 0);
  auto* get_next = reinterpret_cast<decltype(cupti::Functions::activity_get_next_record)>(
      dlsym(library, "cuptiActivityGetNextRecord"));
  const size_t bytes = size_of(cupti::kConcurrentKernel, version);
  std::vector<uint64_t> buffer(bytes / 8 + 64);
  auto* memory = reinterpret_cast<uint8_t*>(buffer.data());
  const DeviceRecord first(cupti::kConcurrentKernel, bytes);
  memcpy(memory, first.data(), bytes);
  memcpy(memory + bytes, &kind, sizeof kind);
  Walk walk;
  const uint8_t* record = nullptr;
  while ((walk.end = get_next(memory, bytes + valid_behind, &record)) == cupti::kSuccess) ++walk.records;
  return walk;
}

TEST_CASE("the library's walk passes over a record that the buffer's end cuts, and stops before an unknown one") {
  const Walk whole = walk_behind_kernel(cupti::kRuntime, 40);
  CHECK(whole.records == 2);
  CHECK(whole.end == cupti::kMaxLimitReached);
  const Walk cut = walk_behind_kernel(cupti::kRuntime, 39);
  CHECK(cut.records == 1);
  CHECK(cut.end == cupti::kMaxLimitReached);
  for (const int kind : {0, 201}) {
    const Walk unknown = walk_behind_kernel(kind, 200);
    CHECK(unknown.records == 1);
    // CUPTI_ERROR_INVALID_KIND of 13.0, CUPTI_ERROR_UNKNOWN of 12.1.
    CHECK(unknown.end != cupti::kSuccess);
    CHECK(unknown.end != cupti::kMaxLimitReached);
  }
}

}  // namespace
