#include "test/catch.h"
#include "test/import/read_timeline.h"
#include "test/temporary_folder.h"

namespace xsp::test {
namespace {

std::string seed(const std::string& name) { return std::string(XSP_SEEDS) + "/" + name; }

/// A Jaeger document of these spans, of one process.
std::string jaeger(const std::string& spans) {
  return R"({"data":[{"traceID":"t","processes":{"p1":{"serviceName":"s"}},"spans":[)" + spans + "]}]}";
}

std::string jaeger_span(const std::string& id, const std::string& parent, int begin, int duration,
                        const std::string& level, const std::string& more = "") {
  const std::string references =
      parent.empty() ? "" : R"({"refType":"CHILD_OF","traceID":"t","spanID":")" + parent + "\"}";
  return R"({"traceID":"t","spanID":")" + id + R"(","operationName":")" + id + R"(","references":[)" + references +
         R"(],"startTime":)" + std::to_string(begin) + R"(,"duration":)" + std::to_string(duration) +
         R"(,"processID":"p1","tags":[{"key":"trace_level","type":"string","value":")" + level + "\"}" + more + "]}";
}

TEST_CASE("a Jaeger trace of an across-stack profiler keeps its levels, types, shapes and bytes") {
  const ImportedTrace trace = import_file(kJaegerImporter, seed("jaeger.json"));
  CHECK(trace.header.source() == "jaeger");
  CHECK(trace.header.hostname() == "gpu-7");
  CHECK(trace.header.realtime_offset_ns() == 1'699'999'999'999'000'000 - 1'000'000);
  const ImportedSpanRead& model = trace.span("c_predict");
  CHECK(model.level == LEVEL_MODEL);
  CHECK(model.kind == KIND_RUN);
  CHECK(model.input == "[1,3,224,224]");
  CHECK(model.end - model.begin == 1'000'000);
  const ImportedSpanRead& layer = trace.span("conv1");
  CHECK(layer.level == LEVEL_LAYER);
  CHECK(layer.type == "Conv2D");
  CHECK(layer.shape == "[1,64,112,112]");
  CHECK(layer.bytes == 3211264);
  CHECK(layer.has_bytes);
  CHECK(trace.span("cudnnConvolutionForward").type == "cudnn");
  CHECK(trace.span("load the image").level == LEVEL_APPLICATION);
  CHECK(trace.span("load the image").kind == KIND_ANNOTATION);
  CHECK(trace.span("load the image").failed);
}

TEST_CASE("services whose spans are parents of each other are one process, others are their own") {
  const ImportedTrace trace = import_file(kJaegerImporter, seed("jaeger.json"));
  REQUIRE(trace.processes.size() == 2);
  CHECK(trace.span("c_predict").process == trace.span("cudaLaunchKernel").process);
  CHECK(trace.span("c_predict").process != trace.span("load the image").process);
  CHECK(trace.processes[0].pid() == 4711);
}

TEST_CASE("what a tracer tells as a child of the model goes into the layer and call that contain it") {
  const ImportedTrace trace = import_file(kJaegerImporter, seed("jaeger.json"));
  CHECK(trace.span("conv1").parent_name == "c_predict");
  CHECK(trace.span("cudnnConvolutionForward").parent_name == "conv1");
  CHECK(trace.span("cudaLaunchKernel").parent_name == "cudnnConvolutionForward");
  CHECK(trace.span("relu1").parent_name == "c_predict");
}

TEST_CASE("a kernel has its launch by correlation id, a copy without one by its parent") {
  const ImportedTrace trace = import_file(kJaegerImporter, seed("jaeger.json"));
  const ImportedExecutionRead& kernel = trace.execution("implicit_convolve_sgemm");
  CHECK(kernel.kind == KIND_KERNEL);
  CHECK(kernel.launch_name == "cudaLaunchKernel");
  CHECK(kernel.configuration == "grid=[80,1,1] block=[256,1,1] registers=32 static_shared=0 dynamic_shared=16384");
  CHECK(kernel.stream == 7);
  CHECK(kernel.context == 1);
  const ImportedExecutionRead& copy = trace.execution("HtoD");
  CHECK(copy.kind == KIND_MEMCPY);
  CHECK(copy.bytes == 602112);
  CHECK(copy.launch_name == "relu1");
  CHECK(trace.devices.at(0).name() == "Tesla V100-SXM2-16GB");
}

TEST_CASE("metrics in the logs of a launch are counters of its kernel") {
  const ImportedTrace trace = import_file(kJaegerImporter, seed("jaeger.json"));
  REQUIRE(trace.counters.size() == 2);
  for (const ImportedCounterRead& counter : trace.counters) {
    CHECK(counter.kernel == "implicit_convolve_sgemm");
    CHECK(counter.value == (counter.metric == "flop_count_sp" ? 236027904 : 640000));
  }
}

