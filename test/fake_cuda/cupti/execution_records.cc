// Records of what ran on a device, and of graphs, devices and overhead.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "activity.h"
#include "records.h"

namespace fake {
namespace {

struct Runs {
  std::mutex lock;
  std::set<std::string> names;           // of kernels; a record's pointer stays good
  std::map<std::string, uint64_t> done;  // how often something was done on request
  struct GraphRun {
    uint32_t parts = 0;
    uint64_t begin = 0, end = 0;
  };
  std::map<uint32_t, GraphRun> graph_runs;  // in progress, by correlation id
};

Runs& runs() {
  static Runs* const instance = new Runs;
  return *instance;
}

/// The first N times that it is asked, where FAKE_CUPTI has word=N. The lock is held.
bool one_of_the_first(const char* word) {
  uint64_t count = 0;
  return misbehaves(word, &count) && runs().done[word] < count && ++runs().done[word] > 0;
}

union AnyRecord {
  KernelRecord kernel;
  MemcpyRecord copy;
  PeerCopyRecord peer_copy;
  MemsetRecord fill;
  SynchronizationRecord synchronization;
  MemoryRecord memory;
};

/// The record of the version; zero times: it has not run yet.
AnyRecord record_of(const fake_execution& e, uint64_t begin, uint64_t end) {
  AnyRecord any = {};
  const char* name = nullptr;
  if (e.name != nullptr) {
    std::lock_guard held(runs().lock);
    name = runs().names.insert(e.name).first->c_str();
  }
  const uint32_t correlation = e.correlation - (e.wanted[tool_index()] & kWrongGraphId ? 1 : 0);
  switch (e.kind) {
    case kFakeMemory: {
      MemoryRecord& record = any.memory;
      record.kind = kMemory2;
      record.operation = e.memory_operation;
      record.memory_kind = e.to_kind;
      record.correlation = e.correlation;
      record.address = e.address;
      record.bytes = e.bytes;
      record.timestamp = begin;
      record.process = static_cast<uint32_t>(getpid());
      record.device = e.device;
      record.context = e.context;
      record.stream = 0xFFFFFFFF;
      break;
    }
    case kFakeSynchronization: {
      SynchronizationRecord& record = any.synchronization;
      record.kind = kSynchronization;
      record.type = e.synchronization;
      record.start = begin;
      record.end = end;
      record.correlation = e.correlation;
      record.context = e.context;
      record.stream = e.stream;
      break;
    }
    case kFakeKernel: {
      KernelRecord& record = any.kernel;
      record.kind = kind_enabled(kKernel) ? kKernel : kConcurrentKernel;
      record.registers = 32;
      record.start = begin;
      record.end = end;
      record.device = e.device;
      record.context = e.context;
      record.stream = e.stream;
      for (int i = 0; i < 3; ++i) {
        record.grid[i] = static_cast<int32_t>(e.grid[i]);
        record.block[i] = static_cast<int32_t>(e.block[i]);
      }
      record.dynamic_shared = static_cast<int32_t>(e.shared);
      record.correlation = correlation;
      record.grid_id = e.ordinal + 1;
      record.name = name;
      record.graph_node = e.graph_node;
      record.graph = e.graph;
      break;
    }
    case kFakeMemcpy: {
      MemcpyRecord& record = any.copy;
      record.kind = kMemcpy;
      record.copy_kind = static_cast<uint8_t>(e.copy_kind);
      record.from_kind = static_cast<uint8_t>(e.from_kind);
      record.to_kind = static_cast<uint8_t>(e.to_kind);
      record.flags = static_cast<uint8_t>(e.asynchronous);
      record.bytes = e.bytes;
      record.start = begin;
      record.end = end;
      record.device = e.device;
      record.context = e.context;
      record.stream = e.stream;
      record.correlation = correlation;
      record.graph_node = e.graph_node;
      record.graph = e.graph;
      record.copies = 1;
      break;
    }
    case kFakePeerCopy: {
      PeerCopyRecord& record = any.peer_copy;
      record.kind = kMemcpy2;
      record.copy_kind = 10;
      record.from_kind = record.to_kind = 3;
      record.bytes = e.bytes;
      record.start = begin;
      record.end = end;
      record.device = e.device;
      record.context = e.context;
      record.stream = e.stream;
      record.correlation = correlation;
      break;
    }
    case kFakeMemset: {
      MemsetRecord& record = any.fill;
      record.kind = kMemset;
      record.value = e.value;
      record.bytes = e.bytes;
      record.start = begin;
      record.end = end;
      record.device = e.device;
      record.context = e.context;
      record.stream = e.stream;
      record.correlation = correlation;
      record.flags = static_cast<uint16_t>(e.asynchronous);
      record.memory_kind = static_cast<uint16_t>(e.to_kind);
      record.graph_node = e.graph_node;
      record.graph = e.graph;
      break;
    }
  }
  return any;
}

}  // namespace

RecordPlace reserve_execution(const fake_execution& e) {
  const AnyRecord record = record_of(e, 0, 0);
  return reserve_record(&record, static_cast<uint32_t>(e.kind), e.context);
}

void record_execution(const fake_execution& e) {
  const RecordPlace place = e.place[tool_index()];
  uint64_t begin = timestamp_of(e.begin), end = timestamp_of(e.end);
  {
    std::lock_guard held(runs().lock);
    // Of conditional nodes.
    if (misbehaves("first_iteration") && e.iteration > 0) return forget_record(place);
    if (e.kind == kFakeKernel) {
      if (one_of_the_first("dropped")) {
        forget_record(place);
        return count_dropped();
      }
      const KernelTimes times = times_of_next_kernel();
      if (times == KernelTimes::kOfOwnClock) begin = own_timestamp_of(e.begin), end = own_timestamp_of(e.end);
      if (one_of_the_first("zero") || times == KernelTimes::kZero)
        begin = end = 0;
      else if (one_of_the_first("inverted"))
        std::swap(begin, end);
    }
  }
  const AnyRecord record = record_of(e, begin, end);
  finish_record(place, &record);
}

void record_overhead(int kind, uint64_t begin, uint64_t end, uint32_t correlation) {
  if (!kind_enabled(kOverhead)) return;
  OverheadRecord record = {};
  record.kind = kOverhead;
  record.overhead_kind = static_cast<uint32_t>(kind);
  record.object_kind = 2;  // CUPTI_ACTIVITY_OBJECT_THREAD
  record.object_process = static_cast<uint32_t>(getpid());
  record.object_thread = static_cast<uint32_t>(syscall(SYS_gettid));
  record.start = timestamp_of(begin);
  record.end = timestamp_of(end);
  record.correlation = correlation;
  add_record(&record, kOverhead);
}

void record_part_of_graph(const fake_execution& e) {
  Runs& a = runs();
  GraphTraceRecord record = {};
  {
    std::lock_guard held(a.lock);
    Runs::GraphRun& run = a.graph_runs[e.correlation];
    run.begin = run.parts == 0 ? e.begin : std::min(run.begin, e.begin);
    run.end = std::max(run.end, e.end);
    if (++run.parts < e.graph_size) return;
    record.start = timestamp_of(run.begin);
    record.end = timestamp_of(run.end);
    a.graph_runs.erase(e.correlation);
  }
  record.kind = kGraphTrace;
  record.correlation = e.correlation;
  record.device = record.end_device = e.device;
  record.graph = e.graph;
  record.context = record.end_context = e.context;
  record.stream = e.stream;
  add_record(&record, kGraphTrace, true);
}

void record_devices() {
  for (int i = 0; driver() != nullptr && i < driver()->device_count(); ++i) {
    DeviceRecord record = {};
    record.kind = kDeviceRecord;
    record.memory = uint64_t{80} << 30;
    record.id = static_cast<uint32_t>(i);
    memcpy(record.uuid, "stand-in device0", 16);
    record.uuid[15] = static_cast<uint8_t>('0' + i);
    {
      std::lock_guard held(runs().lock);
      record.name = runs().names.insert("Stand-in GPU " + std::to_string(i)).first->c_str();
    }
    record.visible = 1;
    add_record(&record, kDeviceRecord);
  }
}

}  // namespace fake
