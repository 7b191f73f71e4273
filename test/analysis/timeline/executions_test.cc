#include "analysis/timeline/executions.h"

#include <algorithm>
#include <map>
#include <random>

#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::kNoEvaluation;
using analysis::kNoRow;
using analysis::PlacedExecution;
using analysis::Row;

SpanSpec host_span(int level, uint32_t id, uint32_t parent, int64_t begin, int64_t end, const std::string& name) {
  SpanSpec spec{.begin = begin, .end = end, .id = id, .parent = parent, .level = level, .name = name};
  if (level == LEVEL_MODEL) spec.kind = KIND_TORCH_ROOT;
  if (level == LEVEL_LAYER) spec.kind = KIND_TORCH_MODULE;
  if (level == LEVEL_LIBRARY) spec.kind = KIND_LIBRARY_CALL;
  if (level == LEVEL_RUNTIME) spec.kind = KIND_RUNTIME_CALL;
  return spec;
}

SpanSpec launch(uint32_t id, uint32_t parent, int64_t begin, uint64_t correlation,
                const std::string& name = "cudaLaunchKernel") {
  SpanSpec spec = host_span(LEVEL_RUNTIME, id, parent, begin, begin + 5, name);
  spec.correlation = correlation;
  return spec;
}

std::string numbered(const char* name, uint32_t number) { return std::string(name).append(std::to_string(number)); }

const PlacedExecution& placed(const Analysed& analysed, const std::string& name) {
  for (size_t i = 0; i < analysed.executions.placed.size(); ++i) {
    const Row row = analysed.trace.executions.row[i];
    if (analysed.trace.text(analysed.trace.spans.name[row]) == name) return analysed.executions.placed[i];
  }
  FAIL("no execution " << name);
  return analysed.executions.placed.front();
}

std::string name_of(const Analysed& analysed, Row row) {
  return row == kNoRow ? "" : std::string(analysed.trace.text(analysed.trace.spans.name[row]));
}

std::vector<std::string> in_evaluation(const Analysed& analysed, uint32_t evaluation) {
  std::vector<std::string> names;
  const auto& executions = analysed.executions;
  for (size_t i = executions.first_of[evaluation]; i < executions.first_of[evaluation + 1]; ++i) {
    names.push_back(name_of(analysed, analysed.trace.executions.row[executions.in_evaluation[i]]));
  }
  return names;
}

TEST_CASE("an execution belongs to the layer, call and evaluation of its launch, whenever it runs") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(launch(5, 4, 30, 1));
  builder.add(host_span(LEVEL_LIBRARY, 4, 3, 25, 40, "cublasLtMatmul"));
  builder.add(host_span(LEVEL_LIBRARY, 3, 2, 20, 50, "cublasGemmEx"));
  builder.add(host_span(LEVEL_LAYER, 2, 1, 10, 60, "fc"));
  builder.add(launch(7, 6, 75, 2));
  builder.add(host_span(LEVEL_LAYER, 6, 1, 70, 80, "relu"));
  builder.add(launch(8, 1, 85, 3));
  builder.add(host_span(LEVEL_MODEL, 1, 0, 0, 100, "Net"));
  builder.add(launch(11, 10, 115, 4));
  builder.add(host_span(LEVEL_LAYER, 10, 9, 110, 120, "fc"));
  builder.add(host_span(LEVEL_MODEL, 9, 0, 105, 130, "Net"));
  builder.add(launch(12, 0, 140, 5));
  builder.add_executions({{.begin = 200, .end = 300, .name = "second", .launch = 7},
                          {.begin = 112, .end = 190, .name = "gemm", .launch = 5},
                          {.begin = 192, .end = 195, .name = "split", .launch = 5},
                          {.begin = 310, .end = 320, .name = "own", .launch = 8},
                          {.begin = 400, .end = 410, .name = "next", .launch = 11},
                          {.begin = 420, .end = 430, .name = "outside", .launch = 12},
                          {.begin = 5, .end = 20, .name = "unknown"}});
  const Analysed analysed({builder.bytes()});
  const PlacedExecution& gemm = placed(analysed, "gemm");
  CHECK(name_of(analysed, gemm.launch) == "cudaLaunchKernel");
  CHECK(name_of(analysed, gemm.library_call) == "cublasGemmEx");
  CHECK(name_of(analysed, gemm.layer) == "fc");
  CHECK(gemm.layer_ordinal == 0);
  CHECK(gemm.evaluation == 0);
  CHECK(placed(analysed, "second").layer_ordinal == 1);
  CHECK(placed(analysed, "second").library_call == kNoRow);
  CHECK(placed(analysed, "own").layer == kNoRow);
  CHECK(placed(analysed, "own").evaluation == 0);
  CHECK(placed(analysed, "next").evaluation == 1);
  CHECK(placed(analysed, "outside").evaluation == kNoEvaluation);
  CHECK(placed(analysed, "outside").launch != kNoRow);
  // In the interval of the first layer, and not of it: executions never nest by time.
  CHECK(placed(analysed, "unknown").launch == kNoRow);
  CHECK(placed(analysed, "unknown").layer == kNoRow);
  CHECK(in_evaluation(analysed, 0) == std::vector<std::string>{"gemm", "split", "second", "own"});
  CHECK(in_evaluation(analysed, 1) == std::vector<std::string>{"next"});
  CHECK(analysed.executions.without_launch == 1);
  CHECK(analysed.executions.without_execution == 0);
}

