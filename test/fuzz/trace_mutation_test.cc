#include <random>

#include "test/analysis/trace_builder.h"
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
  builder.packet(2)->mutable_process_end()->set_how(ProcessEnd::GOODBYE);
  return builder.bytes();
}

TEST_CASE("mutated traces do not break the report") {
  const std::string seed = rich_trace();
  std::mt19937 random(20);
  const auto pick = [&](size_t limit) { return static_cast<size_t>(random()) % limit; };
  for (int round = 0; round < 4000; ++round) {
    std::string input = seed;
    for (size_t edit = 1 + pick(6); edit > 0 && !input.empty(); --edit) {
      const size_t at = pick(input.size());
      switch (pick(5)) {
        case 0:
          input[at] = static_cast<char>(random());
          break;
        case 1:
          input[at] = static_cast<char>(0xff);
          break;
        case 2:
          input.erase(at, 1 + pick(8));
          break;
        case 3:
          input.insert(at, input.substr(pick(input.size()), pick(40)));
          break;
        default:
          input.insert(at, "\xff\xff\xff\xff\x0f");
      }
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  }
}

}  // namespace
}  // namespace xsp::test