TEST_CASE("a call inside two layers that overlap stays where it was told") {
  const ImportedTrace trace =
      import_text(kJaegerImporter, jaeger(jaeger_span("model", "", 0, 100, "MODEL_TRACE") + "," +
                                          jaeger_span("left", "model", 10, 50, "FRAMEWORK_TRACE") + "," +
                                          jaeger_span("right", "model", 20, 60, "FRAMEWORK_TRACE") + "," +
                                          jaeger_span("call", "model", 30, 5, "SYSTEM_LIBRARY_TRACE") + "," +
                                          jaeger_span("only right", "model", 65, 5, "SYSTEM_LIBRARY_TRACE")));
  CHECK(trace.span("call").parent_name == "model");
  CHECK(trace.span("only right").parent_name == "right");
  CHECK(trace.span("right").parent_name == "model");
  CHECK(trace.has_note("inside two others that overlap"));
}

TEST_CASE("spans that are their own ancestors, unknown parents and repeated ids are counted") {
  const ImportedTrace trace = import_text(
      kJaegerImporter,
      jaeger(jaeger_span("a", "b", 0, 100, "MODEL_TRACE") + "," + jaeger_span("b", "a", 10, 50, "FRAMEWORK_TRACE") +
             "," + jaeger_span("b", "a", 10, 50, "FRAMEWORK_TRACE") + "," +
             jaeger_span("self", "self", 10, 50, "FRAMEWORK_TRACE") + "," +
             jaeger_span("c", "absent", 20, 60, "FRAMEWORK_TRACE") + R"(,{"spanID":"d"},7)"));
  CHECK(trace.spans.size() == 5);
  CHECK(trace.has_note("its own ancestor, left without a parent: 1"));
  CHECK(trace.has_note("parent is not in the profile, left without one: 1"));
  CHECK(trace.has_note("with the id of another one: 1"));
  CHECK(trace.has_note("without an id or a time: 1"));
  CHECK(trace.has_note("no sound JSON: 1"));
}

TEST_CASE("OTLP, one document for each batch, with resources before and behind their spans") {
  const ImportedTrace trace = import_file(kOtlpImporter, seed("otlp.jsonl"));
  REQUIRE(trace.processes.size() == 1);
  CHECK(trace.processes[0].pid() == 99);
  CHECK(trace.header.hostname() == "node1");
  CHECK(trace.span("predict").level == LEVEL_MODEL);
  CHECK(trace.span("fc1").parent_name == "predict");
  CHECK(trace.span("fc1").type == "Linear");
  CHECK(trace.span("fc1").shape == "[8,64]");
  CHECK(trace.span("fc1").failed);
  const ImportedExecutionRead& kernel = trace.execution("sgemm");
  CHECK(kernel.launch_name == "fc1");
  CHECK(kernel.end - kernel.begin == 100'123);
  CHECK(kernel.configuration == "grid=[80,1,1]");
  REQUIRE(trace.counters.size() == 1);
  CHECK(trace.counters[0].metric == "achieved_occupancy");
}

TEST_CASE("OTLP as OpenTelemetry's logging exporter writes it, a resource on each line") {
  const auto line = [](const char* id, const char* parent, const char* name) {
    return std::string(R"({"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"predictor"}}]},)") +
           R"("scopeSpans":[{"spans":[{"traceId":"t","spanId":")" + id + R"(","parentSpanId":")" + parent +
           R"(","name":")" + name + R"(","startTimeUnixNano":"1000","endTimeUnixNano":"2000"}]}]})" + "\n";
  };
  const std::string lines = line("1", "", "outer") + line("2", "1", "inner");
  CHECK(kOtlpImporter.recognise(lines) > 0);
  const ImportedTrace trace = import_text(kOtlpImporter, lines);
  REQUIRE(trace.processes.size() == 1);
  CHECK(trace.processes[0].executable() == "predictor");
  CHECK(trace.span("inner").parent_name == "outer");
}

TEST_CASE("a trace that ends early keeps what lies before, one without spans is an error with its place") {
  const std::string whole = read_file(seed("jaeger.json"));
  const ImportedTrace trace = import_text(kJaegerImporter, whole.substr(0, whole.size() / 2));
  CHECK(trace.count_spans("c_predict") == 1);
  CHECK(trace.has_note("the input ends early, at byte "));
  CHECK(import_error(kJaegerImporter, R"({"data":[{"spans":[{]})").find("byte ") != std::string::npos);
  CHECK(import_error(kJaegerImporter, R"({"data":[]})") == "there is no span in it");
  CHECK(import_error(kOtlpImporter, R"({"resourceSpans":[]})") == "there is no span in it");
  CHECK(import_error(kOtlpImporter,
                     R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"1a","name":"chat"}]}]}]})") ==
        "there is no span in it that can be used (1 without an id or a time)");
}

}  // namespace
}  // namespace xsp::test
