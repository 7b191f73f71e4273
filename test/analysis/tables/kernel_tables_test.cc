#include "analysis/tables/kernel_tables.h"

#include <algorithm>

#include "analysis/render/summary.h"
#include "test/analysis/support/kernel_specs.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using analysis::is_null;
using analysis::StudyOptions;
using analysis::Table;

/// A model with two layers: fc calls cublasGemmEx, which launches "gemm" and "split"; relu launches "_Z4reluPf" on
/// another stream, which overlaps "split" by 10 µs; then a kernel outside of layers. Kernels run 50 µs after their
/// launches. Times in µs from `at`: gemm 20 to 50 + longer, split 50 to 70, relu 60 to 90, tail 100 to 105.
void add_model(TraceBuilder& builder, uint32_t first_id, int64_t at, int64_t longer = 0, uint32_t process = 1,
               const std::string& second = "split") {
  const uint32_t root = first_id;
  const auto add = [&](int level, uint32_t id, uint32_t parent, int64_t begin, int64_t end, const std::string& name) {
    builder.add(span(level, root + id, parent == UINT32_MAX ? 0 : root + parent, at + begin, at + end, name, process));
  };
  add(LEVEL_RUNTIME, 3, 2, 3, 4, "cudaLaunchKernel");
  add(LEVEL_RUNTIME, 4, 2, 5, 6, "cudaLaunchKernel");
  add(LEVEL_LIBRARY, 2, 1, 2, 8, "cublasGemmEx");
  add(LEVEL_LAYER, 1, 0, 1, 10, "fc");
  add(LEVEL_RUNTIME, 6, 5, 12, 13, "cudaLaunchKernel");
  add(LEVEL_LAYER, 5, 0, 11, 16, "relu");
  add(LEVEL_RUNTIME, 7, 0, 18, 19, "cudaLaunchKernel");
  add(LEVEL_MODEL, 0, UINT32_MAX, 0, 200, "Net");
  builder.add_executions({kernel(at + 20 - longer, at + 50, "gemm", root + 3, 7, process),
                          kernel(at + 60, at + 90, "_Z4reluPf", root + 6, 8, process),
                          kernel(at + 50, at + 70, second, root + 4, 7, process),
                          kernel(at + 100, at + 105, "tail", root + 7, 7, process)});
}

std::string four_evaluations() {
  TraceBuilder builder;
  builder.add_process(10);
  for (uint32_t i = 0; i < 4; ++i) add_model(builder, 1 + 10 * i, 1000 * int64_t{i}, i);
  builder.add(span(LEVEL_RUNTIME, 90, 0, 5000, 5001, "cudaLaunchKernel"));
  builder.add_executions({kernel(5100, 5200, "warm_up", 90)});
  return builder.bytes();
}

double sum(const Table& table, size_t column) {
  double total = 0;
  for (const auto& row : table.rows) total += is_null(row[column]) ? 0 : number(row[column]);
  return total;
}

void check_columns(const Table& table, const std::vector<std::string>& names) {
  REQUIRE(table.columns.size() >= names.size());
  for (size_t i = 0; i < names.size(); ++i) CHECK(table.columns[i].name == names[i]);
  for (const auto& row : table.rows) REQUIRE(row.size() == table.columns.size());
}

const std::vector<std::string> kMetrics = {
    "gflops",       "dram_read_mib", "dram_write_mib", "occupancy_pct", "arithmetic_intensity", "throughput_tflops",
    "memory_bound", "source"};

std::vector<std::string> with_metrics(std::vector<std::string> names) {
  names.insert(names.end(), kMetrics.begin(), kMetrics.end());
  return names;
}

