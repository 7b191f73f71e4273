#include "import/frame/importer.h"
#include "test/catch.h"
#include "test/import/nsight_systems/nsight_systems_export.h"
#include "test/import/read_timeline.h"
#include "test/temporary_folder.h"

namespace xsp::test {
namespace {

const std::string kPid = std::to_string(serialized(7));
const std::string kTid = std::to_string(serialized(7, 70));

ImportedTrace import_sql(const std::string& statements) {
  TemporaryFolder folder;
  run_sql(folder / "export.sqlite", statements);
  return import_file(kNsightSystemsImporter, folder / "export.sqlite");
}

TEST_CASE("a kernel lies in the launch, library call and range that made it") {
  const ImportedTrace trace = import_sql(newer_tables() + one_kernel());

  CHECK(trace.span("cudaLaunchKernel").parent_name == "cudnnConvolutionForward");
  CHECK(trace.span("cudnnConvolutionForward").parent_name == "step");
  CHECK(trace.execution("void gemm<float>(float*)").launch_name == "cudaLaunchKernel");
  CHECK(trace.totals.without_launch == 0);
  CHECK(trace.processes.at(0).pid() == 7);
  CHECK(trace.span("step").thread == 70);
  CHECK(trace.notes.empty());
}

TEST_CASE("spans say what they are") {
  const ImportedTrace trace =
      import_sql(newer_tables() + one_kernel() + "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10000, 11000, 1, " +
                 kTid + ", 13, 5, 700, NULL);");

  CHECK(trace.span("step").kind == KIND_NVTX_RANGE);
  CHECK(trace.span("step").level == LEVEL_APPLICATION);
  CHECK(trace.span("cudnnConvolutionForward").kind == KIND_LIBRARY_CALL);
  CHECK(trace.span("cudnnConvolutionForward").level == LEVEL_LIBRARY);
  CHECK(trace.span("cudnnConvolutionForward").type == "cudnn");
  CHECK(trace.span("cudaLaunchKernel").kind == KIND_RUNTIME_CALL);
  CHECK(trace.span("cudaLaunchKernel").level == LEVEL_RUNTIME);
  CHECK(trace.span("cudaLaunchKernel").type == "cudart");
  CHECK(!trace.span("cudaLaunchKernel").failed);
  CHECK(trace.span("cuLaunchKernel").kind == KIND_DRIVER_CALL);
  CHECK(trace.span("cuLaunchKernel").type == "cuda");
  CHECK(trace.span("cuLaunchKernel").failed);
}

TEST_CASE("a kernel keeps its place, times and launch configuration") {
  const ImportedTrace trace = import_sql(newer_tables() + one_kernel());
  const ImportedExecutionRead& kernel = trace.execution("void gemm<float>(float*)");

  CHECK(kernel.kind == KIND_KERNEL);
  CHECK(kernel.context == 1);
  CHECK(kernel.stream == 7);
  CHECK(kernel.begin - trace.span("step").begin == 3500);
  CHECK(kernel.end - kernel.begin == 2000);
  CHECK(kernel.configuration == "grid=[80,1,1] block=[256,1,1] registers=32 static_shared=48 dynamic_shared=16384");
}

TEST_CASE("a kernel launched in clusters says so, and one without does not") {
  const auto configuration = [](const std::string& cluster) {
    const ImportedTrace trace =
        import_sql(newer_tables() +
                   "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN clusterX INTEGER;"
                   "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN clusterY INTEGER;"
                   "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN clusterZ INTEGER;"
                   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (4500, 6500, 0, 1, NULL, 7, 12, " +
                   kPid + ", 2, 3, 4, 32, 80, 1, 1, 256, 1, 1, 48, 16384, NULL, NULL, " + cluster + ");");
    return trace.execution("void gemm<float>(float*)").configuration;
  };
  const std::string launch = "grid=[80,1,1] block=[256,1,1] registers=32 static_shared=48 dynamic_shared=16384";
  CHECK(configuration("2, 1, 1") == launch + " cluster=[2,1,1]");
  CHECK(configuration("1, 1, 4") == launch + " cluster=[1,1,4]");
  for (const char* none : {"0, 0, 0", "1, 1, 1", "NULL, NULL, NULL", "-2, 1, 1", "'x', 1, 1"}) {
    CAPTURE(none);
    CHECK(configuration(none) == launch);
  }
}

TEST_CASE("copies, memsets, waits, allocations and overhead are executions of their kinds") {
  const ImportedTrace trace = import_sql(
      newer_tables() + one_kernel() + "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (7000, 7100, 0, 1, 7, 0, " + kPid +
      ", 4096, 1, NULL); INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (7200, 7300, 0, 1, 7, 0, " + kPid +
      ", 0, 512, NULL); INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (7400, 7500, 0, 1, 7, 0, " + kPid +
      ", 3); INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (7600, 7700, " + kTid +
      ", 0, 10, 7); INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (7800, " + kPid +
      ", 0, 1, 1024, 2, 0, 0, 7), (7900, " + kPid + ", 0, 1, 1024, 2, 1, 0, 7), (7950, " + kPid +
      ", 0, 1, 2048, 1, 0, 0, 7);");

  CHECK(trace.execution("HtoD").kind == KIND_MEMCPY);
  CHECK(trace.execution("HtoD").bytes == 4096);
  CHECK(trace.execution("memset").kind == KIND_MEMSET);
  CHECK(trace.execution("memset").bytes == 512);
  CHECK(trace.execution("stream").kind == KIND_SYNCHRONIZATION);
  CHECK(trace.execution("lazy function loading").kind == KIND_OVERHEAD);
  CHECK(trace.execution("allocate").kind == KIND_MEMORY);
  CHECK(trace.execution("allocate").bytes == 1024);
  CHECK(trace.execution("free").kind == KIND_MEMORY);
  CHECK(trace.executions.size() == 7);  // pinned memory is none of the device's
}

/// Copies of each direction with kinds of memory: HtoD 1 -> 2, DtoH 2 -> 0, DtoD 2 -> 2, HtoD 7 -> 2, HtoD of none.
std::string copies_of_memory() {
  const std::string rest = ", 0, 1, 7, 0, " + kPid + ", 64, ";
  return "ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY ADD COLUMN srcKind INTEGER;"
         "ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY ADD COLUMN dstKind INTEGER;"
         "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1000, 1001" +
         rest + "1, NULL, 1, 2), (2000, 2001" + rest + "2, NULL, 2, 0), (3000, 3001" + rest +
         "8, NULL, 2, 2), (4000, 4001" + rest + "1, NULL, 7, 2), (5000, 5001" + rest + "1, NULL, NULL, NULL);";
}

std::vector<std::string> names_of_executions(const ImportedTrace& trace) {
  std::vector<std::string> names;
  for (const ImportedExecutionRead& execution : trace.executions) names.push_back(execution.name);
  return names;
}

TEST_CASE("copies name the kinds of memory where that says more than their direction") {
  const ImportedTrace trace = import_sql(newer_tables() + copies_of_memory());
  CHECK(names_of_executions(trace) ==
        std::vector<std::string>{"HtoD (Pinned -> Device)", "DtoH (Device -> Pageable)", "DtoD", "HtoD", "HtoD"});
  CHECK(trace.notes.empty());
}

TEST_CASE("the kinds of memory are those that the export lists") {
  const ImportedTrace trace =
      import_sql(newer_tables() + copies_of_memory() +
                 "CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
                 "INSERT INTO ENUM_CUDA_MEM_KIND VALUES (1, 'A', 'Pageable'), (2, 'B', 'Pinned'), (7, 'C', 'Device');");
  CHECK(names_of_executions(trace) == std::vector<std::string>{"HtoD (Pageable -> Pinned)", "DtoH",
                                                               "DtoD (Pinned -> Pinned)", "HtoD (Device -> Pinned)",
                                                               "HtoD"});
}

TEST_CASE("a wait is on the device of its context, whichever device its row names") {
  const ImportedTrace trace = import_sql(
      newer_tables() + "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (4500, 6500, 3, 2, NULL, 7, 12, " + kPid +
      ", 2, 3, 4, 32, 80, 1, 1, 256, 1, 1, 48, 0, NULL, NULL); INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES "
      "(7400, 7500, 0, 2, 4294967295, 0, " +
      kPid + ", 4);");

  CHECK(trace.execution("context").device == 3);
  CHECK(trace.execution("context").stream == 0);
}

TEST_CASE("library tables of any name are read, the profiler's own marks in them are not") {
  const ImportedTrace trace = import_sql(
      newer_tables() + one_kernel() + "CREATE TABLE CUSOLVER_EVENTS (start, end, eventClass, globalTid, nameId);" +
      "INSERT INTO CUSOLVER_EVENTS VALUES (8000, 8100, 28, " + kTid + ", 3);" +
      "INSERT INTO CUDNN_EVENTS VALUES (500, 500, 33, " + kPid + ", 12);" +
      "CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start, end, eventClass, globalTid, nameId);" +
      "INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (8200, 8300, 77, " + kTid + ", 5);");

  CHECK(trace.span("gemm").type == "cusolver");
  CHECK(trace.count_spans("cuDNN profiling started") == 0);
  CHECK(trace.spans.size() == 4);
}

TEST_CASE("nodes of a graph carry their ids, and launches of whole graphs are one kernel each") {
  const ImportedTrace trace =
      import_sql(newer_tables() + "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (3000, 4000, 0, " + kTid +
                 ", 12, 7, 0, NULL), (3100, 3200, 0, " + kTid + ", 13, 7, 0, NULL);" +
                 "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (4500, 6500, 0, 1, NULL, 7, 12, " + kPid +
                 ", 2, 3, 4, 32, 80, 1, 1, 256, 1, 1, 48, 0, 4294967301, 3);" +
                 "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (4500, 6600, 0, 1, 7, 12, " + kPid +
                 ", 3), (7000, 9000, 0, 1, 7, 13, " + kPid + ", 4);");

  CHECK(trace.execution("void gemm<float>(float*)").graph_node == 4294967301);
  CHECK(trace.execution("void gemm<float>(float*)").graph == 3);
  CHECK(trace.execution("void gemm<float>(float*)").launch_name == "cudaGraphLaunch");
  CHECK(trace.execution("CUDA graph 4").kind == KIND_KERNEL);
  CHECK(trace.execution("CUDA graph 4").launch_name == "cudaGraphLaunch");
  CHECK(trace.executions.size() == 2);  // of the first launch the nodes are told
  CHECK(trace.has_note("1 launches of CUDA graphs are one kernel each"));
}

TEST_CASE("ranges have the name of their domain for a type") {
  const std::string other = std::to_string(serialized(8, 80));
  const ImportedTrace trace = import_sql(
      newer_tables() + "INSERT INTO NVTX_EVENTS VALUES (1, NULL, 75, NULL, " + kTid + ", NULL, 11, 1), (2, NULL, 75, " +
      "'TSL', " + other + ", NULL, NULL, 1), (1000, 2000, 59, 'ncclAllReduce', " + kTid +
      ", NULL, NULL, 1), (1000, 2000, 59, 'Thunk', " + other + ", NULL, NULL, 1), (3000, 4000, 59, NULL, " + kTid +
      ", NULL, 8, 0), (5000, NULL, 34, 'mark', " + kTid + ", NULL, NULL, 0);");

  CHECK(trace.span("ncclAllReduce").type == "NCCL");
  CHECK(trace.span("Thunk").type == "TSL");
  CHECK(trace.span("registered range").type.empty());
  CHECK(trace.span("mark").begin == trace.span("mark").end);
}

TEST_CASE("a started range that another thread ends has nothing in it") {
  const std::string other = std::to_string(serialized(7, 71));
  const ImportedTrace trace =
      import_sql(newer_tables() + one_kernel() + "INSERT INTO NVTX_EVENTS VALUES (500, 8000, 60, 'across', " + kTid +
                 ", " + other + ", NULL, 0), (500, 9500, 60, 'within', " + kTid + ", " + kTid +
                 ", NULL, 0), (600, NULL, 60, 'open', " + kTid + ", NULL, NULL, 0);");

  CHECK(trace.span("across").end - trace.span("across").begin == 7500);
  CHECK(trace.span("step").parent_name == "within");
  CHECK(trace.totals.overlapping == 0);
  CHECK(trace.has_note("NVTX range that was not ended"));
}

TEST_CASE("ranges of PyTorch repeat: their numbers are left out") {
  const ImportedTrace trace =
      import_sql(newer_tables() + "INSERT INTO NVTX_EVENTS VALUES (1000, 2000, 59, 'aten::addmm, op_id = 314290', " +
                 kTid + ", NULL, NULL, 0), (3000, 4000, 59, 'aten::mm, seq = 5, op_id = 7, sizes = [[2, 3]], " +
                 "input_op_ids = [(1,0)]', " + kTid + ", NULL, NULL, 0);");

  CHECK(trace.count_spans("aten::addmm") == 1);
  CHECK(trace.count_spans("aten::mm, sizes = [[2, 3]]") == 1);
}

TEST_CASE("only processes with events become processes, each with its own launches") {
  const std::string other = std::to_string(serialized(8, 80));
  const ImportedTrace trace = import_sql(
      newer_tables() + one_kernel() + "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (3000, 3500, 0, " + other +
      ", 12, 5, 0, NULL);" + "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5000, 5500, 1, 2, NULL, 15, 12, " +
      std::to_string(serialized(8)) + ", 3, 3, 4, 32, 80, 1, 1, 256, 1, 1, 48, 0, NULL, NULL);" +
      "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);" + "INSERT INTO PROCESSES VALUES (" + kPid +
      ", 7, 'python3'), (" + std::to_string(serialized(9)) + ", 9, 'idle');");

  REQUIRE(trace.processes.size() == 2);
  CHECK(trace.processes[0].executable() == "python3");
  CHECK(trace.processes[1].pid() == 8);
  CHECK(trace.execution("gemm").launch_name == "cuLaunchKernel");
  CHECK(trace.execution("gemm").process == 2);
  CHECK(trace.execution("gemm").device == 1);
}

TEST_CASE("a kernel whose launch was not recorded gets none of another process") {
  const std::string other = std::to_string(serialized(8));
  const ImportedTrace trace = import_sql(newer_tables() + one_kernel() +
                                         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5000, 5500, 1, 2, NULL, 15, "
                                         "12, " +
                                         other + ", 3, 3, 4, 32, 80, 1, 1, 256, 1, 1, 48, 0, NULL, NULL);");

  CHECK(trace.execution("gemm").launch_name.empty());
  CHECK(trace.execution("gemm").process != trace.execution("void gemm<float>(float*)").process);
  CHECK(trace.totals.without_launch == 1);
}

TEST_CASE("processes of two machines with one pid stay apart") {
  const std::string other = std::to_string(int64_t{2} << 48 | int64_t{7} << 24 | 70);
  const ImportedTrace trace =
      import_sql(newer_tables() + one_kernel() + "INSERT INTO NVTX_EVENTS VALUES (1000, 9000, 59, 'elsewhere', " +
                 other + ", NULL, NULL, 0);");

  CHECK(trace.processes.size() == 2);
  CHECK(trace.span("elsewhere").process != trace.span("step").process);
}

TEST_CASE("devices of newer exports are found by process and CUDA's number") {
  const ImportedTrace trace = import_sql(
      newer_tables() + one_kernel() +
      "CREATE TABLE TARGET_INFO_GPU (vmId, id, name, chipName, computeMajor, computeMinor, smCount, totalMemory, "
      "clockRate, l2CacheSize, memoryBandwidth);"
      "INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 'another', 'GA100', 8, 0, 108, 1, 1, 1, 1),"
      "(1, 1, 'NVIDIA H100 80GB HBM3', 'GH100', 9, 0, 132, 85028765696, 1980000000, 52428800, 3352320000000);"
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid, uuid, numMultiprocessors);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 6, '', 108), (1, 0, 7, '', 132), (0, 1, 7, '', 108);"
      "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);"
      "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('CudaDriverVersion', '13000'), ('Hostname', 'node3');");