TEST_CASE("a graph's kernels belong to the layers that captured them and to the evaluation that launches the graph") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(launch(3, 2, 20, 0));
  builder.add(host_span(LEVEL_LAYER, 2, 1, 10, 30, "fc"));
  builder.add(launch(6, 5, 45, 0));
  builder.add(launch(12, 5, 51, 2));
  builder.add(host_span(LEVEL_LIBRARY, 5, 4, 42, 55, "cudnnAdd"));
  builder.add(host_span(LEVEL_LAYER, 4, 1, 40, 60, "add"));
  builder.add(launch(7, 1, 65, 0));
  builder.add(host_span(LEVEL_MODEL, 1, 0, 0, 70, "Net"));
  builder.add(launch(10, 9, 115, 9, "cudaGraphLaunch"));
  builder.add(host_span(LEVEL_LAYER, 9, 8, 110, 125, "replay"));
  builder.add(host_span(LEVEL_MODEL, 8, 0, 105, 130, "Net"));
  ExecutionSpec node{.begin = 200, .end = 210, .name = "one", .launch = 10, .capture = 3, .correlation = 9};
  node.graph = 1;
  node.graph_node = 100;
  ExecutionSpec other = node;
  other.name = "two";
  other.capture = 6;
  ExecutionSpec loose = node;
  loose.name = "three";
  loose.capture = 7;
  ExecutionSpec unknown = node;
  unknown.name = "four";
  unknown.capture = 0;
  builder.add_executions({node, other, loose, unknown});
  const Analysed analysed({builder.bytes()});
  for (const char* name : {"one", "two", "three", "four"}) CHECK(placed(analysed, name).evaluation == 1);
  CHECK(name_of(analysed, placed(analysed, "one").layer) == "fc");
  CHECK(placed(analysed, "one").library_call == kNoRow);
  CHECK(placed(analysed, "one").layer_ordinal == 0);
  CHECK(name_of(analysed, placed(analysed, "two").layer) == "add");
  CHECK(name_of(analysed, placed(analysed, "two").library_call) == "cudnnAdd");
  CHECK(placed(analysed, "two").layer_ordinal == 1);
  // Captured in no layer, or not known where: the layer that launches the graph.
  CHECK(name_of(analysed, placed(analysed, "three").layer) == "replay");
  CHECK(name_of(analysed, placed(analysed, "four").layer) == "replay");
  // A call that captures starts nothing and has no correlation id; the one beside it in "cudnnAdd" has, and no
  // execution.
  CHECK(analysed.executions.without_execution == 1);
}

