#include "analysis/timeline/device_latencies.h"

#include <algorithm>
#include <random>
#include <set>

#include "test/analysis/support/nanoseconds.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::is_null;
using analysis::StudyOptions;
using analysis::Table;

SpanSpec span_in_ms(int level, uint32_t id, uint32_t parent, int64_t begin_ms, int64_t end_ms,
                    const std::string& name) {
  SpanSpec spec{.begin = begin_ms * kMs, .end = end_ms * kMs, .id = id, .parent = parent, .level = level, .name = name};
  spec.kind = level == LEVEL_MODEL ? KIND_TORCH_ROOT : level == LEVEL_LAYER ? KIND_TORCH_MODULE : KIND_RUNTIME_CALL;
  if (level == LEVEL_MODEL) spec.input = "[4,3]";
  return spec;
}

ExecutionSpec kernel(uint32_t launch, int64_t begin_ms, int64_t end_ms, int kind = KIND_KERNEL) {
  ExecutionSpec spec{.begin = begin_ms * kMs, .end = end_ms * kMs, .name = "kernel", .kind = kind, .launch = launch};
  return spec;
}

/// A layer 10-20 ms after `begin` in a model of 30 ms, with a launch in the layer (id + 2) and one beside it (id + 3).
void add_model(TraceBuilder& builder, uint32_t id, int64_t begin, const std::string& layer = "fc") {
  builder.add(span_in_ms(LEVEL_RUNTIME, id + 2, id + 1, begin + 11, begin + 12, "cudaLaunchKernel"));
  builder.add(span_in_ms(LEVEL_LAYER, id + 1, id, begin + 10, begin + 20, layer));
  builder.add(span_in_ms(LEVEL_RUNTIME, id + 3, id, begin + 21, begin + 22, "cudaLaunchKernel"));
  builder.add(span_in_ms(LEVEL_MODEL, id, 0, begin, begin + 30, "Net"));
}

TEST_CASE("the latency of a model ends with its last execution, not with those of later calls") {
  TraceBuilder builder;
  builder.add_process(1);
  add_model(builder, 1, 0);
  add_model(builder, 5, 100);
  builder.add_executions({kernel(3, 15, 25), kernel(4, 35, 60), kernel(7, 120, 125), kernel(8, 126, 128)});
  // Waiting and giving memory back is no work of the model.
  builder.add_executions({kernel(4, 40, 90, KIND_SYNCHRONIZATION), kernel(4, 80, 80, KIND_MEMORY)});
  const Analysed analysed({builder.bytes()});
  REQUIRE(analysed.study);
  CHECK(analysed.study->latencies.model == std::vector<int64_t>{60 * kMs, 30 * kMs});
  CHECK(number(analysed.table("A1").rows[0][1]) == Approx(45));
  CHECK(number(analysed.table("A1").rows[0][11]) == Approx(30));
  const Table a2 = analysed.table("A2");
  CHECK(number(a2.rows[0][4]) == Approx((15 + 15) / 2.0));
  CHECK(number(a2.rows[0][11]) == Approx(10));
  CHECK(number(a2.rows[0][12]) == Approx((10 + 5) / 2.0));
  CHECK(number(analysed.table("A3").rows[0][2]) == Approx(15));
  CHECK(number(analysed.table("A6").rows[0][2]) == Approx(15));
}

TEST_CASE("a copy counts for a layer's latency and not for its kernels") {
  TraceBuilder builder;
  builder.add_process(1);
  add_model(builder, 1, 0);
  builder.add_executions({kernel(3, 15, 25), kernel(3, 40, 45, KIND_MEMCPY), kernel(3, 44, 47, KIND_MEMSET)});
  const Analysed analysed({builder.bytes()});
  const Table a13 = analysed.table("A13");
  REQUIRE(a13.rows.size() == 1);
  CHECK(number(a13.rows[0][1]) == Approx(15 + 7));
  CHECK(number(a13.rows[0][2]) == Approx(10));
  CHECK(number(a13.rows[0][3]) == Approx(12));
  CHECK(number(a13.rows[0][4]) == Approx(100.0 * 10 / 22));
  CHECK(text(a13.rows[0][5]) == "fc");
  CHECK(number(a13.rows[0][7]) == 1);
  CHECK_FALSE(has_note(a13, "at the same time"));
}

TEST_CASE("events on the stream give the latency of a model where there are no executions") {
  TraceBuilder builder;
  builder.add_process(1);
  add_model(builder, 1, 0);
  add_model(builder, 5, 100);
  builder.add_executions({kernel(1, 5, 75, KIND_STREAM_INTERVAL), kernel(5, 101, 110, KIND_STREAM_INTERVAL)});
  const Analysed analysed({builder.bytes()});
  REQUIRE(analysed.study);
  CHECK(analysed.study->latencies.model == std::vector<int64_t>{75 * kMs, 30 * kMs});
  const Table a1 = analysed.table("A1");
  CHECK(number(a1.rows[0][11]) == Approx(30));
  CHECK(has_note(a1, "events around the call"));
  // Layers end with their calls, as far as this trace tells.
  CHECK(analysed.table("A2").columns.size() == 13);
  CHECK(number(analysed.table("A2").rows[0][4]) == Approx(10));
}

