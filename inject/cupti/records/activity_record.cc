#include "inject/cupti/records/activity_record.h"

#include "inject/cupti/library/activity_abi.h"
#include "inject/cupti/library/api_functions.h"
#include "inject/cupti/library/known_faults.h"
#include "inject/cupti/state/other_profiler.h"

namespace xsp::guest {
namespace {

using cupti::field;

constexpr const char* kCopyNames[] = {"unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                      "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
constexpr const char* kSynchronizationNames[] = {"unknown", "event", "stream wait event", "stream", "context"};
/// By CUpti_ActivityOverheadKind >> 16.
constexpr const char* kOverheadNames[] = {"unknown",
                                          "buffer flush",
                                          "instrumentation",
                                          "resource",
                                          "runtime triggered module loading",
                                          "lazy function loading",
                                          "command buffer full",
                                          "activity buffer request"};
constexpr uint32_t kDriverCompiler = 1;

template <size_t kCount>
const char* name_in(const char* const (&names)[kCount], size_t index) {
  return names[index < kCount ? index : 0];
}

uint8_t device_at(const uint8_t* record, size_t offset) {
  const auto device = field<uint32_t>(record, offset);
  return static_cast<uint8_t>(device < UINT8_MAX ? device : UINT8_MAX);
}

/// The end follows the start in every record.
void read_times(const uint8_t* record, size_t start, shm::ActivityRecord* out) {
  out->begin = field<uint64_t>(record, start);
  out->end = field<uint64_t>(record, start + 8);
}

void read_graph(const uint8_t* record, size_t node, size_t graph, shm::ActivityRecord* out) {
  out->graph_node = field<uint64_t>(record, node);
  out->graph = field<uint32_t>(record, graph);
}

LaunchConfiguration configuration_of(const uint8_t* record) {
  namespace at = cupti::kernel_record;
  LaunchConfiguration launch{};
  for (size_t i = 0; i < 3; ++i) {
    launch.grid[i] = field<int32_t>(record, at::kGrid + 4 * i);
    launch.block[i] = field<int32_t>(record, at::kBlock + 4 * i);
    launch.cluster[i] = field<int32_t>(record, at::kCluster + 4 * i);
  }
  launch.registers = field<uint16_t>(record, at::kRegisters);
  launch.static_shared = field<int32_t>(record, at::kStaticShared);
  launch.dynamic_shared = field<int32_t>(record, at::kDynamicShared);
  return launch;
}

}  // namespace

/// Device, context and stream follow each other in every record of an execution.
void ActivityReader::read_place(const uint8_t* record, size_t device, shm::ActivityRecord* out) {
  out->device = device_at(record, device);
  out->context = field<uint32_t>(record, device + 4);
  out->stream = field<uint32_t>(record, device + 8);
  device_of_context_[out->context % sizeof device_of_context_] = out->device;
}

void ActivityReader::read_kernel(const uint8_t* record, shm::ActivityRecord* out) {
  namespace at = cupti::kernel_record;
  read_times(record, at::kStart, out);
  read_place(record, at::kDevice, out);
  read_graph(record, at::kGraphNode, at::kGraph, out);
  out->correlation = field<uint32_t>(record, at::kCorrelation);
  out->name = texts_.name(field<const char*>(record, at::kName));
  out->configuration = texts_.configuration(configuration_of(record));
}

void ActivityReader::read_memcpy(const uint8_t* record, shm::ActivityRecord* out) {
  namespace at = cupti::memcpy_record;
  read_times(record, at::kStart, out);
  read_place(record, at::kDevice, out);
  read_graph(record, at::kGraphNode, at::kGraph, out);
  out->correlation = field<uint32_t>(record, at::kCorrelation);
  out->bytes = field<uint64_t>(record, at::kBytes);
  out->name = texts_.name(name_in(kCopyNames, field<uint8_t>(record, at::kCopyKind)));
}

void ActivityReader::read_peer_memcpy(const uint8_t* record, shm::ActivityRecord* out) {
  namespace at = cupti::peer_memcpy_record;
  read_memcpy(record, out);
  read_graph(record, at::kGraphNode, at::kGraph, out);
  out->correlation = field<uint32_t>(record, at::kCorrelation);
}

void ActivityReader::read_memset(const uint8_t* record, shm::ActivityRecord* out) {
  namespace at = cupti::memset_record;
  read_times(record, at::kStart, out);
  read_place(record, at::kDevice, out);
  read_graph(record, at::kGraphNode, at::kGraph, out);
  out->correlation = field<uint32_t>(record, at::kCorrelation);
  out->bytes = field<uint64_t>(record, at::kBytes);
  out->name = texts_.name("memset");
}

/// A query that found the work unfinished synchronizes nothing: false.
bool ActivityReader::read_synchronization(const uint8_t* record, shm::ActivityRecord* out) {
  namespace at = cupti::synchronization_record;
  if (session_.version >= at::kReturnedVersion && field<uint32_t>(record, at::kReturned) != 0) return false;
  read_times(record, at::kStart, out);
  out->correlation = field<uint32_t>(record, at::kCorrelation);
  out->context = field<uint32_t>(record, at::kContext);
  out->device = device_of_context_[out->context % sizeof device_of_context_];
  const auto stream = field<uint32_t>(record, at::kStream);
  out->stream = stream == at::kNoStream ? 0 : stream;
  out->name = texts_.name(name_in(kSynchronizationNames, field<uint32_t>(record, at::kType)));
  return true;
}

void ActivityReader::read_overhead(const uint8_t* record, shm::ActivityRecord* out) {
  namespace at = cupti::overhead_record;
  read_times(record, at::kStart, out);
  if (session_.version >= at::kCorrelationVersion) out->correlation = field<uint32_t>(record, at::kCorrelation);
  const auto object = field<uint32_t>(record, at::kObjectKind);
  if (object >= at::kDeviceObject && object <= at::kStreamObject) {
    out->device = device_at(record, at::kObjectDevice);
    if (object >= at::kContextObject) out->context = field<uint32_t>(record, at::kObjectContext);
    if (object == at::kStreamObject) out->stream = field<uint32_t>(record, at::kObjectStream);
  }
  const auto kind = field<uint32_t>(record, at::kOverheadKind);
  out->name = texts_.name(kind == kDriverCompiler ? "driver compiler" : name_in(kOverheadNames, kind >> 16));
}

/// False for host memory.
bool ActivityReader::read_memory(const uint8_t* record, shm::ActivityRecord* out) {
  namespace at = cupti::memory_record;
  const auto operation = field<uint32_t>(record, at::kOperation);
  const auto memory = field<uint32_t>(record, at::kMemoryKind);
  if (operation != at::kAllocation && operation != at::kRelease) return false;
  if (memory == at::kPageableMemory || memory == at::kPinnedMemory) return false;
  out->begin = out->end = field<uint64_t>(record, at::kTime);
  read_place(record, at::kDevice, out);
  if (out->stream == cupti::synchronization_record::kNoStream) out->stream = 0;
  out->correlation = field<uint32_t>(record, at::kCorrelation);
  out->bytes = field<uint64_t>(record, at::kBytes);
  out->name = texts_.name(operation == at::kAllocation ? "allocate" : "free");
  return true;
}

bool ActivityReader::read_api_call(const uint8_t* record, int kind, shm::ActivityRecord* out) {
  namespace at = cupti::api_record;
  const bool runtime = kind == cupti::kRuntime;
  const int domain = runtime ? cupti::kRuntimeApi : cupti::kDriverApi;
  const auto callback = field<uint32_t>(record, at::kCallback);
  if (!is_api_function_chosen(domain, callback)) return false;
  read_times(record, at::kStart, out);
  out->context = field<uint32_t>(record, at::kThread);
  out->correlation = field<uint32_t>(record, at::kCorrelation);
  out->name = api_function(domain, callback).name;
  out->configuration = texts_.name(runtime ? "cudart" : "cuda");
  if (field<uint32_t>(record, at::kReturned) != 0) out->flags = shm::kFlagFailed;
  return true;
}

/// In a session whose ids of graphs' launches are wrong, an execution of a graph is better off without one. Its buffer
/// may have been returned in a later session than the one it was launched in: the time tells, as long as no other
/// profiler has changed CUPTI's clock.
void ActivityReader::drop_wrong_launch(uint32_t session, shm::ActivityRecord* out) const {
  if (out->graph == 0 || session <= 1) return;
  const uint64_t until = session_.first_session_until.load(std::memory_order_relaxed);
  if (out->begin < until && !other_profiler_was_there()) return;
  if (!has_cupti_fault(session_.version, CuptiFault::kGraphIds)) return;
  tell_cupti_fault(session_.version, CuptiFault::kGraphIds);
  out->correlation = 0;
}

ActivityReader::Outcome ActivityReader::read(const uint8_t* record, uint32_t session, shm::ActivityRecord* out) {
  *out = {};
  wire::Kind kind;
  switch (const auto which = field<int>(record, cupti::kKindAt); which) {
    case cupti::kKernel:
    case cupti::kConcurrentKernel:
      kind = wire::Kind::kKernel;
      read_kernel(record, out);
      break;
    case cupti::kMemcpy:
      kind = wire::Kind::kMemcpy;
      read_memcpy(record, out);
      break;
    case cupti::kPeerMemcpy:
      kind = wire::Kind::kMemcpy;
      read_peer_memcpy(record, out);
      break;
    case cupti::kMemset:
      kind = wire::Kind::kMemset;
      read_memset(record, out);
      break;
    case cupti::kSynchronization:
      kind = wire::Kind::kSynchronization;
      if (!read_synchronization(record, out)) return Outcome::kIgnored;
      break;
    case cupti::kOverhead:
      kind = wire::Kind::kOverhead;
      read_overhead(record, out);
      break;
    case cupti::kMemory:
      kind = wire::Kind::kMemory;
      if (!read_memory(record, out)) return Outcome::kIgnored;
      break;
    case cupti::kDriver:
    case cupti::kRuntime:
      kind = which == cupti::kRuntime ? wire::Kind::kRuntimeCall : wire::Kind::kDriverCall;
      if (!read_api_call(record, which, out)) return Outcome::kIgnored;
      break;
    default:
      return Outcome::kIgnored;
  }
  if (out->begin == 0 || out->end == 0) return Outcome::kZeroTime;
  drop_wrong_launch(session, out);
  if (out->end < out->begin) return Outcome::kInverted;
  out->record_type = static_cast<uint8_t>(shm::RecordType::kActivity);
  out->kind = static_cast<uint8_t>(kind);
  return Outcome::kKept;
}

}  // namespace xsp::guest
