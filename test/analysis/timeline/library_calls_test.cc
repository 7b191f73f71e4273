#include "analysis/timeline/library_calls.h"

#include <functional>
#include <map>
#include <random>
#include <set>

#include "analysis/render/summary.h"
#include "test/analysis/support/nanoseconds.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::is_null;
using analysis::StudyOptions;
using analysis::Table;

SpanSpec span(int level, int kind, uint32_t id, uint32_t parent, int64_t begin_us, int64_t end_us,
              const std::string& name, const std::string& type = "") {
  SpanSpec spec{.begin = begin_us * 1000, .end = end_us * 1000, .id = id, .parent = parent};
  spec.level = level;
  spec.kind = kind;
  spec.name = name;
  spec.type = type;
  return spec;
}

SpanSpec call(uint32_t id, uint32_t parent, int64_t begin_us, int64_t end_us, const std::string& function,
              const std::string& library = "cublas") {
  return span(LEVEL_LIBRARY, KIND_LIBRARY_CALL, id, parent, begin_us, end_us, function, library);
}

/// A model with two layers: fc calls GemmEx, which calls Matmul; an NVTX range lies between relu and its call.
void add_model(TraceBuilder& builder, uint32_t first_id, int64_t begin_us, int64_t longer_us = 0, bool extra = false) {
  const uint32_t root = first_id;
  const int64_t at = begin_us;
  SpanSpec inner = call(root + 3, root + 2, at + 20, at + 40 + longer_us, "cublasLtMatmul", "cublasLt");
  inner.layout = "m:i4 stream:p8";
  inner.values = Values().add(int32_t{64}).add(static_cast<uint64_t>(begin_us));
  SpanSpec outer = call(root + 2, root + 1, at + 10, at + 60 + longer_us, "cublasGemmEx");
  outer.layout = "class=gemm m:i4 n:i4 op_a:e1{0=N,1=T} type_a=R_16F status:e4{0=SUCCESS}";
  outer.values = Values().add(int32_t{64}).add(int32_t{32}).add(uint8_t{1}).add(int32_t{0});
  builder.add(inner);
  builder.add(outer);
  builder.add(span(LEVEL_LAYER, KIND_TORCH_MODULE, root + 1, root, at, at + 100 + longer_us, "fc", "Linear"));
  SpanSpec relu = call(root + 6, root + 5, at + 330, at + 340, "cudnnActivationForward", "cudnn");
  builder.add(relu);
  if (extra) builder.add(call(root + 7, root + 5, at + 345, at + 346, "cudnnCreate", "cudnn"));
  builder.add(span(LEVEL_APPLICATION, KIND_NVTX_RANGE, root + 5, root + 4, at + 320, at + 350, "range", "domain"));
  builder.add(span(LEVEL_LAYER, KIND_TORCH_MODULE, root + 4, root, at + 300, at + 400, "relu", "ReLU"));
  SpanSpec model = span(LEVEL_MODEL, KIND_TORCH_ROOT, root, 0, at, at + 500 + longer_us, "Net", "Net");
  model.input = "[4,3]";
  builder.add(model);
}