TEST_CASE("A8: kernels of the joined evaluations in order of launch, with layer, library call, stream and launch") {
  const Analysed analysed({four_evaluations()});
  const Table a8 = analysed.table("A8");
  check_columns(a8, with_metrics({"kernel_name", "layer_index", "layer_name", "library_call", "stream", "latency_ms"}));
  REQUIRE(a8.rows.size() == 4);
  const auto& gemm = a8.rows[0];
  CHECK(text(gemm[0]) == "gemm");
  CHECK(number(gemm[1]) == 0);
  CHECK(text(gemm[2]) == "fc");
  CHECK(text(gemm[3]) == "cublasGemmEx");
  CHECK(number(gemm[4]) == 7);
  CHECK(number(gemm[5]) == Approx(0.032));  // 31, 32, 33 µs without the warm-up
  for (size_t column = 6; column < 13; ++column) CHECK(is_null(gemm[column]));
  CHECK(text(gemm[13]) == "none");
  CHECK(number(gemm[14]) == 0);
  CHECK(text(gemm[15]) == "[80,1,1]");
  CHECK(text(gemm[16]) == "[256,1,1]");
  CHECK(text(gemm[17]) == "cudaLaunchKernel");
  CHECK(is_null(gemm[18]));
  CHECK(number(gemm[19]) == 3);
  CHECK(number(gemm[20]) == Approx(0.001));
  CHECK(text(gemm[21]) == "pid 10");
  CHECK(text(a8.rows[1][0]) == "split");
  CHECK(text(a8.rows[2][0]) == "relu(float*)");
  CHECK(number(a8.rows[2][1]) == 1);
  CHECK(is_null(a8.rows[2][3]));
  CHECK(number(a8.rows[2][4]) == 8);
  CHECK(text(a8.rows[3][0]) == "tail");
  CHECK(is_null(a8.rows[3][1]));
  CHECK(is_null(a8.rows[3][2]));
  CHECK(has_note(a8, "FLOPs and bytes are unknown"));
  CHECK(has_note(a8, "Net, input [4,3]: 20 % trimmed mean of 3 calls, 1 left out as warm-up"));
  CHECK(has_note(a8, "1 kernel outside every step and call"));
  CHECK(a8.contradiction.empty());
}

TEST_CASE("--top keeps the longest kernels of A8, in order of execution") {
  Table a8 = Analysed({four_evaluations()}).table("A8");
  CHECK(analysis::cut_to_top(2, &a8) == 2);
  CHECK(text(a8.rows[0][0]) == "gemm");
  CHECK(text(a8.rows[1][0]) == "relu(float*)");
}

TEST_CASE("A10, A11 and A15 with the answers worked out by hand, and the same sums") {
  const Analysed analysed({four_evaluations()});
  const Table a10 = analysed.table("A10");
  check_columns(a10, with_metrics({"kernel_name", "count", "latency_ms", "latency_pct"}));
  REQUIRE(a10.rows.size() == 4);
  CHECK(text(a10.rows[0][0]) == "gemm");
  CHECK(number(a10.rows[0][1]) == 1);
  CHECK(number(a10.rows[0][3]) == Approx(16));  // 32 of 200 µs
  CHECK(text(a10.rows[1][0]) == "relu(float*)");
  CHECK(number(a10.rows[3][12]) == Approx(100 * 5.0 / 87));

  const Table a11 = analysed.table("A11");
  check_columns(a11,
                with_metrics({"layer_index", "layer_name", "layer_latency_ms", "kernel_latency_ms", "kernel_count"}));
  REQUIRE(a11.rows.size() == 3);
  CHECK(text(a11.rows[0][1]) == "fc");
  CHECK(number(a11.rows[0][2]) == number(analysed.table("A2").rows[0][4]));
  CHECK(number(a11.rows[0][3]) == Approx(0.052));
  CHECK(number(a11.rows[0][4]) == 2);
  CHECK(number(a11.rows[1][3]) == Approx(0.03));
  CHECK(is_null(a11.rows[2][0]));
  CHECK(text(a11.rows[2][1]) == "(unattached)");
  CHECK(is_null(a11.rows[2][2]));
  CHECK(number(a11.rows[2][3]) == Approx(0.005));
  CHECK(number(a11.rows[2][4]) == 1);

  const Table a15 = analysed.table("A15");
  check_columns(
      a15, with_metrics({"batch_size", "model_latency_ms", "kernel_latency_ms", "kernel_count", "gpu_latency_pct"}));
  REQUIRE(a15.rows.size() == 1);
  const auto& model = a15.rows[0];
  CHECK(number(model[0]) == 4);
  CHECK(number(model[1]) == Approx(0.2));
  CHECK(number(model[2]) == Approx(0.087));
  CHECK(number(model[3]) == 4);
  CHECK(number(model[4]) == Approx(43.5));
  CHECK(number(model[13]) == Approx(0.077));  // 10 µs of relu run while split does
  CHECK(number(model[14]) == Approx(38.5));
  CHECK(number(model[15]) == 4);
  CHECK(number(model[16]) == 3);
  CHECK(has_note(a15, "kernels overlap"));

  CHECK(sum(a10, 1) == sum(a11, 4));
  CHECK(sum(a10, 2) == Approx(sum(a11, 3)));
  CHECK(sum(a10, 2) == Approx(number(model[2])));
  CHECK(sum(analysed.table("A8"), 5) == Approx(number(model[2])));
  const std::string summary = analysis::render_summary(*analysed.study);
  CHECK(contains(summary, "4 kernels by 4 launches: "));
  CHECK(contains(summary, "top kernel gemm (1)"));
}