TEST_CASE("a launch that the collector could not name is found by its correlation id where that is unique") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add_process(2);
  builder.add(launch(1, 0, 10, 71));
  builder.add(launch(2, 0, 20, 72));
  builder.add(launch(3, 0, 30, 72));
  SpanSpec foreign = launch(1, 0, 10, 73);
  foreign.process = 2;
  builder.add(foreign);
  builder.add_executions({{.begin = 50, .end = 60, .name = "found", .correlation = 71},
                          {.begin = 60, .end = 61, .name = "of graph", .correlation = 71},
                          {.begin = 70, .end = 80, .name = "ambiguous", .correlation = 72},
                          {.begin = 90, .end = 95, .name = "foreign", .correlation = 73},
                          {.begin = 96, .end = 97, .name = "wrong", .launch = 2, .correlation = 71}});
  const Analysed analysed({builder.bytes()});
  CHECK(placed(analysed, "found").launch != kNoRow);
  CHECK(analysed.trace.spans.correlation_of(placed(analysed, "found").launch) == 71);
  CHECK(placed(analysed, "of graph").launch == placed(analysed, "found").launch);
  CHECK(placed(analysed, "ambiguous").launch == kNoRow);
  CHECK(placed(analysed, "foreign").launch == kNoRow);
  CHECK(analysed.trace.spans.begin[placed(analysed, "wrong").launch] == 20);
  CHECK(analysed.executions.without_launch == 2);
  CHECK(analysed.executions.without_execution == 2);
}

TEST_CASE("only kernel and graph launches that succeeded are missed, and only work is") {
  TraceBuilder builder;
  builder.add_process(1);
  uint32_t id = 0;
  for (const char* name : {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernelEx_ptsz", "cuLaunchKernel",
                           "cudaLaunchCooperativeKernel", "cudaGraphLaunch", "cuGraphLaunch_ptsz"}) {
    ++id;
    builder.add(launch(id, 0, 10 * id, 100 + id, name));
  }
  for (const char* name : {"cudaMemcpyAsync", "cudaLaunchHostFunc", "cudaGraphInstantiate", "cuMemAlloc", "Launch"}) {
    ++id;
    builder.add(launch(id, 0, 10 * id, 100 + id, name));
  }
  SpanSpec failed = launch(50, 0, 900, 500);
  failed.failed = true;
  builder.add(failed);
  builder.add(launch(51, 0, 950, 0));
  builder.add_executions({{.begin = 1, .end = 2, .name = "HtoD", .kind = KIND_MEMCPY},
                          {.begin = 1, .end = 2, .name = "set", .kind = KIND_MEMSET},
                          {.begin = 1, .end = 2, .name = "stream", .kind = KIND_SYNCHRONIZATION},
                          {.begin = 1, .end = 1, .name = "free", .kind = KIND_MEMORY},
                          {.begin = 1, .end = 2, .name = "loading", .kind = KIND_OVERHEAD},
                          {.begin = 1, .end = 2, .name = "kernel", .launch = 1}});
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.executions.without_execution == 6);
  CHECK(analysed.executions.without_launch == 2);
}

