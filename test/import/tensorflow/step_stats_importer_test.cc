#include "import/frame/importer.h"
#include "test/catch.h"
#include "test/import/memory_input.h"
#include "test/import/protobuf_bytes.h"
#include "test/import/read_timeline.h"

namespace xsp::test {
namespace {

constexpr uint64_t kStartUs = 1'500'000'000'000'000;
constexpr const char* kCpu = "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr const char* kGpu = "/job:localhost/replica:0/task:0/device:GPU:0";

/// NodeExecStats, without its outputs.
ProtobufBytes node(std::string_view name, uint64_t begin, uint64_t duration, std::string_view label = {}) {
  ProtobufBytes bytes;
  bytes.text(1, name).number(2, kStartUs + begin).number(3, 1).number(4, duration - 1).number(5, duration);
  if (!label.empty()) bytes.text(8, label);
  return bytes;
}

ProtobufBytes output(uint32_t slot, uint32_t type, std::initializer_list<uint64_t> dimensions) {
  ProtobufBytes shape;
  for (const uint64_t size : dimensions) shape.message(2, ProtobufBytes().number(1, size));
  return ProtobufBytes().number(1, slot).message(3, ProtobufBytes().number(1, type).message(2, shape));
}

ProtobufBytes with_output(ProtobufBytes bytes, const ProtobufBytes& one) { return bytes.message(7, one); }
ProtobufBytes with_memory(ProtobufBytes bytes, uint64_t total) {
  return bytes.message(6, ProtobufBytes().text(1, "cpu").number(2, total));
}

ProtobufBytes device(std::string_view name, std::initializer_list<ProtobufBytes> nodes) {
  ProtobufBytes bytes;
  bytes.text(1, name);
  for (const ProtobufBytes& one : nodes) bytes.message(2, one);
  return bytes;
}

ProtobufBytes step(std::initializer_list<ProtobufBytes> devices) {
  ProtobufBytes bytes;
  for (const ProtobufBytes& one : devices) bytes.message(1, one);
  return bytes;
}

ProtobufBytes small_step() {
  return step({device(kCpu, {with_memory(with_output(node("x", 10, 5, "x = Placeholder()"), output(0, 1, {8, 64})), 0),
                             with_output(node("w", 12, 10, "w = Const()"), output(0, 1, {64, 32}))}),
               device(kGpu, {with_memory(with_output(node("dense/MatMul", 30, 20, "dense/MatMul = MatMul(x, w, ^init)"),
                                                     output(0, 1, {8, 32})),
                                         1024)}),
               device("/device:GPU:0/stream:14",
                      {node("dense/MatMul:MatMul", 60, 100,
                            "sgemm_32x32 regs:86 shm:8448 grid:1,2,1 block:128,1,1@@dense/MatMul:MatMul")}),
               device("/device:GPU:0/stream:all",
                      {node("dense/MatMul:MatMul", 60, 100,
                            "sgemm_32x32 regs:86 shm:8448 grid:1,2,1 block:128,1,1@@dense/MatMul:MatMul")}),
               device("/device:GPU:0/stream:13<MemcpyH2D>", {node("edge_1_x", 25, 4, "edge_1_x bytes:2048 aync")}),
               device("/device:GPU:0/memcpy", {node("edge_1_x", 25, 4, "edge_1_x bytes:2048 aync")}),
               device("/device:GPU:0/sync", {node("cuStreamSynchronize", 55, 110, "ThreadId 77")})});
}

TEST_CASE("a step of TensorFlow becomes one run, and its executed nodes layers") {
  const ImportedTrace trace = import_text(kStepStatsImporter, small_step().bytes());
  const auto& run = trace.span("Session.run");
  CHECK(run.level == LEVEL_MODEL);
  CHECK(run.kind == KIND_RUN);
  CHECK(run.begin == 1'000'000);
  CHECK(run.end - run.begin == 155'000);
  const auto& product = trace.span("dense/MatMul");
  CHECK(product.level == LEVEL_LAYER);
  CHECK(product.kind == KIND_OPERATOR);
  CHECK(product.type == "MatMul");
  CHECK(product.shape == "[8,32]");
  CHECK(product.begin - run.begin == 20'000);
  CHECK(product.end - product.begin == 20'000);
  CHECK(product.bytes == 1024);
  CHECK(product.has_bytes);
  CHECK(product.scope == run.scope);
  CHECK(product.parent == 0);
  // Inputs are told by name, and have the shapes of the outputs that they are.
  CHECK(product.inputs == "f32[8,64];f32[64,32]");
  CHECK(product.outputs == "f32[8,32]");
  CHECK(trace.header.realtime_offset_ns() == static_cast<int64_t>(kStartUs + 10) * 1000 - 1'000'000);
  CHECK(trace.processes.size() == 1);
  CHECK(trace.processes[0].executable() == "/job:localhost/replica:0/task:0");
}

TEST_CASE("nodes of a device that overlap come on threads of their own") {
  const ImportedTrace trace = import_text(kStepStatsImporter, small_step().bytes());
  CHECK(trace.span("x").thread != trace.span("w").thread);
  const ImportedTrace turns = import_text(
      kStepStatsImporter,
      step({device(kCpu, {node("a", 10, 5), node("b", 16, 5), node("c", 21, 0), node("d", 21, 4)})}).bytes());
  CHECK(turns.span("a").thread == turns.span("b").thread);
  CHECK(turns.span("c").thread != turns.span("d").thread);
}

TEST_CASE("streams give kernels and copies once, with the node that launched them") {
  const ImportedTrace trace = import_text(kStepStatsImporter, small_step().bytes());
  REQUIRE(trace.executions.size() == 2);
  const auto& kernel = trace.execution("sgemm_32x32");
  CHECK(kernel.kind == KIND_KERNEL);
  CHECK(kernel.stream == 14);
  CHECK(kernel.launch_name == "dense/MatMul");
  CHECK(kernel.configuration == "grid=[1,2,1] block=[128,1,1] registers=86 static_shared=8448");
  CHECK(kernel.end - kernel.begin == 100'000);
  const auto& copy = trace.execution("HtoD");
  CHECK(copy.kind == KIND_MEMCPY);
  CHECK(copy.bytes == 2048);
  CHECK(copy.stream == 13);
  CHECK(copy.launch_name.empty());
  CHECK(trace.span("cuStreamSynchronize").level == LEVEL_RUNTIME);
}

TEST_CASE("without streams told apart, those of all of them are taken") {
  const ImportedTrace trace = import_text(
      kStepStatsImporter,
      step({device("/gpu:0/stream:all", {node("conv:Conv2D", 10, 5)}),
            device("/gpu:0/memcpy", {node("edge:MEMCPYDtoH", 20, 5, "MEMCPYDtoH 64 bytes (Device to Pageable)")}),
            device("/job:worker/replica:0/task:0/gpu:0", {node("conv", 5, 2, "conv = Conv2D(x)")})})
          .bytes());
  CHECK(trace.execution("Conv2D").launch_name == "conv");
  CHECK(trace.has_note("names the file does not have"));
  CHECK(trace.execution("DtoH").bytes == 64);
}

TEST_CASE("of a node that ran several times, a kernel is of the run in which it was launched") {
  const auto kernel = [](uint64_t begin, uint64_t scheduled) {
    return node("loop/mul:Mul", begin, 5, "mul_kernel grid:1,1,1 block:1,1,1").number(9, kStartUs + scheduled);
  };
  const ImportedTrace trace =
      import_text(kStepStatsImporter, step({device(kGpu, {node("loop/mul", 10, 10, "loop/mul = Mul(a, b)"),
                                                          node("loop/mul", 30, 10, "loop/mul = Mul(a, b)")}),
                                            device("/device:GPU:0/stream:14", {kernel(100, 32), kernel(120, 25)})})
                                          .bytes());
  REQUIRE(trace.executions.size() == 2);
  CHECK(trace.executions[0].launch_name == "loop/mul");
  CHECK(trace.executions[0].launch == 2);
  CHECK(trace.executions[1].launch_name.empty());
}

TEST_CASE("a node that runs others is a parent and no layer") {
  const ImportedTrace trace =
      import_text(kStepStatsImporter, step({device(kCpu, {node("call", 10, 50, "call = StatefulPartitionedCall(x)"),
                                                          node("inner", 20, 5, "inner = Relu(x)")})})
                                          .bytes());
  CHECK(trace.span("call").level == LEVEL_APPLICATION);
  CHECK(trace.span("inner").level == LEVEL_LAYER);
}

TEST_CASE("tasks of a cluster are processes of their own") {
  const ImportedTrace trace = import_text(
      kStepStatsImporter, step({device("/job:worker/replica:0/task:1/device:CPU:0", {node("a", 10, 50, "a = A()")}),
                                device("/job:ps/replica:0/task:0/device:CPU:0", {node("b", 20, 5, "b = B()")})})
                              .bytes());
  CHECK(trace.processes.size() == 2);
  CHECK(trace.count_spans("Session.run") == 2);
}

TEST_CASE("later releases tell nanoseconds") {
  ProtobufBytes one = node("a", 10, 2, "a = A()");
  one.number(13, (kStartUs + 10) * 1000 + 123).number(16, 2345);
  const ImportedTrace trace = import_text(kStepStatsImporter, step({device(kCpu, {one})}).bytes());
  CHECK(trace.span("a").end - trace.span("a").begin == 2345);
}

constexpr const char* kCamelCase = R"json({"stepStats":{"devStats":[{
    "device":"/job:a/replica:0/task:0/device:CPU:0",
    "nodeStats":[{
        "nodeName":"y","allStartMicros":"1500000000000010","opStartRelMicros":"1","allEndRelMicros":"7",
        "memory":[{"allocatorName":"cpu","totalBytes":"64"}],"timelineLabel":"y = MatMul(x)",
        "output":[{"tensorDescription":{"dtype":"DT_HALF","shape":{"dim":[{"size":"2"},{"size":"8"}]}}}]}]}]}})json";

/// The device stands behind its nodes.
constexpr const char* kSnakeCase = R"json({"dev_stats":[{
    "node_stats":[{
        "node_name":"y","all_start_micros":1500000000000010,"all_end_rel_micros":7,
        "memory":[{"total_bytes":64}],"timeline_label":"y = MatMul(x)",
        "output":[{"tensor_description":{"dtype":19,"shape":{"dim":[{"size":2},{"size":8}]}}}]}],
    "device":"/job:a/replica:0/task:0/device:CPU:0"}]})json";