TEST_CASE("the calls of an evaluation are joined by their order, with layer, arguments and what encloses them") {
  TraceBuilder builder;
  builder.add_process(10);
  for (uint32_t i = 0; i < 4; ++i) add_model(builder, 1 + 10 * i, 1000 * int64_t{i}, 3 * i);
  const Analysed analysed({builder.bytes()});
  const Table c1 = analysed.table("C1");
  REQUIRE(c1.rows.size() == 3);
  const auto& gemm = c1.rows[0];
  CHECK(number(gemm[0]) == 0);
  CHECK(text(gemm[1]) == "cublas");
  CHECK(text(gemm[2]) == "cublasGemmEx");
  CHECK(number(gemm[3]) == 0);
  CHECK(text(gemm[4]) == "fc");
  CHECK(number(gemm[5]) == 100);
  CHECK(text(gemm[6]) == "m=64 n=32 op_a=T type_a=R_16F");
  CHECK(text(gemm[7]) == "SUCCESS");
  CHECK(number(gemm[8]) == Approx(0.056));  // 53, 56, 59 µs without the warm-up
  CHECK(is_null(gemm[9]));
  CHECK(is_null(gemm[10]));
  CHECK(is_null(gemm[11]));
  CHECK(number(gemm[12]) == Approx(0.03));
  CHECK(number(gemm[13]) == 3);
  CHECK(number(c1.rows[1][11]) == 0);
  CHECK(text(c1.rows[1][2]) == "cublasLtMatmul");
  CHECK(text(c1.rows[1][6]) == "m=64 stream=0x3e8");
  // A range between a layer and its call changes nothing.
  CHECK(number(c1.rows[2][3]) == 1);
  CHECK(text(c1.rows[2][4]) == "relu");
  CHECK(is_null(c1.rows[2][7]));
  CHECK(has_note(c1, "self_ms does not"));
  CHECK(has_note(c1, "xsp-run --level kernel"));
  CHECK_FALSE(has_note(c1, "not the same in all evaluations"));
  CHECK(c1.lacks_data);

  const Table a2 = analysed.table("A2");
  REQUIRE(a2.rows.size() == 2);
  CHECK(number(a2.rows[0][8]) == 2);
  CHECK(number(a2.rows[0][9]) == Approx(0.056));
  CHECK(text(a2.rows[0][10]) == "cublasGemmEx");
  CHECK(number(a2.rows[1][8]) == 1);
  CHECK(number(a2.rows[1][9]) == Approx(0.01));
  CHECK(text(a2.rows[1][10]) == "cudnnActivationForward");
  CHECK(analysis::render_summary(*analysed.study).find("top call  cublasGemmEx (1)") != std::string::npos);
}

TEST_CASE("evaluations whose calls differ are aligned, and the report says from which call on") {
  TraceBuilder builder;
  builder.add_process(10);
  for (uint32_t i = 0; i < 5; ++i) add_model(builder, 1 + 10 * i, 1000 * int64_t{i}, 0, i == 2);
  const Analysed analysed({builder.bytes()});
  const Table c1 = analysed.table("C1");
  CHECK(c1.rows.size() == 3);
  CHECK(number(c1.rows[0][13]) == 4);
  CHECK(has_note(c1, "1 of 4 calls have other library calls than the rest (first at call 3)"));
  CHECK(has_note(c1, "1 call that fewer than half have is left out"));
}

TEST_CASE("when no two evaluations make the same calls, those of the first one used are shown") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add(call(2, 1, 10, 20, "a"));
  builder.add(span(LEVEL_MODEL, KIND_TORCH_ROOT, 1, 0, 0, 100, "Net"));
  builder.add(call(4, 3, 210, 220, "b"));
  builder.add(span(LEVEL_MODEL, KIND_TORCH_ROOT, 3, 0, 200, 300, "Net"));
  const Analysed analysed({builder.bytes()});
  const Table c1 = analysed.table("C1");
  REQUIRE(c1.rows.size() == 1);
  CHECK(text(c1.rows[0][2]) == "a");
  CHECK(is_null(c1.rows[0][3]));
  CHECK(has_note(c1, "first at call 0"));
}

TEST_CASE("with --per trace every call is there, also those outside of evaluations") {
  TraceBuilder builder;
  builder.add_process(10);
  for (uint32_t i = 0; i < 3; ++i) add_model(builder, 1 + 10 * i, 1000 * int64_t{i});
  SpanSpec worker = call(1, 0, 5, 9, "cublasDgemm");
  worker.thread = 200;
  worker.ring = 1;
  worker.failed = true;
  builder.add(worker);
  const std::string bytes = builder.bytes();
  const Analysed evaluation({bytes});
  CHECK(evaluation.table("C1").rows.size() == 3);
  CHECK(has_note(evaluation.table("C1"), "1 call outside every step and call"));
  CHECK(quality(evaluation.table("Q1"), "unattached", "library") == 1);
  StudyOptions options;
  options.per_trace = true;
  const Analysed whole({bytes}, options);
  const Table c1 = whole.table("C1");
  REQUIRE(c1.rows.size() == 10);
  CHECK(text(c1.rows[0][2]) == "cublasDgemm");
  CHECK(text(c1.rows[0][7]) == "failed");
  CHECK(number(c1.rows[0][5]) == 200);
  CHECK(has_note(c1, "10 calls of the whole recording"));
  CHECK(number(whole.table("A2").rows[0][8]) == 6);
  CHECK(number(whole.table("A2").rows[0][9]) == Approx(0.15));
  options.process = "11";
  CHECK_FALSE(Analysed({bytes}, options).status.ok());
}