TEST_CASE("sums that differ are a contradiction of each of the tables") {
  Analysed analysed({four_evaluations()});
  CHECK(analysis::contradiction_of_kernel_sums(*analysed.study).empty());
  analysed.study->kernels.latency_ns += 1000;
  for (const char* id : {"A10", "A11", "A15"}) {
    const Table table = analysed.table(id);
    CHECK(contains(table.contradiction, "A10 (4 kernels in 0.087 ms)"));
    CHECK(contains(table.contradiction, "A15 (4 kernels in 0.088 ms)"));
    CHECK(has_note(table, "differ"));
  }
}

TEST_CASE("evaluations whose kernels differ are aligned, and each kernel has its own n") {
  TraceBuilder builder;
  builder.add_process(10);
  for (uint32_t i = 0; i < 6; ++i) add_model(builder, 1 + 10 * i, 1000 * int64_t{i}, 0, 1, i == 3 ? "other" : "split");
  const Analysed analysed({builder.bytes()});
  const Table a8 = analysed.table("A8");
  CHECK(a8.rows.size() == 4);
  CHECK(number(a8.rows[0][19]) == 5);
  CHECK(std::count_if(a8.rows.begin(), a8.rows.end(), [](const auto& row) { return number(row[19]) == 4; }) == 1);
  CHECK(has_note(a8, "1 of 5 calls have other kernels than the rest (first at kernel 1)"));
  CHECK(has_note(a8, "1 kernel that fewer than half have is left out"));
  CHECK(number(analysed.table("A15").rows[0][16]) == 5);
  CHECK(analysis::contradiction_of_kernel_sums(*analysed.study).empty());
}

TEST_CASE("--per trace has every kernel for itself, also those in no evaluation, and the same sums") {
  StudyOptions options;
  options.per_trace = true;
  const Analysed analysed({four_evaluations()}, options);
  const Table a8 = analysed.table("A8");
  REQUIRE(a8.rows.size() == 17);
  CHECK(number(a8.rows[0][19]) == 1);
  CHECK(is_null(a8.rows[0][20]));
  CHECK(text(a8.rows[16][0]) == "warm_up");
  CHECK(has_note(a8, "17 kernels of the whole recording, nothing left out"));
  const Table a11 = analysed.table("A11");
  REQUIRE(a11.rows.size() == 3);
  CHECK(number(a11.rows[0][3]) == Approx(0.206));
  CHECK(number(a11.rows[2][3]) == Approx(0.12));
  const Table a15 = analysed.table("A15");
  REQUIRE(a15.rows.size() == 2);
  CHECK(number(a15.rows[0][2]) == Approx(0.346));
  CHECK(number(a15.rows[0][1]) == Approx(0.8));
  CHECK(text(a15.rows[1][17]) == "(in no evaluation)");
  CHECK(number(a15.rows[1][3]) == 1);
  CHECK(is_null(a15.rows[1][1]));
  CHECK(sum(a15, 2) == Approx(sum(a11, 3)));
  CHECK(a15.contradiction.empty());
}

