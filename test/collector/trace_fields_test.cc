#include "collector/trace_fields.h"

#include "test/catch.h"
#include "trace.pb.h"

namespace xsp {
namespace {

TEST_CASE("the collector's numbers are those of trace.proto") {
  CHECK(static_cast<int>(Body::kHeader) == Packet::kHeader);
  CHECK(static_cast<int>(Body::kHello) == Packet::kHello);
  CHECK(static_cast<int>(Body::kStrings) == Packet::kStrings);
  CHECK(static_cast<int>(Body::kSpans) == Packet::kSpans);
  CHECK(static_cast<int>(Body::kTags) == Packet::kTags);
  CHECK(static_cast<int>(Body::kOpenSpans) == Packet::kOpenSpans);
  CHECK(static_cast<int>(Body::kClock) == Packet::kClock);
  CHECK(static_cast<int>(Body::kLoss) == Packet::kLoss);
  CHECK(static_cast<int>(Body::kNotice) == Packet::kNotice);
  CHECK(static_cast<int>(Body::kProfileFile) == Packet::kProfileFile);
  CHECK(static_cast<int>(Body::kProcessEnd) == Packet::kProcessEnd);
  CHECK(static_cast<int>(Body::kTraceEnd) == Packet::kTraceEnd);
  CHECK(static_cast<int>(LossReason::kRingFull) == Loss::RING_FULL);
  CHECK(static_cast<int>(LossReason::kNoRing) == Loss::NO_RING);
  CHECK(static_cast<int>(LossReason::kTooDeep) == Loss::TOO_DEEP);
  CHECK(static_cast<int>(LossReason::kStringsFull) == Loss::STRINGS_FULL);
  CHECK(static_cast<int>(LossReason::kCorrupt) == Loss::CORRUPT);
  CHECK(static_cast<int>(LossReason::kDiskFull) == Loss::DISK_FULL);
  CHECK(static_cast<int>(LossReason::kProfileFile) == Loss::PROFILE_FILE);
  CHECK(kLossReasons == Loss::Reason_ARRAYSIZE);
  CHECK(kLevels == Level_ARRAYSIZE);
  CHECK(kLevelLayer == LEVEL_LAYER);
  CHECK(kKindOrtNode == KIND_ORT_NODE);
  CHECK(static_cast<int>(EndHow::kGoodbye) == ProcessEnd::GOODBYE);
  CHECK(static_cast<int>(EndHow::kDisconnected) == ProcessEnd::DISCONNECTED);
  CHECK(static_cast<int>(EndHow::kCutOff) == ProcessEnd::CUT_OFF);
  CHECK(static_cast<int>(EndHow::kStillRunning) == ProcessEnd::STILL_RUNNING);
  CHECK(static_cast<int>(Severity::kError) == Notice::ERROR);
  CHECK(static_cast<int>(TraceClock::kTsc) == CLOCK_TSC);
}

}  // namespace
}  // namespace xsp