TEST_CASE("a program that calls libraries and no model has all its calls in the tables") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add(call(1, 0, 0, 10, "sgemm_", "blas"));
  builder.add(call(2, 0, 20, 50, "sgemm_", "blas"));
  const Analysed analysed({builder.bytes()});
  const Table c2 = analysed.table("C2");
  REQUIRE(c2.rows.size() == 1);
  CHECK(text(c2.rows[0][0]) == "blas");
  CHECK(number(c2.rows[0][2]) == 2);
  CHECK(number(c2.rows[0][3]) == Approx(0.04));
  CHECK(has_note(c2, "for the whole recording (2 calls)"));
  CHECK(has_note(c2, "compute on the CPU"));
  CHECK_FALSE(c2.lacks_data);
  CHECK(quality(analysed.table("Q1"), "unattached", "library") == 0);
}

TEST_CASE("without library calls the tables say why and what would give them") {
  for (const char* level : {"layer", ""}) {
    TraceBuilder builder;
    builder.message().mutable_packet(0)->mutable_header()->set_requested_level(level);
    builder.add_process(10);
    builder.add_evaluation(0, {1, 2});
    const Analysed analysed({builder.bytes()});
    const std::string why = *level != 0 ? "xsp-run --level library" : "called no library that XSP knows";
    for (const char* id : {"C1", "C2"}) {
      CHECK(analysed.table(id).rows.empty());
      CHECK(analysed.table(id).lacks_data);
      CHECK(has_note(analysed.table(id), why));
    }
    CHECK(has_note(analysed.table("A2"), why));
    CHECK(is_null(analysed.table("A2").rows[0][8]));
  }
}

TEST_CASE("kernels count for every call around them, and in percent of all kernel time; copies stand for themselves") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add(span(LEVEL_RUNTIME, KIND_RUNTIME_CALL, 4, 3, 30, 35, "cudaLaunchKernel", "cudart"));
  builder.add(call(3, 2, 20, 60, "cublasLtMatmul", "cublasLt"));
  builder.add(call(2, 1, 10, 70, "cublasGemmEx"));
  builder.add(span(LEVEL_RUNTIME, KIND_RUNTIME_CALL, 5, 1, 72, 74, "cudaMemcpyAsync", "cudart"));
  builder.add(span(LEVEL_RUNTIME, KIND_DRIVER_CALL, 7, 1, 75, 76, "cuLaunchKernel", "cuda"));
  builder.add(span(LEVEL_MODEL, KIND_TORCH_ROOT, 1, 0, 0, 200, "Net"));
  builder.add_executions(
      {{.begin = 40'000, .end = 50'000, .name = "kernel", .launch = 4},
       {.begin = 50'000, .end = 60'000, .name = "kernel", .launch = 4},
       {.begin = 80'000, .end = 100'000, .name = "kernel", .launch = 7},
       {.begin = 100'000, .end = 101'000, .name = "HtoD", .kind = KIND_MEMCPY, .launch = 5, .bytes = 4096},
       {.begin = 101'000, .end = 104'000, .name = "HtoD", .kind = KIND_MEMCPY, .launch = 5, .bytes = 8192},
       {.begin = 104'000, .end = 105'000, .kind = KIND_MEMSET, .launch = 5, .bytes = 16},
       {.begin = 106'000, .end = 107'000, .name = "stream", .kind = KIND_SYNCHRONIZATION}});
  const Analysed analysed({builder.bytes()});
  const Table c1 = analysed.table("C1");
  REQUIRE(c1.rows.size() == 2);
  for (const auto& row : c1.rows) {
    CHECK(number(row[9]) == Approx(0.02));
    CHECK(number(row[10]) == 2);
  }
  const Table c2 = analysed.table("C2");
  REQUIRE(c2.rows.size() == 7);
  CHECK(number(c2.rows[0][5]) == Approx(50));
  CHECK(text(c2.rows[2][1]) == "cudaLaunchKernel");
  CHECK(number(c2.rows[2][5]) == Approx(50));
  CHECK(text(c2.rows[3][1]) == "cudaMemcpyAsync");
  CHECK(number(c2.rows[3][4]) == 0);
  CHECK(text(c2.rows[4][0]) == "cuda");
  CHECK(number(c2.rows[4][5]) == Approx(50));
  const auto& copy = c2.rows[5];
  CHECK(text(copy[0]) == "device memory");
  CHECK(text(copy[1]) == "memcpy HtoD");
  CHECK(number(copy[2]) == 2);
  CHECK(number(copy[4]) == Approx(0.004));
  CHECK(number(copy[8]) == 12288);
  for (const size_t column : {3, 5, 6, 7}) CHECK(is_null(copy[column]));
  CHECK(text(c2.rows[6][1]) == "memset");
  CHECK(number(c2.rows[6][8]) == 16);
  CHECK(has_note(c2, "kernel_pct covers kernels only"));
  CHECK_FALSE(c1.lacks_data);
}

