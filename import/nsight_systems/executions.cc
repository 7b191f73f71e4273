#include "import/nsight_systems/executions.h"

#include <initializer_list>
#include <string>
#include <vector>

#include "import/nsight_systems/names.h"

namespace xsp::nsight_systems {
namespace {

/// ENUM_CUDA_DEV_MEM_EVENT_OPER.
constexpr int64_t kAllocation = 0;
/// ENUM_CUDA_MEM_KIND: host memory, which belongs to no device.
constexpr int64_t kPageable = 0;
constexpr int64_t kPinned = 1;
/// The stream CUPTI gives for synchronizing a whole context.
constexpr uint32_t kNoStream = UINT32_MAX;
/// The device CUPTI gives for a graph that begins on the host.
constexpr uint32_t kNoDevice = INT32_MAX;

/// In the form of ActivityBatch.configuration; empty if the export lacks it. Clusters are in exports from 2023 on, and
/// are 0 or 1 in launches without them.
std::string configuration(const Rows& rows, int first) {
  if (!rows.is_integer(first)) return {};
  constexpr int kCluster = 9;
  const auto number = [&](int column) { return std::to_string(rows.small(first + column)); };
  const auto triple = [&](int column) {
    return '[' + number(column) + ',' + number(column + 1) + ',' + number(column + 2) + ']';
  };
  const bool has_cluster =
      rows.small(first + kCluster) > 1 || rows.small(first + kCluster + 1) > 1 || rows.small(first + kCluster + 2) > 1;
  return "grid=" + triple(0) + " block=" + triple(3) + " registers=" + number(6) + " static_shared=" + number(7) +
         " dynamic_shared=" + number(8) + (has_cluster ? " cluster=" + triple(kCluster) : "");
}

/// The columns common to all activities, in the order of ActivityColumn, then those of one kind.
std::vector<Column> activity_columns(std::initializer_list<Column> own) {
  std::vector<Column> columns = {{"start", true}, {"end", true},      {"globalPid"},    {"deviceId", true},
                                 {"contextId"},   {"streamId", true}, {"correlationId"}};
  columns.insert(columns.end(), own);
  return columns;
}
enum ActivityColumn : int { kStart, kEnd, kProcess, kDevice, kContext, kStream, kCorrelation, kFirstOwn };

uint64_t launch_key(const ExportedProcess& process, uint32_t correlation) {
  return uint64_t{process.imported->pid()} << 32 | correlation;
}

}  // namespace

Status Executions::read() {
  if (Status status = read_kernels(); !status.ok()) return status;
  read_memory_kinds();
  read_copies();
  read_sets();
  read_graphs();
  read_synchronizations();
  read_memory();
  read_overhead("CUPTI_ACTIVITY_KIND_OVERHEAD");
  read_overhead("PROFILER_OVERHEAD");
  return Status();
}

ActivityQueue Executions::place(ExportedProcess& process, const Rows& rows, int first, bool knows_device) {
  ActivityQueue queue{rows.small(first), rows.small(first + 1), rows.small(first + 2)};
  if (queue.stream == kNoStream) queue.stream = 0;
  const Context context(process.imported, queue.context);
  if (knows_device && queue.device != kNoDevice) {
    device_of_context_.emplace(context, queue.device);
    process.devices.insert(queue.device);
  } else if (const auto known = device_of_context_.find(context); known != device_of_context_.end()) {
    queue.device = known->second;
  }
  if (queue.device == kNoDevice) queue.device = 0;
  return queue;
}

void Executions::add_node(ImportedExecution* execution, const ExportedProcess& process, const Rows& rows, int node,
                          int graph) {
  if (rows.is_null(node) || rows.integer(node) == 0) return;
  execution->graph_node = static_cast<uint64_t>(rows.integer(node));
  execution->graph = rows.small(graph);
  launches_of_nodes_.insert(launch_key(process, execution->correlation));
}

ExportedProcess* Executions::next(Rows& rows, std::string_view what, bool knows_device, ImportedExecution* execution) {
  while (rows.next()) {
    Interval interval;
    if (!exported_.times(rows, kStart, kEnd, what, &interval)) continue;
    ExportedProcess& process = exported_.process(rows, kProcess);
    *execution = {};
    execution->begin_ns = interval.begin;
    execution->end_ns = interval.end;
    execution->queue = place(process, rows, kDevice, knows_device);
    execution->correlation = exported_.correlation(rows, kCorrelation);
    return &process;
  }
  return nullptr;
}

Status Executions::read_kernels() {
  enum : int { kDemangled = kFirstOwn, kMangled, kShort, kNode, kGraph, kGrid };
  Rows rows(exported_.database(), "CUPTI_ACTIVITY_KIND_KERNEL",
            activity_columns({{"demangledName"},
                              {"mangledName"},
                              {"shortName"},
                              {"graphNodeId"},
                              {"graphId"},
                              {"gridX"},
                              {"gridY"},
                              {"gridZ"},
                              {"blockX"},
                              {"blockY"},
                              {"blockZ"},
                              {"registersPerThread"},
                              {"staticSharedMemory"},
                              {"dynamicSharedMemory"},
                              {"clusterX"},
                              {"clusterY"},
                              {"clusterZ"}}));
  ImportedExecution kernel;
  while (ExportedProcess* const process = next(rows, "kernel", true, &kernel)) {
    int name = kDemangled;
    while (name < kShort && exported_.string(rows, name).empty()) ++name;
    kernel.name = exported_.name(*process, rows, name);
    kernel.configuration = process->imported->text(configuration(rows, kGrid));
    add_node(&kernel, *process, rows, kNode, kGraph);
    process->imported->add_execution(kernel);
  }
  if (rows.unusable()) return rows.status();
  exported_.note(rows);
  return Status();
}

void Executions::read_memory_kinds() {
  Rows rows(exported_.database(), "ENUM_CUDA_MEM_KIND", {{"id", true}, {"label", true}});
  while (rows.next()) memory_kinds_.emplace(rows.integer(0), rows.text(1));
  exported_.note(rows);
}

std::string_view Executions::memory_kind(const Rows& rows, int column) const {
  if (!rows.is_integer(column)) return {};
  if (memory_kinds_.empty()) return memory_kind_name(rows.integer(column));
  const auto known = memory_kinds_.find(rows.integer(column));
  return known == memory_kinds_.end() ? std::string_view() : known->second;
}

void Executions::read_copies() {
  enum : int { kCopyKind = kFirstOwn, kBytes, kNode, kGraph, kSource, kDestination };
  Rows rows(
      exported_.database(), "CUPTI_ACTIVITY_KIND_MEMCPY",
      activity_columns({{"copyKind", true}, {"bytes", true}, {"graphNodeId"}, {"graphId"}, {"srcKind"}, {"dstKind"}}));
  ImportedExecution copy;
  while (ExportedProcess* const process = next(rows, "copy", true, &copy)) {
    copy.kind = wire::Kind::kMemcpy;
    copy.name = process->imported->text(copy_name(copy_direction(rows.integer(kCopyKind)), memory_kind(rows, kSource),
                                                  memory_kind(rows, kDestination)));
    copy.bytes = rows.natural(kBytes);
    add_node(&copy, *process, rows, kNode, kGraph);
    process->imported->add_execution(copy);
  }
  exported_.note(rows);
}

void Executions::read_sets() {
  enum : int { kBytes = kFirstOwn, kNode, kGraph };
  Rows rows(exported_.database(), "CUPTI_ACTIVITY_KIND_MEMSET",
            activity_columns({{"bytes", true}, {"graphNodeId"}, {"graphId"}}));
  ImportedExecution set;
  while (ExportedProcess* const process = next(rows, "memset", true, &set)) {
    set.kind = wire::Kind::kMemset;
    set.name = process->imported->text("memset");
    set.bytes = rows.natural(kBytes);
    add_node(&set, *process, rows, kNode, kGraph);
    process->imported->add_execution(set);
  }
  exported_.note(rows);
}

/// Launches of whole graphs, which is all that nsys reports unless asked for their nodes.
void Executions::read_graphs() {
  enum : int { kGraph = kFirstOwn };
  Rows rows(exported_.database(), "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", activity_columns({{"graphId"}}));
  uint64_t launches = 0;
  ImportedExecution graph;
  while (ExportedProcess* const process = next(rows, "launch of a graph", true, &graph)) {
    if (graph.correlation != 0 && launches_of_nodes_.contains(launch_key(*process, graph.correlation))) continue;
    graph.graph = rows.small(kGraph);
    graph.name = process->imported->text("CUDA graph " + std::to_string(graph.graph));
    process->imported->add_execution(graph);
    ++launches;
  }
  exported_.note(rows);
  if (launches == 0) return;
  exported_.timeline().note(std::to_string(launches) +
                                " launches of CUDA graphs are one kernel each: their nodes were not traced (nsys "
                                "profile --cuda-graph-trace=node does)",
                            0);
}

void Executions::read_synchronizations() {
  enum : int { kType = kFirstOwn };
  Rows rows(exported_.database(), "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", activity_columns({{"syncType", true}}));
  ImportedExecution wait;
  // These always name device 0, whatever the real one is.
  while (ExportedProcess* const process = next(rows, "synchronization", false, &wait)) {
    wait.kind = wire::Kind::kSynchronization;
    wait.name = process->imported->text(synchronization_name(rows.integer(kType)));
    process->imported->add_execution(wait);
  }
  exported_.note(rows);
}

void Executions::read_memory() {
  Rows rows(exported_.database(), "CUDA_GPU_MEMORY_USAGE_EVENTS",
            {{"start", true},
             {"globalPid"},
             {"deviceId", true},
             {"contextId"},
             {"streamId"},
             {"correlationId"},
             {"bytes", true},
             {"memoryOperationType", true},
             {"memKind"}});
  while (rows.next()) {
    if (!rows.is_null(8) && (rows.integer(8) == kPageable || rows.integer(8) == kPinned)) continue;
    Interval interval;
    if (!exported_.times(rows, 0, 0, "allocation", &interval)) continue;
    ExportedProcess& process = exported_.process(rows, 1);
    ImportedExecution memory;
    memory.kind = wire::Kind::kMemory;
    memory.begin_ns = interval.begin;
    memory.end_ns = interval.end;
    memory.queue = place(process, rows, 2, false);
    memory.correlation = exported_.correlation(rows, 5);
    memory.bytes = rows.natural(6);
    memory.name = process.imported->text(rows.integer(7) == kAllocation ? "allocate" : "free");
    process.imported->add_execution(memory);
  }
  exported_.note(rows);
}

void Executions::read_overhead(std::string_view table) {
  Rows rows(exported_.database(), table,
            {{"start", true}, {"end", true}, {"globalTid"}, {"correlationId"}, {"overheadType"}, {"nameId"}});
  while (rows.next()) {
    Interval interval;
    if (!exported_.times(rows, 0, 1, "overhead", &interval)) continue;
    ExportedProcess& process = exported_.process(rows, 2);
    ImportedExecution overhead;
    overhead.kind = wire::Kind::kOverhead;
    overhead.begin_ns = interval.begin;
    overhead.end_ns = interval.end;
    overhead.correlation = exported_.correlation(rows, 3);
    const std::string_view known = rows.is_null(4) ? std::string_view() : overhead_name(rows.integer(4));
    overhead.name = known.empty() ? exported_.name(process, rows, 5) : process.imported->text(known);
    process.imported->add_execution(overhead);
  }
  exported_.note(rows);
}

}  // namespace xsp::nsight_systems