TEST_CASE("a program without a model has all its kernels in the tables, by process") {
  TraceBuilder builder;
  for (const uint32_t process : {1u, 2u}) {
    builder.add_process(10 * process);
    builder.add(span(LEVEL_RUNTIME, 5, 0, 10, 11, "cudaLaunchKernel", process));
    // Equal correlation ids in both processes.
    builder.add_executions({kernel(20, 20 + 10 * process, "saxpy", 5, 7, process)});
  }
  const std::string bytes = builder.bytes();
  const Analysed analysed({bytes});
  CHECK(analysed.table("A8").rows.size() == 2);
  CHECK(has_note(analysed.table("A8"), "for the whole recording (2 kernels)"));
  const Table a10 = analysed.table("A10");
  REQUIRE(a10.rows.size() == 1);
  CHECK(number(a10.rows[0][1]) == 2);
  CHECK(is_null(a10.rows[0][3]));
  const Table a15 = analysed.table("A15");
  REQUIRE(a15.rows.size() == 2);
  CHECK(number(a15.rows[0][2]) == Approx(0.01));
  CHECK(number(a15.rows[1][2]) == Approx(0.02));
  CHECK(text(a15.rows[1][19]) == "pid 20");
  CHECK(a15.contradiction.empty());
  StudyOptions options;
  options.process = "20";
  const Table one = Analysed({bytes}, options).table("A8");
  REQUIRE(one.rows.size() == 1);
  CHECK(number(one.rows[0][5]) == Approx(0.02));
}

TEST_CASE("evaluations of several processes are never joined") {
  TraceBuilder builder;
  for (const uint32_t process : {1u, 2u}) {
    builder.add_process(10 * process, std::to_string(process - 1));
    for (uint32_t i = 0; i < 2; ++i) add_model(builder, 1 + 10 * i, 1000 * int64_t{i}, process, process);
  }
  const std::string bytes = builder.bytes();
  const Table a15 = Analysed({bytes}).table("A15");
  REQUIRE(a15.rows.size() == 2);
  CHECK(number(a15.rows[0][2]) == Approx(0.086));
  CHECK(number(a15.rows[1][2]) == Approx(0.087));
  CHECK(text(a15.rows[1][19]) == "rank 1 (pid 20)");
  StudyOptions options;
  options.process = "rank1";
  const Analysed second({bytes}, options);
  CHECK(second.table("A15").rows.size() == 1);
  CHECK(number(second.table("A8").rows[0][5]) == Approx(0.032));
}

TEST_CASE("the kernels of a replayed graph stand under the layers that captured them") {
  TraceBuilder builder;
  builder.add_process(10);
  add_model(builder, 1, 0);
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t id = 20 + 2 * i;
    const int64_t at = 1000 + 1000 * int64_t{i};
    builder.add(span(LEVEL_RUNTIME, id + 1, id, at + 10, at + 12, "cudaGraphLaunch"));
    builder.add(span(LEVEL_MODEL, id, 0, at, at + 100, "Net"));
    ExecutionSpec gemm = kernel(at + 20, at + 40, "gemm", id + 1);
    gemm.capture = 4;  // the launches of fc and relu, when they were captured
    gemm.capture_ring = 1;
    gemm.graph_node = 100;
    ExecutionSpec relu = kernel(at + 40, at + 50 + 10 * int64_t{i}, "relu", id + 1);
    relu.capture = 7;
    relu.capture_ring = 1;
    relu.graph_node = 101;
    builder.add_executions({relu, gemm});
  }
  StudyOptions options;
  options.skip = 0;
  const Analysed analysed({builder.bytes()}, options);
  const Table a8 = analysed.table("A8");
  REQUIRE(a8.rows.size() == 2);
  CHECK(text(a8.rows[0][0]) == "gemm");
  CHECK(number(a8.rows[0][1]) == 0);
  CHECK(text(a8.rows[0][3]) == "cublasGemmEx");
  CHECK(text(a8.rows[0][17]) == "cudaGraphLaunch");
  CHECK(number(a8.rows[0][18]) == 100);
  CHECK(number(a8.rows[1][5]) == Approx(0.02));
  CHECK(number(a8.rows[1][19]) == 3);
  CHECK(has_note(a8, "replay graphs"));
  const Table a11 = analysed.table("A11");
  CHECK(number(a11.rows[1][3]) == Approx(0.02));
  CHECK(number(a11.rows[1][2]) > 0);
  const Table a15 = analysed.table("A15");
  CHECK(number(a15.rows[0][15]) == 1);
  CHECK(number(a15.rows[0][1]) == Approx(0.1));
}