TEST_CASE("a call captured into a graph has the kernels of its own evaluation only, unless everything is summed") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add(span(LEVEL_RUNTIME, KIND_RUNTIME_CALL, 3, 2, 20, 25, "cudaLaunchKernel", "cudart"));
  builder.add(call(2, 1, 10, 30, "cublasGemmEx"));
  builder.add(span(LEVEL_RUNTIME, KIND_RUNTIME_CALL, 4, 1, 40, 45, "cudaGraphLaunch", "cudart"));
  builder.add(span(LEVEL_MODEL, KIND_TORCH_ROOT, 1, 0, 0, 50, "Net"));
  builder.add(span(LEVEL_RUNTIME, KIND_RUNTIME_CALL, 6, 5, 70, 75, "cudaGraphLaunch", "cudart"));
  builder.add(span(LEVEL_MODEL, KIND_TORCH_ROOT, 5, 0, 60, 80, "Net"));
  ExecutionSpec node{.begin = 50'000, .end = 53'000, .name = "gemm", .launch = 4, .capture = 3};
  node.graph_node = 9;
  ExecutionSpec again = node;
  again.begin = 80'000;
  again.end = 87'000;
  again.launch = 6;
  builder.add_executions({node, again});
  const std::string bytes = builder.bytes();
  CHECK(number(Analysed({bytes}).table("C1").rows[0][9]) == Approx(0.003));
  StudyOptions options;
  options.per_trace = true;
  const Table c2 = Analysed({bytes}, options).table("C2");
  CHECK(number(c2.rows[0][4]) == Approx(0.01));
  CHECK(text(c2.rows[1][1]) == "cudaGraphLaunch");
  CHECK(number(c2.rows[1][5]) == Approx(100));
}

TEST_CASE("a program that calls the CUDA runtime only has those calls in C1") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add(span(LEVEL_RUNTIME, KIND_RUNTIME_CALL, 1, 0, 30, 35, "cudaMemcpy", "cudart"));
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.table("C1").rows.size() == 1);
  CHECK(has_note(analysed.table("C1"), "these are calls of the CUDA runtime"));
  CHECK(analysed.table("C2").rows.size() == 1);
}