TEST_CASE("calls that came as activity records nest by time on their thread") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(host_span(LEVEL_LIBRARY, 4, 3, 20, 40, "cublasLtMatmul"));
  builder.add(host_span(LEVEL_LIBRARY, 3, 2, 15, 50, "cublasGemmEx"));
  builder.add(host_span(LEVEL_LAYER, 2, 1, 10, 60, "fc"));
  builder.add(host_span(LEVEL_LAYER, 5, 1, 70, 90, "relu"));
  builder.add(host_span(LEVEL_MODEL, 1, 0, 0, 100, "Net"));
  uint32_t id = 0;
  const auto recorded = [&](int64_t begin, uint64_t correlation, uint32_t thread) {
    SpanSpec call = launch(++id, 0, begin, correlation);
    call.thread = thread;
    call.ring = 0x20000 + thread;
    builder.add(call);
  };
  recorded(25, 1, 100);
  recorded(52, 2, 100);
  recorded(75, 3, 100);
  recorded(92, 4, 100);
  recorded(25, 5, 200);
  std::vector<ExecutionSpec> kernels;
  for (uint32_t i = 1; i <= 5; ++i) {
    ExecutionSpec kernel{.begin = 200 + i, .end = 201 + i, .name = numbered("k", i), .launch = i};
    kernel.launch_ring = 0x20000 + (i == 5 ? 200 : 100);
    kernels.push_back(kernel);
  }
  builder.add_executions(kernels);
  const Analysed analysed({builder.bytes()});
  CHECK(name_of(analysed, analysed.parents.of[placed(analysed, "k1").launch]) == "cublasLtMatmul");
  CHECK(name_of(analysed, placed(analysed, "k1").library_call) == "cublasGemmEx");
  CHECK(name_of(analysed, placed(analysed, "k1").layer) == "fc");
  CHECK(placed(analysed, "k2").library_call == kNoRow);
  CHECK(name_of(analysed, placed(analysed, "k2").layer) == "fc");
  CHECK(name_of(analysed, placed(analysed, "k3").layer) == "relu");
  CHECK(placed(analysed, "k4").layer == kNoRow);
  CHECK(placed(analysed, "k4").evaluation == 0);
  // Another thread: nothing there by time.
  CHECK(placed(analysed, "k5").evaluation == kNoEvaluation);
}

TEST_CASE("a call that lies in two layers of its thread is ambiguous, and its kernel in neither") {
  TraceBuilder builder;
  builder.add_process(1);
  for (uint32_t i = 0; i < 2; ++i) {
    SpanSpec layer = host_span(LEVEL_LAYER, 2 + i, 1, 10 + 5 * i, 60 + 5 * i, numbered("layer", i));
    builder.add(layer);
  }
  builder.add(host_span(LEVEL_MODEL, 1, 0, 0, 100, "Net"));
  SpanSpec call = launch(1, 0, 30, 1);
  call.ring = 0x20000;
  builder.add(call);
  builder.add_executions({{.begin = 40, .end = 50, .name = "kernel", .launch = 1, .launch_ring = 0x20000}});
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.parents.ambiguous[static_cast<size_t>(analysis::Level::kRuntime)] == 1);
  CHECK(placed(analysed, "kernel").layer == kNoRow);
}

