#include "collector/writing/trace_fields.h"

#include "test/catch.h"
#include "trace.pb.h"

namespace xsp {
namespace {

TEST_CASE("the collector's numbers are those of trace.proto") {
  CHECK(static_cast<int>(LossReason::kRingFull) == Loss::RING_FULL);
  CHECK(static_cast<int>(LossReason::kNoRing) == Loss::NO_RING);
  CHECK(static_cast<int>(LossReason::kTooDeep) == Loss::TOO_DEEP);
  CHECK(static_cast<int>(LossReason::kStringsFull) == Loss::STRINGS_FULL);
  CHECK(static_cast<int>(LossReason::kCorrupt) == Loss::CORRUPT);
  CHECK(static_cast<int>(LossReason::kDiskFull) == Loss::DISK_FULL);
  CHECK(static_cast<int>(LossReason::kProfileFile) == Loss::PROFILE_FILE);
  CHECK(kLossReasons == Loss::Reason_ARRAYSIZE);
  CHECK(static_cast<int>(EndHow::kGoodbye) == ProcessEnd::GOODBYE);
  CHECK(static_cast<int>(EndHow::kDisconnected) == ProcessEnd::DISCONNECTED);
  CHECK(static_cast<int>(EndHow::kCutOff) == ProcessEnd::CUT_OFF);
  CHECK(static_cast<int>(EndHow::kStillRunning) == ProcessEnd::STILL_RUNNING);
  CHECK(static_cast<int>(Severity::kError) == Notice::ERROR);
  CHECK(static_cast<int>(TraceClock::kTsc) == CLOCK_TSC);
}

}  // namespace
}  // namespace xsp