TEST_CASE("a call made in a node of ONNX Runtime belongs to that node") {
  TraceBuilder builder;
  builder.add_process(10);
  SpanSpec run = span(LEVEL_MODEL, KIND_ORT_RUN, 1, 0, 0, 1000, "net.onnx");
  run.scope = "session";
  SpanSpec first = span(LEVEL_LAYER, KIND_ORT_NODE, 0, 0, 10, 100, "conv", "Conv");
  SpanSpec second = span(LEVEL_LAYER, KIND_ORT_NODE, 0, 0, 100, 300, "gemm", "Gemm");
  for (SpanSpec* node : {&first, &second}) {
    node->scope = "session";
    node->ring = 0x10000;
  }
  builder.add(call(2, 1, 20, 90, "cudnnConvolutionForward", "cudnn"));
  builder.add(call(3, 1, 99, 290, "cublasSgemm"));
  builder.add(call(4, 1, 500, 600, "cudaSomething", "cublas"));
  builder.add(run);
  builder.add(first);
  builder.add(second);
  const Analysed analysed({builder.bytes()});
  const Table c1 = analysed.table("C1");
  REQUIRE(c1.rows.size() == 3);
  CHECK(text(c1.rows[0][4]) == "conv");
  CHECK(text(c1.rows[1][4]) == "gemm");
  CHECK(is_null(c1.rows[2][3]));
  CHECK(has_note(c1, "net.onnx"));
}

/// A product of n x n matrices.
SpanSpec product(uint32_t id, uint32_t parent, int64_t begin_us, int64_t end_us, int32_t n,
                 const std::string& function = "sgemm_", const std::string& library = "blas") {
  SpanSpec made = call(id, parent, begin_us, end_us, function, library);
  made.layout = "class=gemm type_a=R_32F type_b=R_32F type_c=R_32F m:i4 n:i4 k:i4";
  made.values = Values().add(n).add(n).add(n);
  return made;
}

void use(TraceBuilder& builder, uint32_t process, const std::string& library, const std::string& file) {
  auto* used = builder.packet(process)->mutable_used_library();
  used->set_library(library);
  used->set_file(file);
}

/// Cells of a function's row of C2 by the columns' names.
std::map<std::string, analysis::Cell> function_row(const Table& c2, const std::string& function) {
  std::map<std::string, analysis::Cell> cells;
  for (const auto& row : c2.rows) {
    if (text(row[1]) != function) continue;
    for (size_t i = 0; i < row.size(); ++i) cells[c2.columns[i].name] = row[i];
  }
  REQUIRE(!cells.empty());
  return cells;
}

TEST_CASE("a function has what its calls compute, how fast, and the file that they went to") {
  TraceBuilder builder;
  builder.add_process(10);
  use(builder, 1, "blas", "/lib/libblas.so.3");
  use(builder, 1, "cublas", "/lib/libcublas.so.12");
  builder.add(product(1, 0, 0, 500, 100));      // 2 Mflop in 0.5 ms
  builder.add(product(2, 0, 1000, 2500, 200));  // 16 Mflop in 1.5 ms
  builder.add(product(3, 0, 3000, 3100, 100, "cublasSgemm_v2", "cublas"));
  builder.add(call(4, 0, 4000, 4100, "saxpy_", "blas"));
  SpanSpec failed = product(5, 0, 5000, 5100, 100, "dgemm_");
  failed.failed = true;
  builder.add(failed);
  const Analysed analysed({builder.bytes()});
  const Table c2 = analysed.table("C2");
  auto row = function_row(c2, "sgemm_");
  CHECK(number(row["gflops"]) == Approx(0.018));
  CHECK(number(row["gflop_per_s"]) == Approx(9));
  CHECK(text(row["file"]) == "/lib/libblas.so.3");
  // How fast a GPU computes, the time of the call does not say.
  row = function_row(c2, "cublasSgemm_v2");
  CHECK(number(row["gflops"]) == Approx(0.002));
  CHECK(is_null(row["gflop_per_s"]));
  CHECK(text(row["file"]) == "/lib/libcublas.so.12");
  // Neither do arguments that are not there, nor calls that failed.
  for (const char* function : {"saxpy_", "dgemm_"}) {
    row = function_row(c2, function);
    CHECK(is_null(row["gflops"]));
    CHECK(is_null(row["gflop_per_s"]));
    CHECK(text(row["file"]) == "/lib/libblas.so.3");
  }
}