TEST_CASE("with kernels, events on the stream do not count") {
  TraceBuilder builder;
  builder.add_process(1);
  add_model(builder, 1, 0);
  builder.add_executions({kernel(1, 5, 75, KIND_STREAM_INTERVAL), kernel(3, 15, 40)});
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.study->latencies.model == std::vector<int64_t>{40 * kMs});
}

TEST_CASE("without executions nothing changes, and A13 says what would give them") {
  TraceBuilder builder;
  builder.message().mutable_packet(0)->mutable_header()->set_requested_level("layer");
  builder.add_process(1);
  add_model(builder, 1, 0);
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.study->latencies.model.empty());
  CHECK(analysed.study->latencies.layers.empty());
  CHECK(analysed.table("A1").columns.size() == 13);
  CHECK(analysed.table("A2").columns.size() == 13);
  const Table a13 = analysed.table("A13");
  CHECK(a13.lacks_data);
  REQUIRE(a13.rows.size() == 1);
  CHECK(number(a13.rows[0][1]) == Approx(10));
  for (const size_t column : {2, 3, 4, 6, 7}) CHECK(is_null(a13.rows[0][column]));
  CHECK(has_note(a13, "xsp-run --level kernel -- COMMAND"));
}

TEST_CASE("kernels that run at the same time count once for gpu_ms; layers that do add up to more than the model") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(span_in_ms(LEVEL_RUNTIME, 3, 2, 11, 12, "cudaLaunchKernel"));
  builder.add(span_in_ms(LEVEL_LAYER, 2, 1, 10, 13, "a"));
  builder.add(span_in_ms(LEVEL_RUNTIME, 5, 4, 15, 16, "cudaLaunchKernel"));
  builder.add(span_in_ms(LEVEL_LAYER, 4, 1, 14, 17, "b"));
  builder.add(span_in_ms(LEVEL_MODEL, 1, 0, 9, 18, "Net"));
  builder.add_executions({kernel(3, 20, 60), kernel(3, 30, 50), kernel(5, 15, 58)});
  const Analysed analysed({builder.bytes()});
  const Table a13 = analysed.table("A13");
  CHECK(number(a13.rows[0][1]) == Approx(43));
  CHECK(number(a13.rows[0][2]) == Approx(40));
  CHECK(number(a13.rows[0][6]) == Approx(60));
  CHECK(number(a13.rows[1][1]) == Approx(44));
  CHECK(has_note(a13, "overlap: gpu_ms is the time in which any of them runs"));
  // 43 + 44 ms of 51; their union is 10-13, 14-60.
  CHECK(has_note(analysed.table("A2"), "layers add up to 170.6 %"));
  CHECK(has_note(analysed.table("A2"), "(38 ms per call)"));
}

TEST_CASE("a replayed graph counts for the layers of its evaluation, in a whole trace for those that captured it") {
  TraceBuilder builder;
  builder.add_process(1);
  add_model(builder, 1, 0);
  add_model(builder, 5, 100);
  ExecutionSpec node = kernel(8, 150, 160);
  node.capture = 3;
  builder.add_executions({kernel(3, 15, 25), node});
  const Analysed analysed({builder.bytes()});
  const auto& layers = analysed.study->latencies.layers;
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].gpu_ns == 10 * kMs);
  CHECK(layers[1].gpu_ns == 10 * kMs);
  CHECK(layers[1].latency_ns == 20 * kMs);
  StudyOptions options;
  options.per_trace = true;
  const Analysed whole({builder.bytes()}, options);
  CHECK(whole.study->latencies.layers[0].gpu_ns == 20 * kMs);
  CHECK(whole.study->latencies.layers[1].gpu_ns == 0);
  CHECK(number(whole.table("A13").rows[0][2]) == Approx(20));
}

TEST_CASE("A13 says that evaluations without layers of their own are elsewhere") {
  TraceBuilder builder;
  builder.add_process(1);
  add_model(builder, 1, 0);
  builder.add(span_in_ms(LEVEL_RUNTIME, 6, 5, 110, 112, "cudaGraphLaunch"));
  builder.add(span_in_ms(LEVEL_MODEL, 5, 0, 100, 130, "Net"));
  ExecutionSpec node = kernel(6, 115, 125);
  node.capture = 3;
  builder.add_executions({kernel(3, 15, 25), node});
  const std::string bytes = builder.bytes();
  const Table a13 = Analysed({bytes}).table("A13");
  CHECK(number(a13.rows[0][2]) == Approx(10));
  CHECK(has_note(a13, "1 evaluation made no layers of their own"));
  StudyOptions options;
  options.per_trace = true;
  const Table whole = Analysed({bytes}, options).table("A13");
  CHECK(number(whole.rows[0][2]) == Approx(20));
  CHECK_FALSE(has_note(whole, "no layers of their own"));
}

