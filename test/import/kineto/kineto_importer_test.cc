/// What PyTorch's profiles become: one of today, one of 2021, one of torch.autograd.profiler, and what is damaged. The
/// first three are also the seeds of the fuzzer.

#include <string>

#include "proto/trace_numbers.h"
#include "test/catch.h"
#include "test/import/read_timeline.h"

namespace xsp {
namespace {

using test::import_error;
using test::import_text;
using test::ImportedTrace;

ImportedTrace import_seed(const std::string& name) {
  return test::import_file(kKinetoImporter, std::string(XSP_SEEDS) + "/kineto/" + name + ".json");
}

ImportedTrace import_events(const std::string& events) {
  return import_text(kKinetoImporter, "{\"traceEvents\": [" + events + "]}");
}

uint32_t number(wire::Kind kind) { return static_cast<uint32_t>(kind); }
uint32_t number(wire::Level level) { return static_cast<uint32_t>(level); }

/// An operator on thread 1 of process 9; `more` is a part of its arguments.
std::string op(const std::string& name, int begin, int duration, const std::string& more = "") {
  return R"({"ph":"X","cat":"cpu_op","pid":9,"tid":1,"name":")" + name + R"(","ts":)" + std::to_string(begin) +
         R"(,"dur":)" + std::to_string(duration) + R"(,"args":{)" + more + "}}";
}

TEST_CASE("operators, modules, functions and annotations are of level application", "[kineto]") {
  const ImportedTrace trace = import_seed("current");
  const auto& module = trace.span("Linear_12");
  CHECK(module.kind == number(wire::Kind::kTorchModule));
  CHECK(module.type == "Linear");
  CHECK(module.level == number(wire::Level::kApplication));
  CHECK(module.parent_name == "train.py(10): forward");
  const auto& linear = trace.span("aten::linear");
  CHECK(linear.kind == number(wire::Kind::kOperator));
  CHECK(linear.type == "aten::linear");
  CHECK(linear.parent_name == "Linear_12");
  CHECK(linear.end - linear.begin == 200'000);
  CHECK(trace.span("train.py(10): forward").kind == number(wire::Kind::kPythonFunction));
  const auto& step = trace.span("ProfilerStep#6");
  CHECK(step.kind == number(wire::Kind::kAnnotation));
  CHECK(step.level == number(wire::Level::kApplication));
}

TEST_CASE("arguments of operators", "[kineto]") {
  const ImportedTrace trace = import_seed("current");
  const auto& addmm = trace.span("aten::addmm");
  CHECK(addmm.inputs == "bf16[768];bf16[788,768];bf16[768,768];;;");
  CHECK(addmm.operator_values == R"(["", "", "", "1", "1", ""])");
  CHECK(trace.span("nccl:all_reduce").inputs == "f32[256]");
  const auto& collective = trace.span("record_param_comms");
  CHECK(collective.inputs == "(?[256]);");
  CHECK(
      collective.operator_values ==
      R"(["", "3", {"Collective name": "allreduce", "In msg nelems": 256, "Out msg nelems": 256, "dtype": "Float", "Group size": 8}])");
}

TEST_CASE("calls launch what has their correlation id", "[kineto]") {
  const ImportedTrace trace = import_seed("current");
  const auto& call = trace.span("cudaLaunchKernel");
  CHECK(call.level == number(wire::Level::kRuntime));
  CHECK(call.kind == number(wire::Kind::kRuntimeCall));
  CHECK(call.type == "cudart");
  CHECK(call.parent_name == "aten::addmm");
  CHECK(call.end - call.begin == 10'250);
  CHECK(trace.span("cuLaunchKernel").kind == number(wire::Kind::kDriverCall));
  CHECK(trace.span("cuLaunchKernel").type == "cuda");

  const auto& kernel = trace.execution("nvjet_hsh_128x128");
  CHECK(kernel.kind == number(wire::Kind::kKernel));
  CHECK(kernel.configuration == "grid=[6,7,1] block=[384,1,1] registers=168 shared=213248");
  CHECK(kernel.launch_name == "cudaLaunchKernel");
  CHECK(kernel.process == call.process);
  CHECK(kernel.stream == 7);
  CHECK(kernel.context == 1);
  CHECK(kernel.end - kernel.begin == 20'125);
  const auto& node = trace.execution("triton_poi_fused");
  CHECK(node.launch_name == "cuLaunchKernel");
  CHECK(node.graph == 4);
  CHECK(node.graph_node == 17179869185);
  CHECK(trace.totals.without_launch == 1);
}

TEST_CASE("copies, memsets, synchronizations and annotations of the device", "[kineto]") {
  const ImportedTrace trace = import_seed("current");
  const auto& copy = trace.execution("HtoD (Pageable -> Device)");
  CHECK(copy.kind == number(wire::Kind::kMemcpy));
  CHECK(copy.bytes == 1024);
  CHECK(copy.launch_name == "cudaMemcpyAsync");
  CHECK(trace.execution("memset").bytes == 512);
  CHECK(trace.execution("memset").launch_name.empty());
  CHECK(trace.execution("stream wait event").stream == 20);
  CHECK(trace.execution("context").kind == number(wire::Kind::kSynchronization));
  CHECK(trace.execution("context").stream == 0);
  CHECK(trace.execution("ProfilerStep#6").kind == number(wire::Kind::kAnnotation));
  CHECK(trace.execution("activity buffer request").kind == number(wire::Kind::kOverhead));
}

TEST_CASE("allocations count for all that is open on the thread, only those of the device if there are any",
          "[kineto]") {
  const ImportedTrace trace = import_seed("current");
  for (const auto* name : {"aten::addmm", "aten::linear", "Linear_12", "ProfilerStep#6"}) {
    CHECK(trace.span(name).has_bytes);
    CHECK(trace.span(name).bytes == 4096);
  }
  CHECK(trace.span("record_param_comms").bytes == 0);
  CHECK(import_seed("of_2021").span("aten::relu_").bytes == 4);
  CHECK_FALSE(import_seed("autograd").span("conv2d").has_bytes);
}

TEST_CASE("a backward operator belongs to the innermost last forward operator with its sequence number", "[kineto]") {
  const ImportedTrace trace = import_seed("current");
  CHECK(trace.span("autograd::engine::evaluate_function: AddmmBackward0").forward_name == "aten::addmm");
  CHECK(trace.span("AddmmBackward0").forward_name == "aten::addmm");
  CHECK(trace.span("aten::addmm").forward_name.empty());
  CHECK(import_seed("of_2021").span("ReluBackward1").forward_name == "aten::relu_");
}

TEST_CASE("forward threads are told apart by what their numbers show elsewhere", "[kineto]") {
  const auto on = [](int thread, const std::string& name, int begin, int sequence, int forward_thread) {
    return R"({"ph":"X","cat":"cpu_op","pid":9,"tid":)" + std::to_string(thread) + R"(,"name":")" + name +
           R"(","ts":)" + std::to_string(begin) + R"(,"dur":5,"args":{"Sequence number":)" + std::to_string(sequence) +
           R"(,"Fwd thread id":)" + std::to_string(forward_thread) + "}}";
  };
  const ImportedTrace trace = import_events(on(1, "a", 10, 1, 0) + "," + on(2, "b", 20, 1, 0) + "," +
                                            on(1, "only a", 30, 2, 0) + "," + on(3, "ABackward", 50, 1, 7) + "," +
                                            on(3, "OnlyABackward", 40, 2, 7) + "," + on(4, "a later", 60, 1, 0));
  CHECK(trace.span("OnlyABackward").forward_name == "only a");
  CHECK(trace.span("ABackward").forward_name == "a");
}

TEST_CASE("what the profile says of itself", "[kineto]") {
  const ImportedTrace trace = import_seed("current");
  REQUIRE(trace.processes.size() == 1);
  CHECK(trace.processes[0].pid() == 5617);
  CHECK(trace.processes[0].executable() == "python3");
  REQUIRE(trace.devices.size() == 2);
  CHECK(trace.devices[0].name() == "NVIDIA H100 80GB HBM3");
  CHECK(trace.devices[0].multiprocessors() == 132);
  CHECK(trace.devices[0].compute_capability_major() == 9);
  CHECK(trace.devices[0].memory_bytes() == 85018279936);
  CHECK(trace.devices[0].driver_version() == 12090);
  CHECK(trace.devices[1].index() == 1);
  const auto& environment = trace.processes[0].environment();
  CHECK(environment.at("RANK") == "3");
  CHECK(environment.at("WORLD_SIZE") == "8");
}

TEST_CASE("members behind the events count as those before them", "[kineto]") {
  const ImportedTrace trace = import_text(
      kKinetoImporter, "{\"traceEvents\": [" + op("a", 1, 2) +
                           R"(], "deviceProperties": [{"id": 1, "name": "T4"}], "distributedInfo": {"rank": "2"}})");
  REQUIRE(trace.devices.size() == 1);
  CHECK(trace.devices[0].index() == 1);
}

TEST_CASE("devices of the first releases are described under other names", "[kineto]") {
  const ImportedTrace trace =
      import_text(kKinetoImporter,
                  R"({"schemaVersion": 1, "computeProperties": [{"id": 0, "name": "Tesla V100-DGXS-32GB",
    "totalGlobalMem": 34084028416, "major": 7, "minor": 0, "multiProcessorCount": 80}], "traceEvents": [)" +
                      op("a", 1, 2) + "]}");
  REQUIRE(trace.devices.size() == 1);
  CHECK(trace.devices[0].name() == "Tesla V100-DGXS-32GB");
  CHECK(trace.devices[0].multiprocessors() == 80);
  CHECK(trace.devices[0].compute_capability_major() == 7);
}

TEST_CASE("without correlation ids the external ids pair calls and executions", "[kineto]") {
  const auto event = [](const char* category, const char* name, int pid, int begin, const char* arguments) {
    return std::string(R"({"ph":"X","cat":")") + category + R"(","name":")" + name + R"(","pid":)" +
           std::to_string(pid) + R"(,"tid":1,"ts":)" + std::to_string(begin) + R"(,"dur":5,"args":{)" + arguments +
           "}}";
  };
  const ImportedTrace trace =
      import_events(event("cuda_runtime", "hipMemcpyWithStream", 9, 10, R"("External id": 131)") + ',' +
                    event("cuda_runtime", "hipLaunchKernel", 9, 20, R"("External id": 7, "correlation": 131)") + ',' +
                    event("gpu_memcpy", "CopyHostToDevice", 2, 12, R"("External id": 131)") + ',' +
                    event("cuda_runtime", "hipSetDevice", 9, 40, R"("External id": 5)") + ',' +
                    event("cuda_runtime", "hipMemsetAsync", 9, 50, R"("External id": 5)") + ',' +
                    event("cuda_runtime", "hipExtModuleLaunchKernel", 9, 60, R"("External id": 5)") + ',' +
                    event("cuda_runtime", "hipExtModuleLaunchKernel", 9, 70, R"("External id": 5)") + ',' +
                    event("kernel", "Cijk_Ailk", 2, 80, R"("External id": 5)") + ',' +
                    event("kernel", "reduce", 2, 90, R"("External id": 5)") + ',' +
                    event("kernel", "gemm.kd", 2, 30, R"("External id": 7, "correlation": 131)"));
  CHECK(trace.execution("HtoD").launch_name == "hipMemcpyWithStream");
  CHECK(trace.execution("gemm.kd").launch_name == "hipLaunchKernel");
  CHECK(trace.execution("Cijk_Ailk").launch_name == "hipExtModuleLaunchKernel");
  CHECK(trace.execution("reduce").launch_name == "hipExtModuleLaunchKernel");
}

TEST_CASE("an event of another program than the profiler is an annotation, and is said to be one", "[kineto]") {
  const ImportedTrace trace = import_events(R"({"ph":"X","cat":"v8","name":"GC","pid":1,"tid":1,"ts":10,"dur":5})");
  CHECK(trace.span("GC").kind == number(wire::Kind::kAnnotation));
  CHECK(trace.has_note("another program than PyTorch's profiler"));
  CHECK_FALSE(import_events(op("a", 1, 2) + R"(,{"ph":"X","cat":"v8","name":"GC","pid":1,"tid":1,"ts":10,"dur":5})")
                  .has_note("another program"));
}

TEST_CASE("names and numbers of 2021", "[kineto]") {
  const ImportedTrace trace = import_seed("of_2021");
  REQUIRE(trace.processes.size() == 1);
  CHECK(trace.span("ProfilerStep#5").kind == number(wire::Kind::kAnnotation));
  CHECK(trace.span("aten::relu_").kind == number(wire::Kind::kOperator));
  CHECK(trace.span("cudaLaunchKernel").parent_name == "aten::relu_");
  CHECK(trace.execution("void at::native::relu<float>(float*)").launch_name == "cudaLaunchKernel");
  CHECK(trace.execution("DtoH (Device -> Pinned)").stream == 7);
  CHECK(trace.execution("memset").stream == 7);
}

TEST_CASE("torch.autograd.profiler tells launches as flows", "[kineto]") {
  const ImportedTrace trace = import_seed("autograd");
  CHECK(trace.span("launch").parent_name == "conv2d");
  CHECK(trace.span("conv2d").kind == number(wire::Kind::kOperator));
  CHECK(trace.execution("volta_sgemm").launch_name == "launch");
}

TEST_CASE("begins and ends of other traces", "[kineto]") {
  const ImportedTrace trace = import_seed("autograd");
  CHECK(trace.span("inner").parent_name == "phase");
  CHECK(trace.span("phase").end - trace.span("phase").begin == 10'000);
  CHECK(trace.span("inner").end - trace.span("inner").begin == 1'000);
  const ImportedTrace damaged = import_events(
      R"({"ph":"E","ts":1,"pid":1,"tid":1}, {"ph":"B","name":"open","ts":2,"pid":1,"tid":1},)" + op("a", 1, 2));
  CHECK(damaged.has_note("end of an event that has not begun"));
  CHECK(damaged.has_note("event that has begun and not ended"));
}

TEST_CASE("whole microseconds let a child end after its parent", "[kineto]") {
  const ImportedTrace trace = import_events(op("parent", 10, 5) + "," + op("child", 12, 4));
  CHECK(trace.span("child").parent_name == "parent");
  const ImportedTrace exact = import_events(
      R"({"ph":"X","cat":"cpu_op","pid":9,"tid":1,"name":"parent","ts":10,"dur":5.001},)" + op("child", 12, 4));
  CHECK(exact.span("child").parent_name.empty());
}

std::string python(const std::string& name, int begin, int duration) {
  return R"({"ph":"X","cat":"python_function","pid":9,"tid":1,"name":")" + name + R"(","ts":)" + std::to_string(begin) +
         R"(,"dur":)" + std::to_string(duration) + "}";
}

/// An operator with the place in the order of calls that the profiler gives it.
std::string turn(int external, const std::string& name, int begin, int duration) {
  return op(name, begin, duration, R"("External id":)" + std::to_string(external));
}

TEST_CASE("in whole microseconds an operator lies where others of its name do", "[kineto]") {
  const ImportedTrace trace =
      import_events(turn(1, "matmul", 10, 9) + "," + turn(2, "resolve", 12, 1) + "," + turn(3, "add", 21, 2) + "," +
                    // Cut to whole microseconds: it begins where its caller ends.
                    turn(4, "matmul", 30, 4) + "," + turn(5, "resolve", 34, 1) + "," +
                    // And behind it, in the microsecond in which that ends, what was never in it.
                    turn(6, "matmul", 40, 4) + "," + turn(7, "add", 44, 1));
  for (const auto& span : trace.spans) {
    CHECK(span.parent_name == (span.name == "resolve" ? "matmul" : ""));
  }
  CHECK(trace.totals.overlapping == 0);
}

TEST_CASE("an operator that ends long after another is in none that ends where it begins", "[kineto]") {
  const ImportedTrace trace = import_events(turn(1, "outer", 10, 9) + "," + turn(2, "inner", 12, 5) + "," +
                                            turn(3, "outer", 30, 4) + "," + turn(4, "inner", 34, 5));
  CHECK(trace.count_spans("inner") == 2);
  size_t inside = 0;
  for (const auto& span : trace.spans) inside += span.parent_name == "outer" ? 1 : 0;
  CHECK(inside == 1);
}

TEST_CASE("of operators in one microsecond the ids tell which came first", "[kineto]") {
  const ImportedTrace trace = import_events(turn(1, "first", 10, 0) + "," + turn(2, "second", 10, 3) + "," +
                                            turn(3, "in second", 10, 0) + "," + turn(4, "third", 13, 0));
  CHECK(trace.span("first").parent == 0);
  CHECK(trace.span("second").parent == 0);
  CHECK(trace.span("in second").parent_name == "second");
  CHECK(trace.span("third").parent_name == "second");  // as long as nothing tells otherwise
}

TEST_CASE("a call of the runtime lies in the operator that it names, if that can be", "[kineto]") {
  const auto call = [](const std::string& name, int begin, int external, int correlation) {
    return R"({"ph":"X","cat":"cuda_runtime","pid":9,"tid":1,"name":")" + name + R"(","ts":)" + std::to_string(begin) +
           R"(,"dur":1,"args":{"External id":)" + std::to_string(external) + R"(,"correlation":)" +
           std::to_string(correlation) + "}}";
  };
  const ImportedTrace trace = import_events(turn(1, "first", 10, 2) + "," + turn(2, "second", 12, 4) + "," +
                                            call("of first", 12, 1, 100) + "," + call("of second", 13, 2, 101) + "," +
                                            call("names itself", 14, 1, 1) + "," + call("too late", 15, 1, 103));
  CHECK(trace.span("of first").parent_name == "first");
  CHECK(trace.span("of second").parent_name == "second");
  CHECK(trace.span("names itself").parent_name == "second");
  CHECK(trace.span("too late").parent_name == "second");
}

TEST_CASE("ids that contradict the times tell nothing", "[kineto]") {
  const ImportedTrace trace = import_events(turn(9, "outer", 10, 10) + "," + turn(3, "inner", 12, 2) + "," +
                                            turn(3, "again", 16, 2) + "," + turn(1, "after", 30, 1));
  CHECK(trace.span("inner").parent_name == "outer");
  CHECK(trace.span("again").parent_name == "outer");
  CHECK(trace.span("after").parent == 0);
}

TEST_CASE("of equal times the Python function is the outer one", "[kineto]") {
  const ImportedTrace trace = import_events(op("aten::relu", 10, 5) + "," + python("nn.Module: ReLU_0", 10, 5));
  CHECK(trace.span("aten::relu").parent_name == "ReLU_0");
}

TEST_CASE("an annotation that begins in one function and ends in another is nothing odd", "[kineto]") {
  const std::string annotation =
      R"({"ph":"X","cat":"user_annotation","pid":9,"tid":1,"name":"ProfilerStep#1","ts":15,"dur":100},)";
  const ImportedTrace trace =
      import_events(python("step", 10, 10) + "," + annotation + op("a", 50, 10) + "," + python("next step", 110, 20));
  CHECK(trace.totals.overlapping == 0);
  CHECK(trace.span("a").parent_name == "ProfilerStep#1");
  const ImportedTrace odd = import_events(op("a", 10, 10) + "," + op("b", 15, 10));
  CHECK(odd.totals.overlapping == 1);
}

TEST_CASE("fields in any order, numbers as texts", "[kineto]") {
  const ImportedTrace trace = import_events(
      R"({"args": {"correlation": "5", "stream": "3"}, "dur": "2.5", "ts": "10", "tid": "stream 3", "pid": "1", "name": "k", "cat": "kernel", "ph": "X"},)" +
      op("a", 1, 2));
  const auto& kernel = trace.execution("k");
  CHECK(kernel.device == 1);
  CHECK(kernel.stream == 3);
  CHECK(kernel.correlation == 5);
  CHECK(kernel.end - kernel.begin == 2'500);
}

TEST_CASE("executions go to the process with their launch, others to the first", "[kineto]") {
  const std::string kernel = R"({"ph":"X","cat":"kernel","pid":0,"tid":7,"ts":9,"dur":1,"name":)";
  const std::string call = R"({"ph":"X","cat":"cuda_runtime","name":"call","ts":5,"dur":1,"tid":1,)";
  const ImportedTrace trace =
      import_events(kernel + R"("k1","args":{"correlation":1}},)" + kernel + R"("k2","args":{"correlation":2}},)" +
                    kernel + R"("lost","args":{"correlation":3}},)" + call + R"("pid":11,"args":{"correlation":1}},)" +
                    call + R"("pid":12,"args":{"correlation":2}})");
  REQUIRE(trace.processes.size() == 2);
  CHECK(trace.execution("k1").launch_name == "call");
  CHECK(trace.execution("k2").launch_name == "call");
  CHECK(trace.execution("k1").process != trace.execution("k2").process);
  CHECK(trace.execution("lost").process == trace.execution("k1").process);
  CHECK(trace.totals.without_launch == 1);
}

TEST_CASE("a profile of executions alone", "[kineto]") {
  const ImportedTrace trace = import_events(R"({"ph":"X","cat":"kernel","pid":0,"tid":7,"ts":9,"dur":1,"name":"k"})");
  CHECK(trace.execution("k").end - trace.execution("k").begin == 1'000);
  CHECK(trace.totals.without_launch == 1);
}

TEST_CASE("events that cannot be used are counted", "[kineto]") {
  const auto note_of = [](const std::string& event) {
    const ImportedTrace trace = import_events(op("a", 1, 2) + "," + event);
    CHECK(trace.totals.spans == 1);
    return trace.notes.empty() ? std::string() : trace.notes[0];
  };
  const auto with = [](const std::string& members) {
    return R"({"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,)" + members + "}";
  };
  CHECK_THAT(note_of(with(R"("ts":1)")), Catch::Matchers::Contains("event without a duration"));
  CHECK_THAT(note_of(with(R"("dur":1)")), Catch::Matchers::Contains("event without a time"));
  CHECK_THAT(note_of(with(R"("ts":1,"dur":-1)")), Catch::Matchers::Contains("negative duration"));
  CHECK_THAT(note_of(with(R"("ts":"x","dur":1)")), Catch::Matchers::Contains("time is no number"));
  CHECK_THAT(note_of(with(R"("ts":1,"dur":nan)")), Catch::Matchers::Contains("duration is no number"));
  CHECK_THAT(note_of(with(R"("ts":9e14,"dur":9e15)")), Catch::Matchers::Contains("too large"));
  CHECK_THAT(note_of("7"), Catch::Matchers::Contains("no JSON object"));
  CHECK_THAT(note_of(R"({"name" "b"})"), Catch::Matchers::Contains("no JSON object"));
  CHECK_THAT(note_of(R"({"name": "b"})"), Catch::Matchers::Contains("without a phase"));
  CHECK_THAT(note_of(R"({"ph":"X","cat":"cuda_profiler_range","name":"k","pid":0,"tid":0,"ts":1,"dur":1})"),
             Catch::Matchers::Contains("CUPTI's profiler"));
}

TEST_CASE("an execution that comes twice counts once", "[kineto]") {
  const std::string kernel =
      R"({"ph":"X","cat":"kernel","pid":0,"tid":7,"ts":9,"dur":1,"name":"k","args":{"correlation":1}})";
  const ImportedTrace trace = import_events(op("a", 1, 2) + "," + kernel + "," + kernel);
  CHECK(trace.executions.size() == 1);
  CHECK(trace.has_note("came twice"));
}

TEST_CASE("characters that JSON forbids become others", "[kineto]") {
  const ImportedTrace trace = import_events(op("caf\xe9", 1, 2) + "," + op("two\nlines", 5, 2));
  CHECK(trace.count_spans("caf?") == 1);
  CHECK(trace.count_spans("two lines") == 1);
  CHECK(trace.has_note("characters that JSON forbids"));
}

TEST_CASE("of a profile that is cut off stays what was read", "[kineto]") {
  const ImportedTrace trace = import_text(kKinetoImporter, "[" + op("a", 1, 2) + ",{\"ph\":");
  CHECK(trace.totals.spans == 1);
  CHECK(trace.has_note("ends early"));
}

TEST_CASE("what has no events of a profile is an error with its place", "[kineto]") {
  CHECK(import_error(kKinetoImporter, "{\"traceEvents\": []}") == "no event of a profile of PyTorch in it");
  CHECK_THAT(import_error(kKinetoImporter, "{\"traceEvents\": {}}"), Catch::Matchers::Contains("at byte 16"));
  CHECK_THAT(import_error(kKinetoImporter, "{\"traceEvents\": ["), Catch::Matchers::Contains("ends early"));
  CHECK_FALSE(import_error(kKinetoImporter, "text").empty());
}

TEST_CASE("profiles are known by what only they say", "[kineto]") {
  CHECK(kKinetoImporter.recognise("{\"schemaVersion\": 1, \"deviceProperties\": [") >= 90);
  CHECK(kKinetoImporter.recognise("\xef\xbb\xbf [{\"name\": \"aten::add\", \"ph\": \"X\"") >= 90);
  const int other = kKinetoImporter.recognise("{\"traceEvents\": [{\"cat\": \"Op\", \"ph\": \"X\"}]}");
  CHECK(other > 0);
  CHECK(other < 50);
  CHECK(kKinetoImporter.recognise("SQLite format 3") == 0);
  CHECK(kKinetoImporter.recognise("{\"data\": [{\"traceID\": \"1\"}]}") == 0);
  CHECK(kKinetoImporter.recognise("") == 0);
}

}  // namespace
}  // namespace xsp