TEST_CASE("a RunMetadata and protobuf's JSON form are read alike") {
  const ProtobufBytes metadata = ProtobufBytes().message(1, small_step()).text(3, "partition graph");
  const ImportedTrace binary = import_text(kStepStatsImporter, metadata.bytes());
  CHECK(binary.spans.size() == import_text(kStepStatsImporter, small_step().bytes()).spans.size());

  for (const char* const text : {kCamelCase, kSnakeCase}) {
    CHECK(kStepStatsImporter.recognise(text) > 0);
    const ImportedTrace trace = import_text(kStepStatsImporter, text);
    CHECK(trace.span("y").outputs == "f16[2,8]");
    CHECK(trace.span("y").type == "MatMul");
    CHECK(trace.span("y").bytes == 64);
    CHECK(trace.span("y").end - trace.span("y").begin == 7000);
  }
}

constexpr const char* kText = R"text(# str(run_metadata)
step_stats {
  dev_stats {
    device: "/job:a/replica:0/task:0/device:CPU:0"
    node_stats {
      node_name: "y"
      all_start_micros: 1500000000000020
      op_end_rel_micros: 6
      all_end_rel_micros: 7
      memory { allocator_name: 'cpu' total_bytes: 32 }
      memory: < allocator_name: "gpu" total_bytes: 32, >
      output {
        tensor_description {
          dtype: DT_HALF
          shape { dim { size: 2 } dim { size: 8 } }
        }
      }
      timeline_label: "y = Mat" "Mul(x, \"w\")"
    }
  }
}
partition_graphs { node { name: "y" attr { key: "T" value { list { s: ["}", "a"] } } } } }
)text";