TEST_CASE("placement agrees with a walk over the names, on random traces") {
  std::mt19937 random(GENERATE(1u, 2u, 3u, 4u));
  const auto pick = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  for (int round = 0; round < 25; ++round) {
    TraceBuilder builder;
    builder.add_process(1);
    struct Launch {
      uint32_t id = 0;
      std::string layer;
      std::string library;
      uint32_t evaluation = kNoEvaluation;
      uint32_t ordinal = UINT32_MAX;
      uint64_t correlation = 0;
    };
    std::vector<Launch> launches;
    uint32_t id = 0;
    uint64_t correlation = 1000;
    int64_t now = 0;
    const uint32_t evaluations = 1 + pick(4);
    for (uint32_t e = 0; e < evaluations; ++e) {
      const uint32_t root = ++id;
      const int64_t begin = now;
      std::vector<SpanSpec> spans;
      const uint32_t layers = pick(4);
      for (uint32_t l = 0; l < layers; ++l) {
        const uint32_t layer = ++id;
        const int64_t layer_begin = ++now;
        const std::string layer_name = numbered("e", e) + numbered("l", l);
        for (uint32_t k = pick(4); k > 0; --k) {
          uint32_t parent = layer;
          Launch one{.layer = layer_name, .evaluation = e, .ordinal = l};
          const int64_t call_begin = ++now;
          if (pick(2) == 0) {
            parent = ++id;
            one.library = numbered("lib", id);
          }
          one.id = ++id;
          one.correlation = ++correlation;
          ++now;
          spans.push_back(launch(one.id, parent, now, one.correlation));
          now += 6;
          if (parent != layer) spans.push_back(host_span(LEVEL_LIBRARY, parent, layer, call_begin, ++now, one.library));
          launches.push_back(one);
        }
        spans.push_back(host_span(LEVEL_LAYER, layer, root, layer_begin, ++now, layer_name));
      }
      if (pick(3) == 0) {
        launches.push_back({.id = ++id, .evaluation = e, .correlation = ++correlation});
        spans.push_back(launch(id, root, ++now, correlation));
        now += 6;
      }
      for (const SpanSpec& one : spans) builder.add(one);
      builder.add(host_span(LEVEL_MODEL, root, 0, begin, ++now, "Net"));
      ++now;
      if (pick(3) == 0) {
        launches.push_back({.id = ++id, .correlation = ++correlation});
        builder.add(launch(id, 0, now, correlation));
        now += 6;
      }
    }
    if (launches.empty()) continue;
    std::vector<ExecutionSpec> executions;
    std::vector<std::pair<uint32_t, uint32_t>> truth;  // launch, capture + 1
    const uint32_t count = pick(30);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t from = pick(static_cast<uint32_t>(launches.size()));
      const uint32_t capture = pick(3) == 0 ? 1 + pick(static_cast<uint32_t>(launches.size())) : 0;
      ExecutionSpec one{.begin = static_cast<int64_t>(pick(1000)), .name = std::to_string(i)};
      one.end = one.begin + pick(50);
      if (pick(2) == 0) one.launch = launches[from].id;
      one.correlation = launches[from].correlation;
      if (capture != 0) one.capture = launches[capture - 1].id;
      executions.push_back(one);
      truth.emplace_back(from, capture);
    }
    if (!executions.empty()) builder.add_executions(executions);
    const Analysed analysed({builder.bytes()});
    REQUIRE(analysed.executions.placed.size() == executions.size());
    std::map<uint32_t, size_t> per_evaluation;
    std::vector<bool> used(launches.size());
    for (size_t i = 0; i < executions.size(); ++i) {
      const PlacedExecution& found = analysed.executions.placed[i];
      const Launch& from = launches[truth[i].first];
      const Launch* around = &from;
      used[truth[i].first] = true;
      if (truth[i].second != 0 && !launches[truth[i].second - 1].layer.empty()) {
        around = &launches[truth[i].second - 1];
      }
      REQUIRE(analysed.trace.spans.id[found.launch] == from.id);
      REQUIRE(found.evaluation == from.evaluation);
      REQUIRE(name_of(analysed, found.layer) == around->layer);
      REQUIRE(name_of(analysed, found.library_call) == around->library);
      REQUIRE(found.layer_ordinal == around->ordinal);
      if (found.evaluation != kNoEvaluation) ++per_evaluation[found.evaluation];
    }
    const auto& all = analysed.executions;
    REQUIRE(all.first_of.size() == evaluations + 1);
    for (uint32_t e = 0; e < evaluations; ++e) {
      REQUIRE(all.first_of[e + 1] - all.first_of[e] == per_evaluation[e]);
      for (size_t i = all.first_of[e] + 1; i < all.first_of[e + 1]; ++i) {
        const auto key = [&](uint32_t execution) {
          return std::pair(analysed.trace.spans.begin[all.placed[execution].launch],
                           analysed.trace.spans.begin[analysed.trace.executions.row[execution]]);
        };
        REQUIRE(key(all.in_evaluation[i - 1]) <= key(all.in_evaluation[i]));
      }
    }
    REQUIRE(all.without_execution == static_cast<uint64_t>(std::count(used.begin(), used.end(), false)));
  }
}

TEST_CASE("the length of a union agrees with counting, on random intervals") {
  std::mt19937 random(GENERATE(1u, 2u, 3u));
  for (int round = 0; round < 300; ++round) {
    std::vector<std::pair<int64_t, int64_t>> intervals;
    std::vector<bool> covered(200);
    for (uint32_t i = random() % 12; i > 0; --i) {
      const auto begin = static_cast<int64_t>(random() % 150);
      const auto end = begin + static_cast<int64_t>(random() % 40);
      intervals.emplace_back(begin, end);
      for (auto at = begin; at < end; ++at) covered[static_cast<size_t>(at)] = true;
    }
    REQUIRE(analysis::union_length(&intervals) == std::count(covered.begin(), covered.end(), true));
  }
}

}  // namespace
}  // namespace xsp::test