TEST_CASE("the work of a function is the mean of the evaluations, whose sizes may vary") {
  TraceBuilder builder;
  builder.add_process(10);
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t root = 1 + 10 * i;
    const int64_t at = 10'000 * int64_t{i};
    builder.add(product(root + 1, root, at + 10, at + 1010, i % 2 == 0 ? 100 : 200));
    builder.add(product(root + 2, root, at + 2000, at + 3000, 100));
    builder.add(span(LEVEL_MODEL, KIND_TORCH_ROOT, root, 0, at, at + 5000, "Net"));
  }
  StudyOptions options;
  options.skip = 0;
  const Analysed analysed({builder.bytes()}, options);
  auto row = function_row(analysed.table("C2"), "sgemm_");
  CHECK(number(row["count"]) == 2);
  CHECK(number(row["gflops"]) == Approx((0.002 + 0.016) / 2 + 0.002));
  CHECK(number(row["gflop_per_s"]) == Approx(5.5));
  CHECK(is_null(row["file"]));
}

TEST_CASE("a library that lies in several files has all of them, those of processes that did not call it not") {
  TraceBuilder builder;
  for (uint32_t pid = 10; pid < 13; ++pid) builder.add_process(pid);
  use(builder, 1, "blas", "/b/libblas.so.3");
  use(builder, 2, "blas", "/a/libmkl_rt.so.2");
  use(builder, 2, "cblas", "/c/libcblas.so.3");
  use(builder, 3, "blas", "/d/libblas.so.3");
  for (uint32_t process : {1u, 2u}) {
    SpanSpec made = product(1, 0, 0, 500, 100);
    made.process = process;
    builder.add(made);
  }
  const Analysed analysed({builder.bytes()});
  auto row = function_row(analysed.table("C2"), "sgemm_");
  CHECK(text(row["file"]) == "/a/libmkl_rt.so.2, /b/libblas.so.3");
}

TEST_CASE("libraries that are not intercepted stand in Q1 with reason and remedy") {
  TraceBuilder builder;
  builder.add_process(10);
  const auto add = [&](uint32_t process, Unintercepted::Reason reason, const std::string& library,
                       const std::string& user = "") {
    auto* about = builder.packet(process)->mutable_unintercepted();
    about->set_reason(reason);
    about->set_library(library);
    about->set_file("/lib/lib" + library + ".so");
    about->set_user(user);
  };
  add(1, Unintercepted::DEEPBIND, "cublas", "/lib/plugin.so");
  add(1, Unintercepted::DEEPBIND, "cublas", "/lib/plugin.so");
  add(1, Unintercepted::STATIC, "onednn");
  add(1, Unintercepted::STATIC, "blas");
  builder.add(call(1, 0, 0, 10, "matmul", "onednn"));
  const Analysed analysed({builder.bytes()});
  const Table q1 = analysed.table("Q1");
  std::map<std::string, double> found;
  for (const auto& row : q1.rows) {
    if (text(row[0]) == "unintercepted" && text(row[1]) == "library") found[text(row[3])] = number(row[2]);
  }
  REQUIRE(found.size() == 2);
  CHECK(found.begin()->first.find("blas in /lib/libblas.so: linked statically into this file") == 0);
  const auto& [note, count] = *found.rbegin();
  CHECK(note.find("cublas in /lib/libcublas.so, called by /lib/plugin.so: ") == 0);
  CHECK(note.find("xsp-run --audit") != std::string::npos);
  CHECK(count == 2);
  CHECK(quality(q1, "unintercepted") == 2);
}

TEST_CASE("what guests and the collector warn of stands in Q1, with the texts") {
  TraceBuilder builder;
  builder.add_process(10);
  auto* notice = builder.packet(0)->mutable_notice();
  notice->set_severity(Notice::WARNING);
  notice->set_component("collector");
  notice->set_text("2 processes of user 33 were refused");
  builder.add(call(1, 0, 0, 10, "matmul", "onednn"));
  const Analysed analysed({builder.bytes()});
  const Table q1 = analysed.table("Q1");
  std::string note;
  for (const auto& row : q1.rows) {
    if (text(row[0]) == "warnings") note = text(row[3]);
  }
  CHECK(note == "2 processes of user 33 were refused");
  CHECK(quality(q1, "warnings") == 1);
  CHECK(quality(q1, "unintercepted") == 0);
}