TEST_CASE("protobuf's text form is read too") {
  CHECK(kStepStatsImporter.recognise(kText) > 0);
  const ImportedTrace trace = import_text(kStepStatsImporter, kText);
  CHECK_FALSE(trace.has_note("damaged"));
  CHECK(trace.span("y").outputs == "f16[2,8]");
  CHECK(trace.span("y").type == "MatMul");
  CHECK(trace.span("y").bytes == 64);
  CHECK(trace.span("y").end - trace.span("y").begin == 7000);

  const std::string text = kText;
  const size_t second = text.find("partition_graphs");
  const ImportedTrace cut = import_text(kStepStatsImporter, text.substr(0, second + 30));
  CHECK(cut.count_spans("y") == 1);
  CHECK(cut.has_note("damaged or cut off at byte " + std::to_string(second + 30)));
  for (size_t size = 0; size < text.size(); ++size) {
    ProfileTimeline timeline;
    MemoryInput input(std::string_view(text).substr(0, size));
    (void)kStepStatsImporter.read(input, &timeline);
  }
}

constexpr const char* kTimeline = R"({
    "traceEvents": [
        {"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "Allocators"}},
        {"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "/job:localhost/replica:0/task:0/device:GPU:0 Compute"}},
        {"name": "process_name", "ph": "M", "pid": 3, "args": {"name": "/device:GPU:0/stream:all Compute"}},
        {"ph": "N", "cat": "Tensor", "name": "x", "pid": 2, "tid": 0, "ts": 10, "id": 0},
        {"ph": "O", "cat": "Tensor", "name": "x", "pid": 2, "tid": 0, "ts": 14, "id": 0, "args": {"snapshot": {"tensor_description": "dtype: DT_FLOAT\nshape {\n  dim {\n    size: 8\n  }\n  dim {\n    size: 64\n  }\n}\nallocation_description {\n  requested_bytes: 2048\n  allocator_name: cpu\n}\n"}}},
        {"ph": "O", "cat": "Tensor", "name": "mul", "pid": 2, "tid": 0, "ts": 14, "id": 0, "args": {"snapshot": {"tensor_description": "dtype: DT_FLOAT\nshape {\n}\n"}}},
        {"ph": "X", "cat": "Op", "name": "Placeholder", "pid": 1, "tid": 0, "ts": 1500000000000010, "dur": 5, "args": {"name": "x", "op": "Placeholder"}},
        {"ph": "X", "cat": "Op", "name": "MatMul", "pid": 1, "tid": 0, "ts": 1500000000000020, "dur": 9, "args": {"name": "mul", "op": "MatMul", "input0": "x", "input1": "gone"}},
        {"ph": "X", "cat": "Op", "name": "MatMul", "pid": 3, "tid": 0, "ts": 1500000000000040, "dur": 30, "args": {"name": "mul", "op": "MatMul"}},
        {"ph": "s", "cat": "DataFlow", "name": "x", "pid": 1, "tid": 0, "ts": 15, "id": 0},
        {"ph": "C", "cat": "Memory", "name": "cpu", "pid": 0, "tid": 0, "ts": 15, "args": {"cpu": 2048}}
    ]
})";

