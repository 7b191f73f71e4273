#include "activity.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <vector>

#include "entry.h"
#include "records.h"

namespace fake {
namespace {

std::atomic<uint8_t> enabled[kKinds];
std::atomic<uint8_t> api[2][1024];  // of the driver and the runtime, by callback id

void choose_api(uint32_t kind, bool wanted) {
  if (kind == kDriver || kind == kRuntime)
    for (auto& call : api[kind - kDriver]) call = wanted;
}
std::atomic<uint32_t> thread_id_type{0};
std::atomic<uint32_t> sessions{0};  // kernels were enabled so often
/// CUpti_ExternalCorrelationKind has 7 values.
thread_local std::vector<uint64_t>* external[8] = {};
/// CUpti_ActivityAttribute.
enum : uint32_t { kPoolLimit = 2, kZeroedBuffers = 5, kPerThreadBuffers = 9, kAttributes = 11 };

struct Attributes {
  std::mutex lock;
  uint64_t values[kAttributes];
};
Attributes& attributes() {
  static Attributes* const instance = [] {
    auto* const made = new Attributes{{}, {8388608, 8388608, 250, 25000, 250, 0, 3, 1, 0, 0, 16777216}};
    made->values[kPerThreadBuffers] = cupti_version() >= 130000;
    use_buffers_per_thread(made->values[kPerThreadBuffers] != 0);
    return made;
  }();
  return *instance;
}

size_t attribute_size(uint32_t attribute) {
  return attribute == kZeroedBuffers || attribute >= 8 ? (attribute == 10 ? 8 : 1) : 8;
}

bool any_kind_enabled() {
  return std::any_of(std::begin(enabled), std::end(enabled), [](const auto& kind) { return kind != 0; });
}

}  // namespace

bool kind_enabled(uint32_t kind) { return kind < kKinds && enabled[kind]; }

uint32_t wants_execution(const fake_execution& execution) {
  const auto kind = static_cast<uint32_t>(execution.kind);
  const bool of_kernels = kind == kConcurrentKernel && kind_enabled(kKernel);
  uint32_t wanted = kind_enabled(kind) || of_kernels ? uint32_t{kOwnRecord} : 0;
  if (execution.graph != 0) {
    if (kind_enabled(kGraphTrace)) wanted = kGraphRecord;
    if (graph_ids_are_wrong(sessions)) wanted |= kWrongGraphId;
  }
  return wanted;
}

void record_call(const fake_call& call) {
  const uint32_t kind = call.domain == kFakeRuntimeDomain ? kRuntime : kDriver;
  if (call.callback >= 1024 || !api[kind - kDriver][call.callback]) return;
  if (kind_enabled(kExternalCorrelation)) {
    for (uint32_t i = 0; i < 8; ++i) {
      if (external[i] == nullptr || external[i]->empty()) continue;
      const ExternalCorrelationRecord record = {kExternalCorrelation, i, external[i]->back(), call.correlation, 0};
      add_record(&record, kExternalCorrelation);
    }
  }
  ApiRecord record = {};
  record.kind = kind;
  record.callback = call.callback;
  record.start = timestamp_of(call.begin);
  record.end = timestamp_of(call.end);
  record.process = static_cast<uint32_t>(getpid());
  record.thread =
      thread_id_type == 1 ? static_cast<uint32_t>(syscall(SYS_gettid)) : static_cast<uint32_t>(pthread_self());
  record.correlation = call.correlation;
  record.result = static_cast<uint32_t>(*call.result);
  add_record(&record, kind);
}

void detach_records() {
  for (auto& kind : enabled) kind = 0;
  choose_api(kDriver, false);
  choose_api(kRuntime, false);
  hand_over(HandOver::kAll);
}

}  // namespace fake

using namespace fake;

