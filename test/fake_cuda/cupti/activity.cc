#include "activity.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <vector>

#include "entry.h"
#include "records.h"

namespace fake {
namespace {

using Record = std::vector<uint8_t>;

struct Activity {
  std::mutex lock;
  std::condition_variable wake;
  std::deque<Record> waiting;
  BufferRequested* requested = nullptr;
  BufferCompleted* completed = nullptr;
  uint64_t dropped = 0;
  uint32_t period_ms = 0;
  bool worker = false;
  std::mutex delivery;  // one at a time
};

Activity& activity() {
  static Activity* const instance = new Activity;
  return *instance;
}

std::atomic<uint8_t> enabled[kKinds];
std::atomic<uint8_t> api[2][1024];  // of the driver and the runtime, by callback id

void choose_api(uint32_t kind, bool wanted) {
  if (kind == kDriver || kind == kRuntime)
    for (auto& call : api[kind - kDriver]) call = wanted;
}
std::atomic<uint64_t (*)()> own_clock{nullptr};
std::atomic<uint32_t> thread_id_type{0};
std::mt19937& dice() {
  static auto* const instance = new std::mt19937(20);
  return *instance;
}
/// CUpti_ExternalCorrelationKind has 7 values.
thread_local std::vector<uint64_t>* external[8] = {};
thread_local bool in_delivery = false;

void* deliver_once(void*) {
  flush_records();
  return nullptr;
}

void block_signals(sigset_t* before) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, before);
}

/// CUPTI's own thread: hands over when there is much, or by the period.
void* work(void*) {
  Activity& a = activity();
  std::unique_lock held(a.lock);
  for (;;) {
    const bool late = misbehaves("late");
    const auto enough = [&] { return !late && a.waiting.size() >= 512; };
    if (a.period_ms != 0 && !late)
      a.wake.wait_for(held, std::chrono::milliseconds(a.period_ms), enough);
    else
      a.wake.wait(held, enough);
    held.unlock();
    if (misbehaves("threads")) {
      pthread_t other;
      if (pthread_create(&other, nullptr, deliver_once, nullptr) == 0) pthread_join(other, nullptr);
    } else {
      flush_records();
    }
    held.lock();
  }
}

/// The lock is held.
void start_worker() {
  Activity& a = activity();
  if (a.worker || misbehaves("program_thread")) return;
  a.worker = true;
  sigset_t before;
  block_signals(&before);
  pthread_t thread;
  pthread_create(&thread, nullptr, work, nullptr);
  pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// A buffer of the client's, or null when it gives none.
uint8_t* request(size_t* size) {
  uint8_t* buffer = nullptr;
  size_t max_records = 0;
  *size = 0;
  activity().requested(&buffer, size, &max_records);
  if (buffer == nullptr && (misbehaves("no_null") || cupti_version() < 27)) {
    fprintf(stderr, "stand-in libcupti: a buffer that is none, before 12.9\n");
    abort();
  }
  return buffer;
}

void deliver(std::vector<Record>& records) {
  Activity& a = activity();
  if (misbehaves("unordered")) std::shuffle(records.begin(), records.end(), dice());
  std::vector<std::pair<uint8_t*, std::pair<size_t, size_t>>> full;
  uint64_t small = 0;
  misbehaves("small", &small);
  size_t at = 0;
  while (at < records.size()) {
    size_t size = 0;
    uint8_t* const buffer = request(&size);
    if (buffer == nullptr || size == 0) {
      std::lock_guard held(a.lock);
      a.dropped += records.size() - at;
      break;
    }
    // CUPTI wants them aligned, and writes no farther than it was told.
    if (reinterpret_cast<uintptr_t>(buffer) % 8 != 0) abort();
    if (small != 0) size = std::min(size, static_cast<size_t>(small));
    size_t used = 0;
    const size_t first = at;
    while (at < records.size() && used + records[at].size() <= size) {
      memcpy(buffer + used, records[at].data(), records[at].size());
      used += records[at++].size();
    }
    if (at == first) abort();  // smaller than a record
    full.push_back({buffer, {size, used}});
  }
  if (misbehaves("unordered")) std::shuffle(full.begin(), full.end(), dice());
  for (const auto& [buffer, sizes] : full) a.completed(nullptr, 0, buffer, sizes.first, sizes.second);
}

}  // namespace

void add_record(const void* record, uint32_t kind) {
  const auto* const bytes = static_cast<const uint8_t*>(record);
  Activity& a = activity();
  std::lock_guard held(a.lock);
  a.waiting.emplace_back(bytes, bytes + record_size(kind, cupti_version()));
  if (a.waiting.size() >= 512) a.wake.notify_all();
}

void count_dropped() {
  std::lock_guard held(activity().lock);
  ++activity().dropped;
}

bool misbehaves(const char* word, uint64_t* value) {
  const char* list = getenv("FAKE_CUPTI");
  const size_t length = strlen(word);
  while (list != nullptr && *list != 0) {
    const size_t entry = strcspn(list, ",");
    if (strncmp(list, word, length) == 0 && (entry == length || list[length] == '=')) {
      if (value != nullptr && list[length] == '=') *value = strtoull(list + length + 1, nullptr, 10);
      return true;
    }
    list += entry + (list[entry] == ',');
  }
  return false;
}

uint32_t cupti_version() {
  const char* const wanted = getenv("FAKE_CUPTI_VERSION");
  return wanted != nullptr ? static_cast<uint32_t>(atoi(wanted)) : CUDA_MAJOR == 13 ? 130001 : 26;
}