TEST_CASE("nodes of a graph that run at the same time are joined by node, whichever begins first") {
  TraceBuilder builder;
  builder.add_process(10);
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t id = 1 + 2 * i;
    const int64_t at = 1000 * int64_t{i};
    builder.add(span(LEVEL_RUNTIME, id + 1, id, at + 10, at + 12, "cudaGraphLaunch"));
    builder.add(span(LEVEL_MODEL, id, 0, at, at + 90, "Net"));
    ExecutionSpec left = kernel(at + 20 + i, at + 30, "left", id + 1, 7);
    left.graph_node = 5;
    ExecutionSpec right = kernel(at + 21 - i, at + 30, "right", id + 1, 8);
    right.graph_node = 6;
    builder.add_executions({left, right});
  }
  const Table a8 = Analysed({builder.bytes()}).table("A8");
  REQUIRE(a8.rows.size() == 2);
  CHECK(number(a8.rows[0][19]) == 2);
  CHECK(text(a8.rows[0][0]) == "left");
  for (const auto& row : a8.rows) CHECK(number(row[5]) == Approx(0.0095));
}

TEST_CASE("launches that threads mix another way each time are joined by their layers") {
  TraceBuilder builder;
  builder.add_process(10);
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t id = 1 + 10 * i;
    const int64_t at = 1000 * int64_t{i};
    // Two layers at the same time; in the second evaluation the launch of b comes first.
    builder.add(span(LEVEL_RUNTIME, id + 2, id + 1, at + 20 + 10 * i, at + 21 + 10 * i, "cudaLaunchKernel"));
    builder.add(span(LEVEL_LAYER, id + 1, id, at + 10, at + 50, "a"));
    builder.add(span(LEVEL_RUNTIME, id + 4, id + 3, at + 25, at + 26, "cudaLaunchKernel"));
    builder.add(span(LEVEL_LAYER, id + 3, id, at + 11, at + 51, "b"));
    builder.add(span(LEVEL_MODEL, id, 0, at, at + 90, "Net"));
    builder.add_executions({kernel(at + 60, at + 62, "of_a", id + 2), kernel(at + 70, at + 74, "of_b", id + 4)});
  }
  const Table a8 = Analysed({builder.bytes()}).table("A8");
  REQUIRE(a8.rows.size() == 2);
  CHECK(number(a8.rows[0][19]) == 2);
  CHECK(text(a8.rows[0][0]) == "of_a");
  CHECK(number(a8.rows[1][5]) == Approx(0.004));
}

/// One evaluation that takes `model_us`, its kernels one after another.
void add_paper_model(TraceBuilder& builder, uint32_t root, int64_t at, int64_t model_us, const std::string& input,
                     const std::vector<std::pair<std::string, int64_t>>& kernels) {
  std::vector<ExecutionSpec> executions;
  uint32_t id = root;
  int64_t now = at + 100;
  for (const auto& [name, latency_us] : kernels) {
    const int64_t call = at + (++id - root);
    builder.add(span(LEVEL_RUNTIME, id, root, call, call + 1, "cudaLaunchKernel"));
    executions.push_back(kernel(now, now + latency_us, name, id));
    now += latency_us;
  }
  SpanSpec model = span(LEVEL_MODEL, root, 0, at, at + model_us, "ResNet50");
  model.input = input;
  builder.add(model);
  builder.add_executions(executions);
}