TEST_CASE("a static oneDNN without calls is not said to be out of sight") {
  TraceBuilder builder;
  builder.add_process(10);
  auto* about = builder.packet(1)->mutable_unintercepted();
  about->set_reason(Unintercepted::STATIC);
  about->set_library("onednn");
  about->set_file("/lib/libtorch_cpu.so");
  const Analysed analysed({builder.bytes()});
  std::string note;
  for (const auto& row : analysed.table("Q1").rows) {
    if (text(row[0]) == "unintercepted" && text(row[1]) == "library") note = text(row[3]);
  }
  CHECK(note.find("no ITT task arrived") != std::string::npos);
}

TEST_CASE("of very many calls the longest are shown, and the sums are of all") {
  constexpr uint32_t kCalls = 201'000;
  TraceBuilder builder;
  builder.add_process(10);
  for (uint32_t i = 0; i < kCalls; ++i) {
    builder.add(call(i + 1, 0, 100 * int64_t{i}, 100 * int64_t{i} + (i < 1000 ? 1 : 2), "sgemm_", "blas"));
  }
  const Analysed analysed({builder.bytes()});
  const Table c1 = analysed.table("C1");
  CHECK(c1.rows.size() == 200'000);
  CHECK(number(c1.rows[0][0]) == 1000);
  CHECK(has_note(c1, "the 200000 longest of 201000 calls"));
  CHECK(number(analysed.table("C2").rows[0][2]) == kCalls);
}

/// Random nests of calls in some evaluations, with identical structure; the expected sums are computed here from the
/// specs alone.
TEST_CASE("the sums of C2 are those of a brute-force computation") {
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    TraceBuilder builder;
    builder.add_process(10);
    std::map<std::string, double> count;
    std::map<std::string, double> host;
    std::map<std::string, double> self;
    std::vector<SpanSpec> specs;
    uint32_t id = 0;
    const uint32_t root = ++id;
    const auto pick = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
    int64_t now = 10;
    const std::function<int64_t(uint32_t, int)> add_calls = [&](uint32_t parent, int depth) {
      int64_t inside = 0;
      for (uint32_t calls = pick(depth == 0 ? 8 : 3); calls > 0; --calls) {
        const uint32_t own = ++id;
        const std::string function = std::string("f").append(std::to_string(pick(4)));
        const int64_t begin = now;
        now += 1 + pick(20);
        const int64_t nested = depth < 4 ? add_calls(own, depth + 1) : 0;
        now += 1 + pick(20);
        specs.push_back(call(own, parent, begin, now, function));
        count[function] += 1;
        host[function] += static_cast<double>(now - begin);
        self[function] += static_cast<double>(now - begin - nested);
        inside += now - begin;
        now += pick(5);
      }
      return inside;
    };
    add_calls(root, 0);
    for (const SpanSpec& spec : specs) builder.add(spec);
    builder.add(span(LEVEL_MODEL, KIND_TORCH_ROOT, root, 0, 0, now + 10, "Net"));
    const Analysed analysed({builder.bytes()});
    const Table c2 = analysed.table("C2");
    REQUIRE(c2.rows.size() == count.size());
    double total_self = 0;
    for (const auto& row : c2.rows) {
      const std::string function = text(row[1]);
      CHECK(number(row[2]) == count[function]);
      CHECK(number(row[3]) == Approx(host[function] / 1000));
      CHECK(number(row[7]) == Approx(self[function] / 1000));
      total_self += number(row[7]);
    }
    // Self times add up to the time in outermost calls: nothing counts twice.
    std::set<uint32_t> ids;
    for (const SpanSpec& spec : specs) ids.insert(spec.id);
    double outermost = 0;
    for (const SpanSpec& spec : specs) {
      if (spec.parent == root) outermost += static_cast<double>(spec.end - spec.begin) / kMs;
    }
    CHECK(total_self == Approx(outermost));
  }
}

}  // namespace
}  // namespace xsp::test
