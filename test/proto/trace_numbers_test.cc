#include "proto/trace_numbers.h"

#include "test/catch.h"
#include "trace.pb.h"

namespace {

using xsp::Packet;
using xsp::wire::Body;
using xsp::wire::Kind;
using xsp::wire::Level;

TEST_CASE("the numbers of bodies, levels and kinds are those of trace.proto") {
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
  CHECK(static_cast<int>(Body::kArguments) == Packet::kArguments);
  CHECK(static_cast<int>(Body::kUnintercepted) == Packet::kUnintercepted);
  CHECK(static_cast<int>(Body::kLoadedFiles) == Packet::kLoadedFiles);
  CHECK(static_cast<int>(Body::kActivities) == Packet::kActivities);
  CHECK(static_cast<int>(Body::kGraphNodes) == Packet::kGraphNodes);
  CHECK(static_cast<int>(Body::kGap) == Packet::kGap);
  CHECK(static_cast<int>(Body::kDevice) == Packet::kDevice);
  CHECK(static_cast<int>(Body::kCounters) == Packet::kCounters);
  CHECK(static_cast<int>(Body::kAggregates) == Packet::kAggregates);
  CHECK(static_cast<int>(Body::kSampling) == Packet::kSampling);
  CHECK(static_cast<int>(Body::kOverhead) == Packet::kOverhead);
  CHECK(static_cast<int>(Body::kUsedLibrary) == Packet::kUsedLibrary);
  CHECK(static_cast<int>(Level::kApplication) == xsp::LEVEL_APPLICATION);
  CHECK(static_cast<int>(Level::kModel) == xsp::LEVEL_MODEL);
  CHECK(static_cast<int>(Level::kLayer) == xsp::LEVEL_LAYER);
  CHECK(static_cast<int>(Level::kLibrary) == xsp::LEVEL_LIBRARY);
  CHECK(static_cast<int>(Level::kRuntime) == xsp::LEVEL_RUNTIME);
  CHECK(static_cast<int>(Level::kDevice) == xsp::LEVEL_DEVICE);
  CHECK(xsp::wire::kLevelCount == xsp::Level_ARRAYSIZE);
  CHECK(static_cast<int>(Kind::kApi) == xsp::KIND_API);
  CHECK(static_cast<int>(Kind::kTorchModule) == xsp::KIND_TORCH_MODULE);
  CHECK(static_cast<int>(Kind::kTorchContainer) == xsp::KIND_TORCH_CONTAINER);
  CHECK(static_cast<int>(Kind::kTorchRoot) == xsp::KIND_TORCH_ROOT);
  CHECK(static_cast<int>(Kind::kOrtRun) == xsp::KIND_ORT_RUN);
  CHECK(static_cast<int>(Kind::kOrtNode) == xsp::KIND_ORT_NODE);
  CHECK(static_cast<int>(Kind::kTorchScript) == xsp::KIND_TORCH_SCRIPT);
  CHECK(static_cast<int>(Kind::kLibraryCall) == xsp::KIND_LIBRARY_CALL);
  CHECK(static_cast<int>(Kind::kRuntimeCall) == xsp::KIND_RUNTIME_CALL);
  CHECK(static_cast<int>(Kind::kNvtxRange) == xsp::KIND_NVTX_RANGE);
  CHECK(static_cast<int>(Kind::kIttTask) == xsp::KIND_ITT_TASK);
  CHECK(static_cast<int>(Kind::kDriverCall) == xsp::KIND_DRIVER_CALL);
  CHECK(static_cast<int>(Kind::kKernel) == xsp::KIND_KERNEL);
  CHECK(static_cast<int>(Kind::kMemcpy) == xsp::KIND_MEMCPY);
  CHECK(static_cast<int>(Kind::kMemset) == xsp::KIND_MEMSET);
  CHECK(static_cast<int>(Kind::kSynchronization) == xsp::KIND_SYNCHRONIZATION);
  CHECK(static_cast<int>(Kind::kMemory) == xsp::KIND_MEMORY);
  CHECK(static_cast<int>(Kind::kOverhead) == xsp::KIND_OVERHEAD);
  CHECK(static_cast<int>(Kind::kStreamInterval) == xsp::KIND_STREAM_INTERVAL);
  CHECK(static_cast<int>(Kind::kOperator) == xsp::KIND_OPERATOR);
  CHECK(static_cast<int>(Kind::kPythonFunction) == xsp::KIND_PYTHON_FUNCTION);
  CHECK(static_cast<int>(Kind::kAnnotation) == xsp::KIND_ANNOTATION);
  CHECK(static_cast<int>(Kind::kRun) == xsp::KIND_RUN);
}

TEST_CASE("the numbers of clocks, losses and gaps are those of trace.proto") {
  using xsp::wire::Clock;
  using xsp::wire::GapReason;
  using xsp::wire::LossReason;
  CHECK(static_cast<int>(Clock::kMonotonicNs) == xsp::CLOCK_MONOTONIC_NS);
  CHECK(static_cast<int>(Clock::kTsc) == xsp::CLOCK_TSC);
  CHECK(static_cast<int>(Clock::kCupti) == xsp::CLOCK_CUPTI);
  CHECK(static_cast<int>(LossReason::kProfileFile) == xsp::Loss::PROFILE_FILE);
  CHECK(static_cast<int>(LossReason::kActivity) == xsp::Loss::ACTIVITY);
  CHECK(static_cast<int>(LossReason::kZeroTime) == xsp::Loss::ZERO_TIME);
  CHECK(static_cast<int>(LossReason::kInverted) == xsp::Loss::INVERTED);
  CHECK(static_cast<int>(LossReason::kGraphNodes) == xsp::Loss::GRAPH_NODES);
  CHECK(static_cast<int>(LossReason::kCounters) == xsp::Loss::COUNTERS);
  CHECK(static_cast<int>(LossReason::kNotCounted) == xsp::Loss::NOT_COUNTED);
  CHECK(static_cast<int>(LossReason::kRemoved) == xsp::Loss::REMOVED);
  CHECK(xsp::wire::kLossReasons == xsp::Loss::Reason_ARRAYSIZE);
  CHECK(static_cast<int>(GapReason::kOtherProfiler) == xsp::Gap::OTHER_PROFILER);
  CHECK(static_cast<int>(GapReason::kOutsideRange) == xsp::Gap::OUTSIDE_RANGE);
  CHECK(static_cast<int>(GapReason::kNoCallbacks) == xsp::Gap::NO_CALLBACKS);
  CHECK(static_cast<int>(GapReason::kNotStored) == xsp::Gap::NOT_STORED);
  CHECK(static_cast<int>(GapReason::kNotSampled) == xsp::Gap::NOT_SAMPLED);
  CHECK(static_cast<int>(GapReason::kCuptiFailed) == xsp::Gap::CUPTI_FAILED);
}

}  // namespace
