#include "import/frame/importer.h"
#include "test/catch.h"
#include "test/import/read_timeline.h"

namespace xsp::test {
namespace {

/// As ONNX Runtime 1.31 writes it, the arguments shortened.
constexpr const char* kProfile = R"([
{"cat" : "Session","pid" :70,"tid" :9,"dur" :303,"ts" :6,"ph" : "X","name" :"model_loading_array","args" : {}},
{"cat" : "Node","pid" :70,"tid" :9,"dur" :119,"ts" :2931,"ph" : "X","name" :"conv1_kernel_time","args" : {"output_size" : "8192","thread_scheduling_stats" : {"main_thread": {"block_size": [], "core": -1}},"op_name" : "Conv","node_index" : "0","input_type_shape" : [{"float":[1,3,16,16]},{"float":[8,3,3,3]}],"output_type_shape" : [{"float":[1,8,16,16]}],"provider" : "CPUExecutionProvider"}},
{"cat" : "Node","pid" :70,"tid" :9,"dur" :0,"ts" :3052,"ph" : "X","name" :"split_kernel_time","args" : {"op_name" : "Split","input_type_shape" : [{"float16":[1,4]}],"output_type_shape" : [{"float16":[1,2]},{"int64":[]}],"output_size" : 12,"provider" : "CPUExecutionProvider"}},
{"cat" : "Node","pid" :70,"tid" :9,"dur" :10,"ts" :3052,"ph" : "X","name" :"gemm_kernel_time","args" : {"op_name" : "Gemm","output_size" : "4","provider" : "CUDAExecutionProvider"}},
{"cat" : "Node","pid" :70,"tid" :10,"dur" :7,"ts" :3057,"ph" : "X","name" :"other_kernel_time","args" : {"op_name" : "Relu","output_size" : "0"}},
{"cat" : "Session","pid" :70,"tid" :9,"dur" :150,"ts" :2929,"ph" : "X","name" :"SequentialExecutor::Execute","args" : {}},
{"cat" : "Session","pid" :70,"tid" :9,"dur" :200,"ts" :2917,"ph" : "X","name" :"model_run","args" : {}}
]
)";

std::string node(const char* name, int begin, const char* op, int thread = 9) {
  return R"({"cat":"Node","pid":70,"tid":)" + std::to_string(thread) + R"(,"dur":10,"ts":)" + std::to_string(begin) +
         R"(,"ph":"X","name":")" + name + R"(_kernel_time","args":{"op_name":")" + op + "\"}}";
}

std::string kernel(const char* name, int begin, const std::string& parent) {
  return R"({"cat":"Kernel","pid":-1,"tid":-1,"dur":5,"ts":)" + std::to_string(begin) + R"(,"ph":"X","name":")" + name +
         R"(","args":{"stream":"7","grid_x":"80","grid_y":"2","grid_z":"1","block_x":"256","block_y":"1","block_z":"1")" +
         parent + "}}";
}

std::string run() {
  return R"({"cat":"Session","pid":70,"tid":9,"dur":90,"ts":100,"ph":"X","name":"model_run","args":{}})";
}

ImportedTrace import_events(std::initializer_list<std::string> events) {
  std::string text = "[";
  for (const std::string& event : events) text += (text.size() > 1 ? ",\n" : "") + event;
  return import_text(kOnnxRuntimeImporter, text + "]");
}

