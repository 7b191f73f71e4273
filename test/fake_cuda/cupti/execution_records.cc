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

}  // namespace

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

void record_execution(const fake_execution& e) {
  Runs& a = runs();
  uint64_t begin = timestamp_of(e.begin), end = timestamp_of(e.end);
  if (e.kind == kFakeMemory) {
    MemoryRecord record = {};
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
    add_record(&record, kMemory2);
    return;
  }
  if (e.kind == kFakeSynchronization) {
    SynchronizationRecord record = {};
    record.kind = kSynchronization;
    record.type = e.synchronization;
    record.start = begin;
    record.end = end;
    record.correlation = e.correlation;
    record.context = e.context;
    record.stream = e.stream;
    add_record(&record, kSynchronization);
    return;
  }
  const char* name = nullptr;
  {
    std::lock_guard held(a.lock);
    if (misbehaves("first_iteration") && e.iteration > 0) return;  // of conditional nodes
    if (e.kind == kFakeKernel) {
      if (one_of_the_first("dropped")) {
        count_dropped();
        return;
      }
      if (one_of_the_first("zero"))
        begin = end = 0;
      else if (one_of_the_first("inverted"))
        std::swap(begin, end);
    }
    if (e.name != nullptr) name = a.names.insert(e.name).first->c_str();
  }
  if (e.kind == kFakeKernel) {
    KernelRecord record = {};
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
    record.correlation = e.correlation;
    record.grid_id = e.ordinal + 1;
    record.name = name;
    record.graph_node = e.graph_node;
    record.graph = e.graph;
    add_record(&record, kConcurrentKernel);
  } else if (e.kind == kFakeMemcpy) {
    MemcpyRecord record = {};
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
    record.correlation = e.correlation;
    record.graph_node = e.graph_node;
    record.graph = e.graph;
    record.copies = 1;
    add_record(&record, kMemcpy);
  } else if (e.kind == kFakePeerCopy) {
    PeerCopyRecord record = {};
    record.kind = kMemcpy2;
    record.copy_kind = 10;
    record.from_kind = record.to_kind = 3;
    record.bytes = e.bytes;
    record.start = begin;
    record.end = end;
    record.device = e.device;
    record.context = e.context;
    record.stream = e.stream;
    record.correlation = e.correlation;
    add_record(&record, kMemcpy2);
  } else if (e.kind == kFakeMemset) {
    MemsetRecord record = {};
    record.kind = kMemset;
    record.value = e.value;
    record.bytes = e.bytes;
    record.start = begin;
    record.end = end;
    record.device = e.device;
    record.context = e.context;
    record.stream = e.stream;
    record.correlation = e.correlation;
    record.flags = static_cast<uint16_t>(e.asynchronous);
    record.memory_kind = static_cast<uint16_t>(e.to_kind);
    record.graph_node = e.graph_node;
    record.graph = e.graph;
    add_record(&record, kMemset);
  }
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
  add_record(&record, kGraphTrace);
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