EXPORT int cuptiActivityEnable(uint32_t kind) {
  if (const int status = attached()) return status;
  if (kind == 0 || kind >= kKinds) return kCuptiInvalidKind;
  if (kind == kKernel && enabled[kConcurrentKernel]) return kCuptiNotCompatible;
  if (kind == kConcurrentKernel && enabled[kKernel]) return kCuptiNotCompatible;
  attributes();
  if (kind == kConcurrentKernel && !enabled[kind]) {
    ++sessions;
    clock_begins_session();
  }
  enabled[kind] = 1;
  choose_api(kind, true);
  if (kind == kDeviceRecord) record_devices();
  start_worker();
  return kCuptiSuccess;
}
EXPORT int cuptiActivityDisable(uint32_t kind) {
  if (const int status = attached()) return status;
  if (kind == 0 || kind >= kKinds) return kCuptiInvalidKind;
  enabled[kind] = 0;
  choose_api(kind, false);
  return kCuptiSuccess;
}
EXPORT int cuptiActivityEnableContext(void*, uint32_t kind) { return cuptiActivityEnable(kind); }
EXPORT int cuptiActivityDisableContext(void*, uint32_t kind) { return cuptiActivityDisable(kind); }
EXPORT int cuptiActivityRegisterCallbacks(BufferRequested* requested, BufferCompleted* completed) {
  if (requested == nullptr || completed == nullptr) return kCuptiInvalidParameter;
  register_buffers(requested, completed);
  return kCuptiSuccess;
}
EXPORT int cuptiActivityFlushAll(uint32_t flag) {
  if (const int status = attached()) return status;
  if (foreign_flush_crashes() && others_have_buffers()) {
    fprintf(stderr, "stand-in libcupti: another thread's buffers were flushed, before 12.8\n");
    abort();
  }
  hand_over((flag & 1) != 0 ? HandOver::kAll : HandOver::kFinished);
  return kCuptiSuccess;
}
EXPORT int cuptiActivityFlush(void*, uint32_t, uint32_t flag) { return cuptiActivityFlushAll(flag); }
EXPORT int cuptiActivityFlushPeriod(uint32_t milliseconds) {
  set_flush_period(milliseconds);
  return kCuptiSuccess;
}
/// As the real ones walk (test/inject/cupti/real_cupti_check.cc): over a record that the end of the buffer cuts as if
/// it were not there, and not over one of an unknown kind.
EXPORT int cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, uint8_t** record) {
  if (record == nullptr || (buffer == nullptr && valid != 0)) return kCuptiInvalidParameter;
  const auto size_of = [](const uint8_t* at) {
    uint32_t kind;
    memcpy(&kind, at, sizeof kind);
    return record_size(kind, cupti_version());
  };
  uint8_t* const next = *record == nullptr ? buffer : *record + size_of(*record);
  if (next + sizeof(uint32_t) > buffer + valid) return kCuptiMaxLimitReached;
  const size_t size = size_of(next);
  if (size == 0) return cupti_version() < 22 ? kCuptiUnknown : kCuptiInvalidKind;
  if (next + size > buffer + valid) return kCuptiMaxLimitReached;
  *record = next;
  return kCuptiSuccess;
}
EXPORT int cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
  if (is_handing_over() && misbehaves("dropped_count_locks")) abort();
  *dropped = take_dropped();
  return kCuptiSuccess;
}
EXPORT int cuptiActivityGetAttribute(uint32_t attribute, size_t* size, void* value) {
  if (size == nullptr || value == nullptr || attribute >= kAttributes) return kCuptiInvalidParameter;
  if (*size < attribute_size(attribute)) return kCuptiParameterSize;
  Attributes& a = attributes();
  std::lock_guard held(a.lock);
  memcpy(value, &a.values[attribute], *size = attribute_size(attribute));
  return kCuptiSuccess;
}
EXPORT int cuptiActivitySetAttribute(uint32_t attribute, size_t* size, void* value) {
  if (size == nullptr || value == nullptr || attribute >= kAttributes) return kCuptiInvalidParameter;
  if (*size < attribute_size(attribute)) return kCuptiParameterSize;
  Attributes& a = attributes();
  std::lock_guard held(a.lock);
  uint64_t wanted = 0;
  memcpy(&wanted, value, attribute_size(attribute));
  if (attribute == kPerThreadBuffers && wanted != a.values[attribute] && (any_kind_enabled() || buffers_are_out())) {
    fprintf(stderr, "stand-in libcupti: buffers per thread chosen anew while records are made\n");
    abort();
  }
  a.values[attribute] = wanted;
  if (attribute == kPerThreadBuffers) use_buffers_per_thread(wanted != 0);
  if (attribute == kZeroedBuffers) expect_zeroed_buffers(wanted != 0);
  return kCuptiSuccess;
}
EXPORT int cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id) {
  if (kind == 0 || kind >= 8) return kCuptiInvalidParameter;
  if (external[kind] == nullptr) external[kind] = new std::vector<uint64_t>;
  external[kind]->push_back(id);
  return kCuptiSuccess;
}
EXPORT int cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t* id) {
  if (kind == 0 || kind >= 8) return kCuptiInvalidParameter;
  if (external[kind] == nullptr || external[kind]->empty()) return kCuptiQueueEmpty;
  if (id != nullptr) *id = external[kind]->back();
  external[kind]->pop_back();
  return kCuptiSuccess;
}
EXPORT int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)()) {
  use_clock(clock);
  return kCuptiSuccess;
}
EXPORT int cuptiGetTimestamp(uint64_t* time) {
  if (time == nullptr) return kCuptiInvalidParameter;
  if (clock_of_client() != nullptr) {
    *time = clock_of_client()();
    return kCuptiSuccess;
  }
  timespec steady;
  clock_gettime(CLOCK_MONOTONIC, &steady);
  *time = timestamp_of(static_cast<uint64_t>(steady.tv_sec) * 1000000000 + static_cast<uint64_t>(steady.tv_nsec));
  return kCuptiSuccess;
}
EXPORT int cuptiSetThreadIdType(uint32_t type) {
  thread_id_type = type;
  return kCuptiSuccess;
}
EXPORT int cuptiGetThreadIdType(uint32_t* type) {
  *type = thread_id_type;
  return kCuptiSuccess;
}
EXPORT int cuptiActivityEnableDriverApi(uint32_t callback, uint8_t enable) {
  if (callback >= 1024) return kCuptiInvalidParameter;
  api[0][callback] = enable;
  return kCuptiSuccess;
}
EXPORT int cuptiActivityEnableRuntimeApi(uint32_t callback, uint8_t enable) {
  if (callback >= 1024) return kCuptiInvalidParameter;
  api[1][callback] = enable;
  return kCuptiSuccess;
}
EXPORT int cuptiActivityEnableLatencyTimestamps(uint8_t) { return kCuptiSuccess; }
EXPORT int cuptiActivityEnableAllSyncRecords(uint8_t) { return kCuptiSuccess; }
EXPORT int cuptiActivityEnableHWTrace(uint8_t) { return kCuptiNotSupported; }