uint64_t timestamp_of(uint64_t monotonic) {
  static const int64_t offset = [] {
    timespec real, steady;
    clock_gettime(CLOCK_REALTIME, &real);
    clock_gettime(CLOCK_MONOTONIC, &steady);
    const char* const more = getenv("FAKE_CUPTI_OFFSET");
    return (real.tv_sec - steady.tv_sec) * 1000000000 + (real.tv_nsec - steady.tv_nsec) +
           (more == nullptr ? 0 : atoll(more));
  }();
  uint64_t result = monotonic + static_cast<uint64_t>(offset);
  if (misbehaves("jump") && (driver() == nullptr || !driver()->ready())) result += 3600000000000;
  return result;
}

bool kind_enabled(uint32_t kind) { return kind < kKinds && enabled[kind]; }

uint32_t wants_execution(int kind) {
  uint32_t wanted = kind_enabled(static_cast<uint32_t>(kind));
  if (kind == kConcurrentKernel) wanted |= kind_enabled(kKernel);
  if (kind_enabled(kGraphTrace)) wanted |= 2;
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
  record.start = own_clock ? own_clock.load()() : timestamp_of(call.begin);
  record.end = own_clock ? own_clock.load()() : timestamp_of(call.end);
  record.process = static_cast<uint32_t>(getpid());
  record.thread =
      thread_id_type == 1 ? static_cast<uint32_t>(syscall(SYS_gettid)) : static_cast<uint32_t>(pthread_self());
  record.correlation = call.correlation;
  record.result = static_cast<uint32_t>(*call.result);
  add_record(&record, kind);
}

void flush_records() {
  Activity& a = activity();
  if (in_delivery) {
    fprintf(stderr, "stand-in libcupti: flushed inside a buffer callback\n");
    abort();
  }
  std::lock_guard one_at_a_time(a.delivery);
  std::vector<Record> records;
  {
    std::lock_guard held(a.lock);
    if (a.requested == nullptr || a.completed == nullptr) return;
    records.assign(std::make_move_iterator(a.waiting.begin()), std::make_move_iterator(a.waiting.end()));
    a.waiting.clear();
  }
  if (records.empty()) return;
  in_delivery = true;
  deliver(records);
  in_delivery = false;
}

void detach_records() {
  for (auto& kind : enabled) kind = 0;
  choose_api(kDriver, false);
  choose_api(kRuntime, false);
  flush_records();
}

}  // namespace fake

using namespace fake;

EXPORT int cuptiActivityEnable(uint32_t kind) {
  if (const int status = attached()) return status;
  if (kind == 0 || kind >= kKinds) return kCuptiInvalidKind;
  if (kind == kKernel && enabled[kConcurrentKernel]) return kCuptiNotCompatible;
  if (kind == kConcurrentKernel && enabled[kKernel]) return kCuptiNotCompatible;
  enabled[kind] = 1;
  choose_api(kind, true);
  if (kind == kDeviceRecord) record_devices();
  Activity& a = activity();
  std::lock_guard held(a.lock);
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
  Activity& a = activity();
  std::lock_guard held(a.lock);
  a.requested = requested;
  a.completed = completed;
  return kCuptiSuccess;
}
EXPORT int cuptiActivityFlushAll(uint32_t) {
  if (const int status = attached()) return status;
  if (misbehaves("threads")) {
    pthread_t other;
    if (pthread_create(&other, nullptr, deliver_once, nullptr) == 0) pthread_join(other, nullptr);
  } else {
    flush_records();
  }
  return kCuptiSuccess;
}
EXPORT int cuptiActivityFlush(void*, uint32_t, uint32_t flag) { return cuptiActivityFlushAll(flag); }
EXPORT int cuptiActivityFlushPeriod(uint32_t milliseconds) {
  Activity& a = activity();
  std::lock_guard held(a.lock);
  a.period_ms = milliseconds;
  start_worker();
  a.wake.notify_all();
  return kCuptiSuccess;
}
EXPORT int cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, uint8_t** record) {
  if (record == nullptr || (buffer == nullptr && valid != 0)) return kCuptiInvalidParameter;
  uint8_t* next = *record;
  if (next == nullptr) {
    next = buffer;
  } else {
    uint32_t kind;
    memcpy(&kind, next, sizeof kind);
    const size_t size = record_size(kind, cupti_version());
    if (size == 0) return kCuptiInvalidKind;
    next += size;
  }
  if (next >= buffer + valid) {
    *record = nullptr;
    return kCuptiMaxLimitReached;
  }
  *record = next;
  return kCuptiSuccess;
}
EXPORT int cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
  if (in_delivery && misbehaves("dropped_count_locks")) abort();
  Activity& a = activity();
  std::lock_guard held(a.lock);
  *dropped = a.dropped;
  a.dropped = 0;
  return kCuptiSuccess;
}
EXPORT int cuptiActivityGetAttribute(uint32_t, size_t* size, void* value) {
  if (size == nullptr || value == nullptr) return kCuptiInvalidParameter;
  memset(value, 0, *size);
  return kCuptiSuccess;
}
EXPORT int cuptiActivitySetAttribute(uint32_t, size_t* size, void* value) {
  return size == nullptr || value == nullptr ? kCuptiInvalidParameter : kCuptiSuccess;
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
  own_clock = clock;
  return kCuptiSuccess;
}
EXPORT int cuptiGetTimestamp(uint64_t* time) {
  if (time == nullptr) return kCuptiInvalidParameter;
  if (own_clock) {
    *time = own_clock.load()();
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
