#include <random>

#include "analysis/trace/set_index.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace xsp::test {
namespace {

std::string rich_trace() {
  TraceBuilder builder;
  builder.add_process(10, "0");
  builder.add_process(11);
  for (int i = 0; i < 4; ++i)
    builder.add_evaluation(20 * i, {3, 2, 4}, "Net", "[2,3]", 1 + static_cast<uint32_t>(i % 2));
  SpanSpec run{.begin = 1000, .end = 9000, .id = 90, .level = LEVEL_MODEL, .kind = KIND_ORT_RUN, .name = "run"};
  run.scope = "s";
  builder.add(run);
  builder.add({.begin = 2000, .end = 3000, .kind = KIND_ORT_NODE, .name = "node", .scope = "s", .start_ring = 2});
  SpanSpec module{.begin = 10, .end = 90, .id = 91, .level = LEVEL_APPLICATION, .kind = KIND_NVTX_RANGE};
  module.name = "XlaModule:#prefix=jit(f),hlo_module=jit_f#";
  module.type = "TSL";
  SpanSpec thunk{.begin = 20, .end = 80, .id = 92, .parent = 91, .level = LEVEL_APPLICATION, .kind = KIND_NVTX_RANGE};
  thunk.name = "Thunk:#name=f,hlo_op=dot.3#";
  thunk.type = "TSL";
  builder.add(thunk);
  builder.add(module);
  SpanSpec call{.begin = 30, .end = 40, .id = 93, .level = LEVEL_LIBRARY, .kind = KIND_LIBRARY_CALL};
  call.name = "cublasGemmEx";
  call.type = "cublas";
  call.layout = "class=gemm m:i4 n:i8 op_a:e1{0=N,1=T} alpha:f4 stream:p8 status:e4{0=SUCCESS}";
  call.values = Values().add(int32_t{64}).add(int64_t{32}).add(uint8_t{1}).add(1.0F).add(uint64_t{7}).add(int32_t{0});
  builder.add(call);
  SpanSpec launch{.begin = 32, .end = 35, .id = 94, .parent = 93, .level = LEVEL_RUNTIME, .kind = KIND_RUNTIME_CALL};
  launch.name = "cudaLaunchKernel";
  launch.correlation = 7;
  builder.add(launch);
  ExecutionSpec kernel{.begin = 40, .end = 90, .name = "_Z4gemmPf", .launch = 94, .correlation = 7};
  kernel.configuration = "grid=[1,1,1] block=[256,1,1] registers=32 static_shared=0 dynamic_shared=0";
  ExecutionSpec node = kernel;
  node.launch = 0;
  node.capture = 94;
  node.graph_node = 1000;
  node.graph = 1;
  node.stream = 13;
  builder.add_executions({kernel, node, {.begin = 50, .end = 60, .name = "HtoD", .kind = KIND_MEMCPY, .bytes = 64}});
  builder.add_executions({{.begin = 1, .end = 99, .kind = KIND_STREAM_INTERVAL, .launch = 90}});
  auto* gap = builder.packet(1)->mutable_gap();
  gap->set_reason(Gap::OTHER_PROFILER);
  gap->set_level(LEVEL_RUNTIME);
  gap->set_begin_ns(10);
  builder.packet(1)->mutable_device()->set_name("device");
  auto* processors = builder.message().mutable_packet(0)->mutable_header()->mutable_processors();
  processors->set_online(8);
  processors->set_allowed(2);
  processors->set_quota(1.5);
  processors->set_load(3);
  auto* threads = builder.packet(1)->mutable_thread_counts();
  threads->set_own(2);
  for (const uint32_t root : {1U, 9U}) {
    auto* told = threads->add_call();
    told->set_span(root);
    told->set_threads(root == 1 ? 2 : 1);
    told->set_setting(root == 1 ? ThreadCounts::OWN : ThreadCounts::PROBE);
    told->set_block(root);
    told->set_runnable(3);
  }
  threads->add_switch_()->set_from(1);
  SpanSpec step{.begin = 5, .end = 95, .id = 95, .level = LEVEL_APPLICATION, .kind = KIND_ANNOTATION};
  step.name = "ProfilerStep#1";
  SpanSpec op{.begin = 6, .end = 60, .id = 96, .parent = 95, .level = LEVEL_APPLICATION, .kind = KIND_OPERATOR};
  op.name = "aten::addmm";
  SpanSpec backward{.begin = 61, .end = 70, .id = 97, .parent = 95, .level = LEVEL_APPLICATION, .kind = KIND_OPERATOR};
  backward.name = "AddmmBackward0";
  backward.forward = 96;
  builder.add(op);
  builder.add(backward);
  builder.add(step);
  const uint32_t metric = builder.string_id(1, "dram__bytes_read.sum");
  const uint32_t kernel_name = builder.string_id(1, "_Z4gemmPf");
  auto* counters = builder.packet(1)->mutable_counters();
  counters->set_count(2);
  counters->add_metric(metric);
  for (int i = 0; i < 2; ++i) {
    counters->add_name(kernel_name);
    counters->add_ordinal(static_cast<uint64_t>(i));
    counters->add_execution(2);
    counters->add_value(4096);
  }
  builder.packet(1)->mutable_clock()->set_clock(CLOCK_CUPTI);
  builder.packet(1)->mutable_loss()->set_count(4);
  builder.packet(1)->mutable_open_spans()->add_span()->set_begin(3);
  builder.packet(2)->mutable_notice()->set_text("text");
  builder.packet(1)->mutable_unintercepted()->set_library("onednn");
  builder.packet(1)->mutable_used_library()->set_library("blas");
  builder.packet(2)->mutable_process_end()->set_how(ProcessEnd::GOODBYE);
  return builder.bytes();
}

/// Damages `input` in up to six places.
void mutate(std::mt19937* random, std::string* input) {
  const auto pick = [&](size_t limit) { return static_cast<size_t>((*random)()) % limit; };
  for (size_t edit = 1 + pick(6); edit > 0 && !input->empty(); --edit) {
    const size_t at = pick(input->size());
    switch (pick(5)) {
      case 0:
        (*input)[at] = static_cast<char>((*random)());
        break;
      case 1:
        (*input)[at] = static_cast<char>(0xff);
        break;
      case 2:
        input->erase(at, 1 + pick(8));
        break;
      case 3:
        input->insert(at, input->substr(pick(input->size()), pick(40)));
        break;
      default:
        input->insert(at, "\xff\xff\xff\xff\x0f");
    }
  }
}

void check_mutated(const std::string& seed, int rounds) {
  std::mt19937 random(20);
  for (int round = 0; round < rounds; ++round) {
    std::string input = seed;
    mutate(&random, &input);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  }
}

/// A run of a set at one level, with a library call and a kernel where that has them.
std::string run_of_set(uint32_t index, const std::string& level) {
  TraceBuilder builder;
  builder.describe_run(index, level, 1 + index / 4, {{"batch", "4"}});
  builder.add_process(100 + index);
  for (int i = 0; i < 4; ++i) {
    const int64_t begin = 1000 * i;
    const auto id = static_cast<uint32_t>(10 * i);
    std::vector<ExecutionSpec> executions;
    if (level != "model") {
      builder.add({.begin = begin + 10, .end = begin + 400, .id = id + 2, .parent = id + 1, .name = "conv"});
    }
    if (level == "library" || level == "kernel") {
      SpanSpec call{.begin = begin + 20, .end = begin + 90, .id = id + 3, .parent = id + 2, .level = LEVEL_LIBRARY};
      call.kind = KIND_LIBRARY_CALL;
      call.name = "cublasSgemm";
      call.type = "cublas";
      builder.add(call);
    }
    if (level == "kernel") {
      SpanSpec launch{.begin = begin + 30, .end = begin + 40, .id = id + 4, .parent = id + 3, .level = LEVEL_RUNTIME};
      launch.kind = KIND_RUNTIME_CALL;
      launch.name = "cudaLaunchKernel";
      builder.add(launch);
      executions.push_back({.begin = begin + 50, .end = begin + 300, .name = "gemm", .launch = id + 4});
    }
    builder.add({.begin = begin, .end = begin + 500, .id = id + 1, .level = LEVEL_MODEL, .name = "Net"});
    if (!executions.empty()) builder.add_executions(executions);
  }
  return builder.bytes();
}

TEST_CASE("mutated traces do not break the report") { check_mutated(rich_trace(), 4000); }

TEST_CASE("mutated runs of a set do not break the report") {
  std::string runs;
  uint32_t index = 0;
  for (const char* level : {"model", "layer", "library", "kernel", "model", "kernel"}) {
    runs += run_of_set(++index, level);
  }
  REQUIRE(Analysed({runs}).study->levels.leveled);
  check_mutated(runs, 500);
}

TEST_CASE("a mutated index of a set is read or refused") {
  const std::string seed = R"({"format": 1, "set": "00112233aabbccdd", "program": "xsp-run 0.1.0", "command": ["true"],
    "state": "stopped", "stopped_by": "signal 2", "runs": [
    {"index": 1, "trace": "001-model.pb", "log": "001-model.log", "level": "model", "repetition": 1,
     "purpose": "latencies", "parameters": {"batch": "4"}, "state": "done", "exit_status": 0, "seconds": 1.5},
    {"index": 2, "trace": "002-layer.pb", "log": "002-layer.log", "level": "layer", "repetition": 1,
     "purpose": "latencies", "parameters": {}, "state": "failed", "signal": 9, "why": "x"}]})";
  std::mt19937 random(20);
  for (int round = 0; round < 4000; ++round) {
    std::string input = seed;
    mutate(&random, &input);
    analysis::SetIndex index;
    (void)analysis::parse_set_index(input, &index);
    for (const analysis::IndexedRun& run : index.runs) CHECK(run.trace.find('/') == std::string::npos);
  }
}

}  // namespace
}  // namespace xsp::test