TEST_CASE("latencies of the paper's Tables IV and VI give its percentages") {
  TraceBuilder builder;
  builder.add_process(1);
  // Table IV, first row: 34 kernels, 84.95 ms of 275.05 ms; the rest of Table VI's 254.25 ms is one kernel here.
  std::vector<std::pair<std::string, int64_t>> kernels;
  for (int i = 0; i < 34; ++i) kernels.emplace_back("volta_scudnn_128x64_relu_interior_nn_v1", i == 0 ? 2450 : 2500);
  kernels.emplace_back("rest", 254'250 - 84'950);
  for (uint32_t i = 0; i < 2; ++i) {
    add_paper_model(builder, 1 + 100 * i, 1'000'000 * int64_t{i}, 275'050, "[256,224,224,3]", kernels);
  }
  add_paper_model(builder, 300, 3'000'000, 6210, "[1,224,224,3]", {{"all", 5010}});
  const Analysed analysed({builder.bytes()});
  const Table a10 = analysed.table("A10");
  REQUIRE(a10.rows.size() == 2);
  CHECK(number(a10.rows[1][1]) == 34);
  CHECK(number(a10.rows[1][2]) == Approx(84.95));
  CHECK(number(a10.rows[1][3]) == Approx(30.89).epsilon(0.0002));  // printed 30.87
  const Table a15 = analysed.table("A15");
  REQUIRE(a15.rows.size() == 2);
  CHECK(number(a15.rows[0][0]) == 256);
  CHECK(number(a15.rows[0][2]) == Approx(254.25));
  CHECK(number(a15.rows[0][4]) == Approx(92.44).epsilon(0.0001));  // printed 92.43
  CHECK(number(a15.rows[1][0]) == 1);
  CHECK(number(a15.rows[1][4]) == Approx(80.68).epsilon(0.0001));
}

TEST_CASE("without kernels the tables say why and what would give them") {
  for (const char* level : {"library", ""}) {
    TraceBuilder builder;
    builder.message().mutable_packet(0)->mutable_header()->set_requested_level(level);
    builder.add_process(10);
    builder.add_evaluation(0, {1, 2});
    const Analysed analysed({builder.bytes()});
    for (const char* id : {"A8", "A10", "A11", "A15"}) {
      const Table table = analysed.table(id);
      CHECK(table.rows.empty());
      CHECK(table.lacks_data);
      CHECK(has_note(table, "--level kernel"));
      CHECK(has_note(table, "recorded with --level library") == (*level != 0));
    }
  }
}

TEST_CASE("kernels of equal correlation ids in several processes stay apart when the analysis has to find the launch") {
  TraceBuilder builder;
  for (const uint32_t process : {1u, 2u}) {
    builder.add_process(10 * process);
    SpanSpec launch = span(LEVEL_RUNTIME, 3, 2, 12, 13, "cudaLaunchKernel", process);
    launch.correlation = 77;
    builder.add(launch);
    builder.add(span(LEVEL_LAYER, 2, 1, 11, 14, process == 1 ? "first" : "second", process));
    builder.add(span(LEVEL_MODEL, 1, 0, 10, 90, "Net", process));
  }
  for (const uint32_t process : {2u, 1u}) {
    ExecutionSpec unknown = kernel(20, 20 + 10 * process, "saxpy", 0, 7, process);
    unknown.launch_ring = 0;
    unknown.correlation = 77;
    builder.add_executions({unknown});
  }
  const std::string bytes = builder.bytes();
  for (const char* process : {"10", "20"}) {
    StudyOptions options;
    options.process = process;
    const Table a8 = Analysed({bytes}, options).table("A8");
    REQUIRE(a8.rows.size() == 1);
    CHECK(text(a8.rows[0][2]) == (options.process == "10" ? "first" : "second"));
    CHECK(number(a8.rows[0][5]) == Approx(options.process == "10" ? 0.01 : 0.02));
  }
}

TEST_CASE("the summary says when a device waits for launches") {
  for (const int64_t kernel_us : {20, 95}) {
    TraceBuilder builder;
    builder.add_process(10);
    builder.add(span(LEVEL_RUNTIME, 2, 1, 1, 3, "cudaLaunchKernel"));
    builder.add(span(LEVEL_MODEL, 1, 0, 0, 100, "Net"));
    builder.add_executions({kernel(4, 4 + kernel_us, "gemm", 2)});
    const std::string summary = analysis::render_summary(*Analysed({builder.bytes()}).study);
    CHECK(contains(summary, "the GPU waits for the CPU 80 % of the time (80.0 µs)") == (kernel_us == 20));
    CHECK(contains(summary, "GPU 95 % busy") == (kernel_us == 95));
  }
}

}  // namespace
}  // namespace xsp::test