TEST_CASE("A13 of replayed graphs has the layers that captured the kernels, and no latency of theirs") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(span_in_ms(LEVEL_LAYER, 1, 0, 10, 12, "before"));
  for (uint32_t e = 0; e < 2; ++e) {
    const int64_t at = 100 + 100 * int64_t{e};
    builder.add(span_in_ms(LEVEL_RUNTIME, 12 + 10 * e, 11 + 10 * e, at + 1, at + 2, "cudaGraphLaunch"));
    builder.add(span_in_ms(LEVEL_MODEL, 11 + 10 * e, 0, at, at + 50, "Net"));
    ExecutionSpec first = kernel(12 + 10 * e, at + 5, at + 15);
    first.capture = 1;
    ExecutionSpec second = kernel(12 + 10 * e, at + 10, at + 20 + 2 * e);
    second.capture = 1;
    builder.add_executions({first, second});
  }
  const Table a13 = Analysed({builder.bytes()}).table("A13");
  REQUIRE(a13.rows.size() == 1);
  CHECK(is_null(a13.rows[0][0]));
  CHECK(is_null(a13.rows[0][1]));
  CHECK(number(a13.rows[0][2]) == Approx(16));  // 15 and 17
  CHECK(is_null(a13.rows[0][3]));
  CHECK(text(a13.rows[0][5]) == "before");
  CHECK(number(a13.rows[0][6]) == Approx(21));
  CHECK(number(a13.rows[0][7]) == 2);
  CHECK_FALSE(a13.lacks_data);
  CHECK(has_note(a13, "it captured kernels of a graph"));
  CHECK(has_note(a13, "mean of 2 calls"));
  CHECK_FALSE(has_note(a13, "--level layer"));
}

TEST_CASE("a graph captured in another model counts for no layer of the evaluation that launches it") {
  TraceBuilder builder;
  builder.add_process(1);
  add_model(builder, 1, 0, "other");
  add_model(builder, 5, 100);
  ExecutionSpec node = kernel(8, 150, 160);
  node.capture = 3;
  builder.add_executions({node});
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.study->latencies.layers[1].kernels == 0);
  CHECK(analysed.study->latencies.model[1] == 60 * kMs);
}

TEST_CASE("layer and model latencies agree with counting, on random traces") {
  std::mt19937 random(GENERATE(1u, 2u, 3u, 4u));
  const auto pick = [&](int64_t limit) { return static_cast<int64_t>(random() % static_cast<uint64_t>(limit)); };
  for (int round = 0; round < 30; ++round) {
    TraceBuilder builder;
    builder.add_process(1);
    const auto evaluations = 1 + pick(3);
    const auto count = 1 + pick(3);
    std::vector<std::set<int64_t>> latency(static_cast<size_t>(evaluations * count));
    std::vector<std::set<int64_t>> gpu(latency.size());
    std::vector<int64_t> model;
    std::vector<int64_t> kernel_ms(latency.size());
    std::vector<ExecutionSpec> executions;
    uint32_t id = 0;
    int64_t now = 0;
    for (int64_t e = 0; e < evaluations; ++e) {
      const uint32_t root = ++id;
      const int64_t begin = now;
      int64_t last = 0;
      for (int64_t l = 0; l < count; ++l) {
        const auto number = static_cast<size_t>(e * count + l);
        const uint32_t layer = ++id;
        const int64_t layer_begin = ++now;
        for (int64_t k = pick(4); k > 0; --k) {
          builder.add(span_in_ms(LEVEL_RUNTIME, ++id, layer, now, now + 1, "cudaLaunchKernel"));
          now += 1 + pick(3);
          const int64_t start = now + pick(20);
          const int64_t end = start + pick(15);
          const bool copy = pick(4) == 0;
          executions.push_back(kernel(id, start, end, copy ? KIND_MEMCPY : KIND_KERNEL));
          last = std::max(last, end);
          for (int64_t at = start; at < end; ++at) {
            latency[number].insert(at);
            if (!copy) gpu[number].insert(at);
          }
          if (!copy) kernel_ms[number] += end - start;
        }
        now += 1 + pick(5);
        for (int64_t at = layer_begin; at < now; ++at) latency[number].insert(at);
        builder.add(span_in_ms(LEVEL_LAYER, layer, root, layer_begin, now, std::string("l").append(std::to_string(l))));
      }
      builder.add(span_in_ms(LEVEL_MODEL, root, 0, begin, ++now, "Net"));
      model.push_back((std::max(last, now) - begin) * kMs);
    }
    if (executions.empty()) continue;
    std::shuffle(executions.begin(), executions.end(), random);
    builder.add_executions(executions);
    const Analysed analysed({builder.bytes()});
    REQUIRE(analysed.study->latencies.model == model);
    const auto& layers = analysed.study->latencies.layers;
    REQUIRE(layers.size() == latency.size());
    for (size_t i = 0; i < layers.size(); ++i) {
      REQUIRE(layers[i].latency_ns == static_cast<int64_t>(latency[i].size()) * kMs);
      REQUIRE(layers[i].gpu_ns == static_cast<int64_t>(gpu[i].size()) * kMs);
      REQUIRE(layers[i].kernel_ns == kernel_ms[i] * kMs);
    }
  }
}

}  // namespace
}  // namespace xsp::test