  REQUIRE(trace.devices.size() == 1);
  const Device& device = trace.devices[0];
  CHECK(device.index() == 0);
  CHECK(device.name() == "NVIDIA H100 80GB HBM3");
  CHECK(device.chip() == "GH100");
  CHECK(device.compute_capability_major() == 9);
  CHECK(device.multiprocessors() == 132);
  CHECK(device.memory_bytes() == 85028765696);
  CHECK(device.clock_khz() == 1980000);
  CHECK(device.l2_cache_bytes() == 52428800);
  CHECK(device.memory_bandwidth() == 3352320000000);
  CHECK(device.driver_version() == 13000);
  CHECK(trace.header.hostname() == "node3");
}

TEST_CASE("devices of older exports tell MiB and kHz") {
  const ImportedTrace trace =
      import_sql(newer_tables() + one_kernel() +
                 "CREATE TABLE TARGET_INFO_CUDA_GPU (name, globalMemoryBandwidth, globalMemorySize, l2CacheSize, "
                 "coreClockRate, numMultiprocessors, computeCapabilityMajor, computeCapabilityMinor, deviceId, pid);"
                 "INSERT INTO TARGET_INFO_CUDA_GPU VALUES ('Tesla V100-SXM2-16GB', 0, 16160, 6291456, 1312000, 80, 7, "
                 "0, 0, 7);");

  REQUIRE(trace.devices.size() == 1);
  CHECK(trace.devices[0].name() == "Tesla V100-SXM2-16GB");
  CHECK(trace.devices[0].memory_bytes() == uint64_t{16160} << 20);
  CHECK(trace.devices[0].clock_khz() == 1312000);
  CHECK(trace.devices[0].compute_capability_major() == 7);
}

TEST_CASE("ranks come from the environment, and nothing else does") {
  const ImportedTrace trace =
      import_sql(newer_tables() + one_kernel() +
                 "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);"
                 "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('DeviceEnvironment', 'SECRET=1;RANK=3;HOME=/root');"
                 "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);"
                 "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_VARIABLE', 'WORLD_SIZE=\"8\"'),"
                 "('PROCESS_0:ENVIRONMENT_VARIABLE', 'TOKEN=\"x\"');");

  CHECK(trace.processes.at(0).environment().at("RANK") == "3");
  CHECK(trace.processes.at(0).environment().at("WORLD_SIZE") == "8");
  CHECK(trace.processes.at(0).environment().size() == 2);
}

TEST_CASE("the begin of the session gives the time of day") {
  const std::string start =
      "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);"
      "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1779630014000000000);";
  const int64_t from_zero = import_sql(newer_tables() + one_kernel() + start).header.realtime_offset_ns();
  const int64_t from_details =
      import_sql(newer_tables() + one_kernel() + start +
                 "CREATE TABLE ANALYSIS_DETAILS (startTime INTEGER); INSERT INTO ANALYSIS_DETAILS VALUES (500);")
          .header.realtime_offset_ns();

  // The first span begins at 1000 in the export, and at 1'000'000 in the trace.
  CHECK(from_zero == 1779630014000000000 + 1000 - 1'000'000);
  CHECK(from_details == from_zero - 500);
}

TEST_CASE("what is not read is said") {
  const ImportedTrace trace = import_sql(newer_tables() + one_kernel() +
                                         "CREATE TABLE OSRT_API (start, end); INSERT INTO OSRT_API VALUES (1, 2), (3, "
                                         "4); CREATE TABLE GPU_METRICS (timestamp, value); INSERT INTO GPU_METRICS "
                                         "VALUES (1, 2);");

  CHECK(trace.has_note("2 rows of OSRT_API"));
  CHECK(trace.has_note("1 rows of GPU_METRICS"));
}

}  // namespace
}  // namespace xsp::test
