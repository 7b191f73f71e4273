#include "import/frame/importer.h"
#include "test/catch.h"
#include "test/contains.h"
#include "test/import/read_timeline.h"

namespace xsp::test {
namespace {

const std::string kPreamble =
    "==2119== NVPROF is profiling process 2119, command: ./train --steps 3\n"
    "==2119== Profiling application: ./train --steps 3\n"
    "==2119== Profiling result:\n";
const std::string kHeader =
    "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Registers Per "
    "Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Throughput\",\"SrcMemType\",\"DstMemType\",\"Device\","
    "\"Context\",\"Stream\",\"Name\",\"Correlation_ID\"\n";
const std::string kUnits = "ms,us,,,,,,,,KB,B,MB,GB/s,,,,,,,\n";
const std::string kCopy =
    "1.500000,2.250000,,,,,,,,,,0.125000,0.084666,\"Pinned\",\"Device\",\"Tesla V100-SXM2-16GB (0)\",\"1\",\"22\","
    "\"[CUDA memcpy HtoD]\",305\n";
const std::string kKernel =
    "2.000000,10.500000,80,2,1,256,1,1,32,1.500000,16384,,,,,\"Tesla V100-SXM2-16GB (1)\",\"2\",\"7\","
    "\"void gemm<int=8>(float*, float*)\",306\n";

std::string gpu_trace(const std::string& rows) { return kPreamble + kHeader + kUnits + rows; }

TEST_CASE("a GPU trace of nvprof becomes executions") {
  const ImportedTrace trace = import_text(kNvprofImporter, gpu_trace(kCopy + kKernel));

  const ImportedExecutionRead& copy = trace.execution("HtoD");
  CHECK(copy.kind == KIND_MEMCPY);
  CHECK(copy.bytes == 131072);
  CHECK(copy.stream == 22);
  CHECK(copy.correlation == 305);
  CHECK(copy.end - copy.begin == 2250);
  const ImportedExecutionRead& kernel = trace.execution("void gemm<int=8>(float*, float*)");
  CHECK(kernel.kind == KIND_KERNEL);
  CHECK(kernel.begin - copy.begin == 500000);
  CHECK(kernel.end - kernel.begin == 10500);
  CHECK(kernel.device == 1);
  CHECK(kernel.context == 2);
  CHECK(kernel.configuration == "grid=[80,2,1] block=[256,1,1] registers=32 static_shared=1536 dynamic_shared=16384");
  CHECK(trace.processes.at(0).pid() == 2119);
  CHECK(trace.processes.at(0).executable() == "./train");
  REQUIRE(trace.devices.size() == 2);
  CHECK(trace.devices[0].name() == "Tesla V100-SXM2-16GB");
  CHECK(trace.notes.empty());
}

TEST_CASE("registers and shared memory that nvprof did not print are not taken for 0") {
  const std::string row =
      "2.000000,10.500000,80,2,1,256,1,1,,,16384,,,,,\"Tesla V100-SXM2-16GB (0)\",\"1\",\"7\",\"fill(int)\",306\n";
  const ImportedTrace trace = import_text(kNvprofImporter, gpu_trace(row));
  CHECK(trace.execution("fill(int)").configuration == "grid=[80,2,1] block=[256,1,1] dynamic_shared=16384");
}

TEST_CASE("lines may end with CR LF, and the file with a byte order mark begin") {
  std::string text = "\xEF\xBB\xBF" + gpu_trace(kCopy + kKernel);
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.replace(at, 1, "\r\n");
  CHECK(import_text(kNvprofImporter, text).executions.size() == 2);
}

TEST_CASE("a memset, copies of unified memory and names with quotes are read") {
  const ImportedTrace trace =
      import_text(kNvprofImporter,
                  gpu_trace("0.1,1.0,,,,,,,,,,0.001,1,\"Device\",,\"T (0)\",\"1\",\"7\",\"[CUDA memset]\",1\n"
                            "0.2,1.0,,,,,,,,,,0.5,1,\"\",\"\",\"T (0)\",\"\",\"\",\"[Unified Memory Memcpy DtoH]\",\n"
                            "0.3,1.0,1,1,1,1,1,1,1,0,0,,,,,\"T (0)\",\"1\",\"7\",\"k<\"\"a\"\">\",2\n"
                            "0.4,1.0,,,,,,,,,,5,,,,\"T (0)\",,,\"[Unified Memory GPU page faults]\",\n"));

  CHECK(trace.execution("memset").bytes == 1049);
  CHECK(trace.execution("unified DtoH").bytes == 524288);
  CHECK(trace.execution("k<\"a\">").correlation == 2);
  CHECK(trace.has_note("row of [Unified Memory GPU page faults], which is no execution (first: row 9)"));
}

TEST_CASE("calls of the same table launch its kernels") {
  const ImportedTrace trace =
      import_text(kNvprofImporter, gpu_trace("1.900000,50.0,,,,,,,,,,,,,,,,,\"cudaLaunchKernel\",306\n" + kKernel +
                                             "2.500000,5.0,,,,,,,,,,,,,,,,,\"cuCtxSynchronize\",307\n"));

  CHECK(trace.execution("void gemm<int=8>(float*, float*)").launch_name == "cudaLaunchKernel");
  CHECK(trace.span("cudaLaunchKernel").kind == KIND_RUNTIME_CALL);
  CHECK(trace.span("cudaLaunchKernel").type == "cudart");
  CHECK(trace.span("cuCtxSynchronize").kind == KIND_DRIVER_CALL);
}

TEST_CASE("a table of calls that counts from another time is moved so that no kernel is before its launch") {
  const ImportedTrace trace =
      import_text(kNvprofImporter,
                  "======== Profiling result:\n\"Start\",\"Duration\",\"Name\",\"Correlation_ID\"\n"
                  "us,us,,\n0.000000,2.0,\"cuDeviceGet\",1\n5000.0,3.0,\"cudaLaunchKernel\",306\n"
                  "======== Profiling result:\n" +
                      kHeader + kUnits + kKernel);

  const ImportedExecutionRead& kernel = trace.execution("void gemm<int=8>(float*, float*)");
  CHECK(kernel.launch_name == "cudaLaunchKernel");
  CHECK(kernel.begin == trace.span("cudaLaunchKernel").begin);
  CHECK(trace.span("cudaLaunchKernel").begin - trace.span("cuDeviceGet").begin == 5000000);
  CHECK(trace.has_note("count from different times"));
}

TEST_CASE("correlation ids of older versions stand behind the name") {
  const ImportedTrace trace = import_text(
      kNvprofImporter,
      "==5== Profiling result:\n\"Start\",\"Duration\",\"Grid X\",\"Device\",\"Context\",\"Stream\",\"Name\"\n"
      "s,us,,,,,\n0.001,5,,,,,\"cudaLaunch (gemm(float*) [107])\"\n"
      "0.002,5,8,\"K20c (0)\",1,7,\"gemm(float*) [107]\"\n");

  CHECK(trace.execution("gemm(float*)").correlation == 107);
  CHECK(trace.span("cudaLaunch").correlation == 107);
}

TEST_CASE("counters in the table of kernels keep their own names") {
  const ImportedTrace trace = import_text(
      kNvprofImporter,
      "==5== Profiling result:\n\"Start\",\"Duration\",\"Device\",\"Context\",\"Stream\",\"Name\",\"flop_count_sp\","
      "\"dram_read_throughput\",\"l2_utilization\",\"Achieved Occupancy\"\n"
      "us,us,,,,,,GB/s,,\n1,5,\"V100 (0)\",1,7,\"gemm\",2097152,1.5,\"Low (2)\",0.625\n"
      "7,5,\"V100 (0)\",1,7,\"[CUDA memset]\",,,,\n8,5,\"V100 (0)\",1,7,\"gemm\",<OVERFLOW>,2,\"High (7)\",0.5\n");

  REQUIRE(trace.counters.size() == 7);
  CHECK(trace.counters[0].metric == "flop_count_sp");
  CHECK(trace.counters[0].value == 2097152);
  CHECK(trace.counters[0].kernel == "gemm");
  CHECK(trace.counters[1].value == 1.5e9);
  CHECK(trace.counters[2].value == 2);
  CHECK(trace.counters[3].metric == "achieved_occupancy");
  CHECK(trace.has_note("counter whose value is no number"));
}

TEST_CASE("counters of a second run go to the kernels by name, device and turn") {
  const std::string counted =
      "==9== NVPROF is profiling process 9, command: ./train\n==9== Profiling result:\n"
      "\"Device\",\"Context\",\"Stream\",\"Kernel\",\"Correlation_ID\",\"flop_count_sp\"\n"
      "\"T (0)\",\"1\",\"7\",\"a\",1,10\n\"T (0)\",\"1\",\"7\",\"b\",2,20\n\"T (0)\",\"1\",\"7\",\"a\",3,30\n"
      "\"T (0)\",\"1\",\"7\",\"c\",4,40\n";
  const auto kernel = [](const std::string& start, const std::string& name) {
    return start + ",1,1,1,1,1,1,1,1,0,0,,,,,\"T (0)\",1,7,\"" + name + "\",\n";
  };
  const ImportedTrace trace = import_text(
      kNvprofImporter, gpu_trace(kernel("1", "b") + kernel("2", "a") + kernel("3", "a") + kernel("4", "a")) + counted);

  REQUIRE(trace.counters.size() == 3);
  CHECK(trace.counters[0].value == 20);
  CHECK(trace.counters[1].value == 10);
  CHECK(trace.counters[2].value == 30);
  CHECK(trace.has_note("counters of a kernel that the table with times does not hold"));
  CHECK(trace.has_note("kernel without counters"));
  CHECK(trace.processes.size() == 1);
  CHECK(contains(import_error(kNvprofImporter, counted), "no times of kernels"));
}

TEST_CASE("each process has its own tables") {
  std::string other = gpu_trace(kKernel);
  for (size_t at = 0; (at = other.find("2119", at)) != std::string::npos;) other.replace(at, 4, "2120");
  const ImportedTrace trace = import_text(kNvprofImporter, gpu_trace(kKernel) + other);
  REQUIRE(trace.processes.size() == 2);
  CHECK(trace.processes[1].pid() == 2120);
}

TEST_CASE("what the program printed between nvprof's lines does no harm") {
  const ImportedTrace trace =
      import_text(kNvprofImporter, "step 1, loss 0.3, \"done\n" + gpu_trace(kCopy +
                                                                            "==2119== Warning: 4 records have invalid "
                                                                            "timestamps\n" +
                                                                            kKernel));
  CHECK(trace.executions.size() == 2);
  CHECK(trace.has_note("nvprof warns: 4 records have invalid timestamps"));
}

TEST_CASE("damaged rows are counted with the number of the first") {
  const ImportedTrace trace =
      import_text(kNvprofImporter, gpu_trace(kCopy + "1,2,3\n" + "x,1.0,,,,,,,,,,,,,,\"T (0)\",1,7,\"k\",\n" +
                                             "1.0,-1.0,,,,,,,,,,,,,,\"T (0)\",1,7,\"k\",\n" +
                                             "1e300,1.0,,,,,,,,,,,,,,\"T (0)\",1,7,\"k\",\n" +
                                             "1.0,1.0,,,,,,,,,,,,,,,,,,\n" + kKernel.substr(0, 40)));
  CHECK(trace.executions.size() == 1);
  CHECK(trace.has_note("row with another number of fields than the header (first: row 7)"));
  CHECK(trace.has_note("row whose times are no numbers (first: row 8)"));
  CHECK(trace.has_note("row with a negative duration (first: row 9)"));
  CHECK(trace.has_note("row with times beyond any clock (first: row 10)"));
  CHECK(trace.has_note("row without a name (first: row 11)"));
  CHECK(trace.has_note("row that is cut off (first: row 12)"));
}

TEST_CASE("ranges of NVTX are two rows, and launches of older versions name their kernel") {
  const ImportedTrace trace =
      import_text(kNvprofImporter, kPreamble +
                                       "\"Start\",\"Duration\",\"Name\"\nms,ms,\n"
                                       "1.0,,\"[Range start] step (Domain: <unnamed>)\"\n"
                                       "1.2,0.063,\"cudaLaunch (void mul<int=32>(float*, int) [94])\"\n"
                                       "1.9,,\"[Range end] step (Domain: <unnamed>)\"\n"
                                       "2.0,,\"[Marker] here\"\n"
                                       "2.1,,\"[Range end] other\"\n"
                                       "==2119== Profiling result:\n"
                                       "\"Start\",\"Duration\",\"Device\",\"Context\",\"Stream\",\"Name\"\nms,ms,,,,\n"
                                       "1.5,0.2,\"T4 (0)\",\"1\",\"7\",\"void mul<int=32>(float*, int) [94]\"\n");
  CHECK(trace.span("step").kind == KIND_NVTX_RANGE);
  CHECK(trace.span("step").end - trace.span("step").begin == 900'000);
  CHECK(trace.span("cudaLaunch").parent_name == "step");
  CHECK(trace.execution("void mul<int=32>(float*, int)").launch_name == "cudaLaunch");
  CHECK(trace.has_note("row of [Marker] (first: row 9)"));
  CHECK(trace.has_note("end of a range that has not begun (first: row 10)"));
}

TEST_CASE("what holds no single calls is refused with the row and what to do") {
  CHECK(contains(import_error(kNvprofImporter, kPreamble + kHeader + kUnits + "1,2,3\n"),
                 "row 6: row with another number of fields"));
  CHECK(contains(import_error(kNvprofImporter, kPreamble + kHeader + kCopy), "row 5: table without a row of units"));
  CHECK(contains(import_error(kNvprofImporter, kPreamble + kHeader + "weeks,us,,,,,,,,KB,B,MB,GB/s,,,,,,,\n" + kCopy),
                 "row 5: table whose unit \"weeks\" of column Start is not known"));
  CHECK(contains(import_error(kNvprofImporter, "\"Time(%)\",\"Time\",\"Calls\",\"Name\"   \n%,us,,   \n"),
                 "row 1: table that is a summary"));
  CHECK(contains(import_error(kNvprofImporter, kPreamble + "\"Type\",\"Time(%)\",\"Time\",\"Calls\"\n,%,us,\n"),
                 "row 4: table that is a summary"));
  CHECK(contains(import_error(kNvprofImporter, kPreamble + "   Start  Duration            Grid Size\n"),
                 "row 4: table that is not in CSV"));
  CHECK(contains(import_error(kNvprofImporter, kPreamble + "Start;Duration;Name\nms;us;\n1;2;k\n"),
                 "row 4: table whose columns are separated by ';'"));
  CHECK(contains(import_error(kNvprofImporter,
                              "==7== NVPROF is profiling process 7, command: a\n"
                              "No kernels were profiled.\n"),
                 "row 2: nvprof says: No kernels were profiled."));
  CHECK(contains(import_error(kNvprofImporter, std::string(3 << 20, 'x')), "longer than any"));
}

TEST_CASE("nvprof's text is told from others by what it holds") {
  CHECK(kNvprofImporter.recognise(kPreamble) > 0);
  CHECK(kNvprofImporter.recognise(kHeader) > 0);
  CHECK(kNvprofImporter.recognise("Start,Name\n") == 0);
  CHECK(kNvprofImporter.recognise("{\"traceEvents\": []}") == 0);
}

}  // namespace
}  // namespace xsp::test