TEST_CASE("runs of ONNX Runtime become model spans, executed nodes layers, the rest of the session annotations") {
  const ImportedTrace trace = import_text(kOnnxRuntimeImporter, kProfile);
  CHECK(trace.processes.at(0).pid() == 70);
  const auto& run = trace.span("model_run");
  CHECK(run.level == LEVEL_MODEL);
  CHECK(run.kind == KIND_RUN);
  CHECK(run.end - run.begin == 200'000);
  CHECK(run.thread == 9);
  CHECK(trace.span("SequentialExecutor::Execute").parent_name == "model_run");
  CHECK(trace.span("model_loading_array").level == LEVEL_APPLICATION);

  const auto& conv = trace.span("conv1");
  CHECK(conv.level == LEVEL_LAYER);
  CHECK(conv.kind == KIND_ORT_NODE);
  CHECK(conv.type == "Conv");
  CHECK(conv.shape == "[1,8,16,16]");
  CHECK(conv.bytes == 8192);
  CHECK(conv.has_bytes);
  CHECK(conv.begin - run.begin == 14'000);
  CHECK(conv.end - conv.begin == 119'000);
  CHECK(conv.inputs == "f32[1,3,16,16];f32[8,3,3,3]");
  CHECK(conv.outputs == "f32[1,8,16,16]");
  CHECK(trace.span("split").shape == "[1,2];[]");
  CHECK(trace.span("split").outputs == "f16[1,2];i64[]");
  CHECK(trace.has_note("CPUExecutionProvider ran 2 nodes"));
}

TEST_CASE("nodes are left to their scope: no time decides what they lie in, on their thread or on another") {
  const ImportedTrace trace = import_text(kOnnxRuntimeImporter, kProfile);
  for (const char* name : {"conv1", "split", "gemm", "other"}) {
    CHECK(trace.span(name).parent == 0);
    CHECK(trace.span(name).scope == "model_run");
  }
  CHECK(trace.span("model_run").scope == "model_run");
  CHECK(trace.span("other").thread == 10);
  CHECK(trace.totals.overlapping == 0);
}

TEST_CASE("memory is not known when a node has no output size") {
  const ImportedTrace trace = import_events({run(), node("a", 110, "Conv")});
  CHECK_FALSE(trace.span("a").has_bytes);
}

TEST_CASE("fences of older releases are left out") {
  std::string fence = node("a", 109, "Conv");
  fence.replace(fence.find("_kernel_time"), 12, "_fence_before");
  const ImportedTrace trace = import_events({run(), fence, node("a", 110, "Conv")});
  CHECK(trace.spans.size() == 2);
  CHECK(trace.has_note("1 events of fences"));
}

TEST_CASE("kernels behind their event, which names itself, were launched in it") {
  const std::string parent = R"(,"op_name":"Conv","parent_name":"a_kernel_time")";
  const ImportedTrace trace =
      import_events({run(), node("a", 110, "Conv"), kernel("gemm<float>", 115, parent),
                     kernel("MemcpyHostToDevice", 116, parent), node("b", 120, "Relu"), kernel("late", 130, parent)});
  const auto& gemm = trace.execution("gemm<float>");
  CHECK(gemm.kind == KIND_KERNEL);
  CHECK(gemm.launch_name == "a");
  CHECK(gemm.stream == 7);
  CHECK(gemm.configuration == "grid=[80,2,1] block=[256,1,1]");
  CHECK(gemm.end - gemm.begin == 5000);
  CHECK(trace.execution("HtoD").kind == KIND_MEMCPY);
  CHECK(trace.execution("HtoD").launch_name == "a");
  // Another event stands before it: the file contradicts itself.
  CHECK(trace.execution("late").launch_name.empty());
  CHECK(trace.processes.size() == 1);
}

TEST_CASE("kernels before a node with their operator were launched in it") {
  const ImportedTrace trace = import_events({run(), kernel("k1", 115, R"(,"op_name":"Conv")"), node("a", 110, "Conv"),
                                             kernel("k2", 125, R"(,"op_name":"Gemm")"), node("b", 120, "Relu"),
                                             kernel("k3", 135, R"(,"op_name":"")")});
  CHECK(trace.execution("k1").launch_name == "a");
  CHECK(trace.execution("k2").launch_name.empty());
  CHECK(trace.execution("k3").launch_name.empty());
}

TEST_CASE("kernels that name begin and name of their event were launched in it, wherever they stand") {
  const auto named = [](const char* name, const char* event, int64_t begin_us) {
    return R"(,"ort_event_name":")" + std::string(event) + R"(","ort_correlation_id":")" + std::to_string(begin_us) +
           R"(","x":")" + name + '"';
  };
  constexpr int64_t kStart = 1'700'000'000'000'000;
  const ImportedTrace trace =
      import_events({run(), node("a", 110, "Conv"), node("a", 150, "Conv"), node("b", 160, "Relu"),
                     kernel("first", 115, named("", "a_kernel_time", kStart + 110)),
                     kernel("second", 155, named("", "a_kernel_time", kStart + 150)),
                     kernel("third", 165, named("", "b_kernel_time", kStart + 160))});
  CHECK(trace.execution("third").launch_name == "b");
  const auto& second = trace.execution("second");
  CHECK(second.launch_name == "a");
  CHECK(second.launch != trace.execution("first").launch);
  CHECK(trace.header.realtime_offset_ns() == (kStart + 100) * 1000 - 1'000'000);
}

TEST_CASE("a profile that is cut off at any byte keeps the events before the cut") {
  const std::string text = kProfile;
  for (size_t size = text.find("\n{\"cat\" : \"Node\"") + 1; size < text.rfind(']'); size += 7) {
    const ImportedTrace trace = import_text(kOnnxRuntimeImporter, text.substr(0, size));
    CHECK(trace.count_spans("model_loading_array") == 1);
    CHECK(trace.has_note("the input ends early, at byte " + std::to_string(size)));
  }
}

TEST_CASE("damaged events of ONNX Runtime are counted, and the others kept") {
  const std::string huge =
      R"({"cat":"Node","pid":70,"tid":9,"dur":1e300,"ts":1,"ph":"X","name":"h_kernel_time","args":{}})";
  const std::string before =
      R"({"cat":"Node","pid":70,"tid":9,"dur":-5,"ts":1,"ph":"X","name":"m_kernel_time","args":{}})";
  const std::string timeless = R"({"cat":"Node","name":"t_kernel_time"})";
  const std::string broken = R"({"cat":"Node","pid":70,"ts":,"name":"broken_kernel_time"})";
  const std::string bytes = node("caf\xE9", 130, "Conv");
  const ImportedTrace trace = import_events({run(), huge, before, timeless, broken, bytes, "17"});
  CHECK(trace.count_spans("caf?") == 1);
  CHECK(trace.spans.size() == 2);
  CHECK(trace.has_note("event without a time: 3"));
  CHECK(trace.has_note("event that is no JSON object (the first at byte "));
}

TEST_CASE("a profile without an event is an error that says so") {
  CHECK(import_error(kOnnxRuntimeImporter, "[]") == "no event of an ONNX Runtime profile in it");
  const std::string torn = import_error(kOnnxRuntimeImporter, "[{\"cat\" : \"Node\"");
  CHECK(torn.find("ends early, at byte 16") != std::string::npos);
  CHECK(import_error(kOnnxRuntimeImporter, "{\"a\": 1}").find("malformed JSON at byte 0") != std::string::npos);
}

TEST_CASE("profiles of ONNX Runtime are recognised, those of others are not") {
  CHECK(kOnnxRuntimeImporter.recognise(kProfile) > 90);
  CHECK(kOnnxRuntimeImporter.recognise(" \n[{\"name\":\"model_run\", \"cat\":\"Session\"}]") > 0);
  CHECK(kOnnxRuntimeImporter.recognise(R"([{"ph":"X","cat":"cpu_op","name":"aten::add"}])") == 0);
  CHECK(kOnnxRuntimeImporter.recognise(R"({"traceEvents":[{"cat":"Node"}]})") == 0);
  CHECK(kOnnxRuntimeImporter.recognise("") == 0);
}

}  // namespace
}  // namespace xsp::test