TEST_CASE("TensorFlow's timeline is the same step, without the names of kernels") {
  CHECK(kStepStatsImporter.recognise(kTimeline) > 90);
  const ImportedTrace trace = import_text(kStepStatsImporter, kTimeline);
  CHECK(trace.count_spans("Session.run") == 1);
  const auto& product = trace.span("mul");
  CHECK(product.type == "MatMul");
  CHECK(product.level == LEVEL_LAYER);
  CHECK(product.inputs == "f32[8,64];");
  CHECK(product.outputs == "f32[]");
  CHECK(trace.execution("MatMul").launch_name == "mul");
  CHECK(trace.execution("MatMul").end - trace.execution("MatMul").begin == 30'000);
  CHECK(trace.has_note("names the file does not have"));
}

TEST_CASE("a StepStats that is cut off at any byte keeps the nodes before the cut") {
  const std::string text = small_step().bytes();
  const size_t first = text.find("dense/MatMul = ");
  for (size_t size = first; size < text.size(); ++size) {
    const ImportedTrace trace = import_text(kStepStatsImporter, text.substr(0, size));
    CHECK(trace.count_spans("x") == 1);
    CHECK(trace.notes.size() >= 1);
  }
  CHECK(import_text(kStepStatsImporter, text.substr(0, first)).has_note("damaged or cut off at byte "));
  CHECK(import_error(kStepStatsImporter, text.substr(0, 40)).find("damaged or cut off at byte") != std::string::npos);
}

TEST_CASE("times that cannot be are counted and left out") {
  const ImportedTrace trace = import_text(
      kStepStatsImporter, step({device(kCpu, {node("fine", 10, 5, "fine = A()"),
                                              ProtobufBytes().text(1, "far").number(2, UINT64_MAX / 4).number(5, 1)})})
                              .bytes());
  CHECK(trace.count_spans("fine") == 1);
  CHECK(trace.count_spans("far") == 0);
  CHECK(trace.has_note("without a time that can be used"));
}

TEST_CASE("steps of TensorFlow are recognised, other files are not") {
  CHECK(kStepStatsImporter.recognise(small_step().bytes()) > 0);
  CHECK(kStepStatsImporter.recognise(ProtobufBytes().message(1, small_step()).bytes()) > 0);
  CHECK(kStepStatsImporter.recognise(R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a"}]})") == 0);
  CHECK(kStepStatsImporter.recognise("SQLite format 3") == 0);
  CHECK(kStepStatsImporter.recognise("") == 0);
  CHECK(kXplaneImporter.recognise(small_step().bytes()) == 0);
  CHECK(import_error(kStepStatsImporter, R"({"devStats":[]})").find("no event of a StepStats") == 0);
}

}  // namespace
}  // namespace xsp::test
