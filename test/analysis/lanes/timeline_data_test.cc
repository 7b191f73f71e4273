#include "analysis/lanes/timeline_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "test/analysis/support/recorded_runs.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using Json = nlohmann::json;

/// A slice as a reader of the columns finds it.
struct Slice {
  size_t lane = 0;
  size_t row = 0;  // in the lane
  int64_t begin = 0;
  int64_t end = 0;
  std::string name;
  int64_t parent = -1;
  int64_t layer = -1;
  int64_t execution = -1;
  int64_t call = -1;
  int64_t evaluation = -1;
  int64_t launched_ns = -1;  // its launch is not drawn and began so long before
};

/// Reads the data as the page's script does.
struct Timeline {
  Json data;
  std::vector<Slice> slices;

  explicit Timeline(const analysis::AnalysedTrace& analysed, size_t limit = 150'000)
      : data(Json::parse(analysis::timeline_json(analysed, {.slices = limit}))) {
    const Json& columns = data["slices"];
    const auto value = [&](const char* column, size_t i) {
      return columns.contains(column) ? columns[column][i].get<int64_t>() : -1;
    };
    std::vector<int64_t> begin_of_part;
    for (size_t lane = 0; lane < data["lanes"].size(); ++lane) {
      const auto part = std::find_if(data["parts"].begin(), data["parts"].end(),
                                     [&](const Json& of) { return lane < of["lanes"][1].get<size_t>(); });
      const int64_t part_begin = std::stoll((*part)["begin_ns"].get<std::string>());
      const Json& rows = data["lanes"][lane]["rows"];
      for (size_t row = 0; row < rows.size(); ++row) {
        int64_t last = part_begin;
        for (size_t i = 0; i < rows[row].get<size_t>(); ++i) {
          const size_t index = slices.size();
          Slice slice{.lane = lane, .row = row, .begin = last + value("gap", index)};
          slice.end = last = slice.begin + value("duration", index);
          if (const int64_t name = value("name", index); name >= 0) slice.name = data["texts"][name];
          const int64_t distance = value("parent", index);
          if (distance != 0) slice.parent = static_cast<int64_t>(index) - distance;
          slice.layer = value("layer", index);
          slice.execution = value("execution", index);
          slice.call = value("call", index);
          slice.evaluation = value("evaluation", index);
          slices.push_back(slice);
        }
      }
    }
    CHECK(slices.size() == columns["count"].get<size_t>());
    if (!columns.contains("launched")) return;
    size_t slice = 0;
    for (size_t i = 0; i < columns["launched"].size(); ++i) {
      slice += columns["launched"][i].get<size_t>();
      slices[slice].launched_ns = columns["launched_ns"][i];
    }
  }

  /// "model thread 100", "stream 0/7"
  std::string lane(size_t i) const {
    const Json& lane = data["lanes"][i];
    const std::string kind = lane["kind"];
    return lane.contains("stream") ? fmt::format("{} {}/{}", kind, lane["device"].get<int>(), lane["stream"].get<int>())
                                   : fmt::format("{} thread {}", kind, lane["thread"].get<int>());
  }

  std::vector<std::string> lanes() const {
    std::vector<std::string> all;
    for (size_t i = 0; i < data["lanes"].size(); ++i) all.push_back(lane(i));
    return all;
  }

  const Slice& of(const std::string& name) const {
    const auto found = std::find_if(slices.begin(), slices.end(), [&](const Slice& s) { return s.name == name; });
    REQUIRE(found != slices.end());
    return *found;
  }
};

SpanSpec span(int level, uint32_t id, uint32_t parent, int64_t begin, int64_t end, const std::string& name) {
  SpanSpec spec{.begin = begin, .end = end, .id = id, .parent = parent, .level = level, .name = name};
  if (level == LEVEL_MODEL) spec.kind = KIND_TORCH_ROOT;
  if (level == LEVEL_LAYER) spec.kind = KIND_TORCH_MODULE;
  if (level == LEVEL_LIBRARY) spec.kind = KIND_LIBRARY_CALL;
  if (level == LEVEL_RUNTIME) spec.kind = KIND_RUNTIME_CALL;
  return spec;
}

/// Spans of random times and levels on some threads, and kernels on some streams.
std::string random_trace(uint32_t seed, size_t spans) {
  std::mt19937 random(seed);
  const auto below = [&](int64_t count) { return static_cast<int64_t>(random() % static_cast<uint64_t>(count)); };
  TraceBuilder builder;
  builder.add_process(10);
  std::vector<ExecutionSpec> executions;
  for (size_t i = 0; i < spans; ++i) {
    const int64_t begin = 1000 + below(100'000);
    const int64_t length = below(10) == 0 ? below(40'000) : below(300);
    if (i % 4 == 3) {
      ExecutionSpec run{.begin = begin, .end = begin + length, .name = fmt::format("kernel{}", below(5))};
      run.launch = static_cast<uint32_t>(1 + below(static_cast<int64_t>(spans)));
      run.stream = static_cast<uint32_t>(7 + below(3));
      executions.push_back(run);
      continue;
    }
    const int level = static_cast<int>(1 + below(5));
    SpanSpec spec = span(level, static_cast<uint32_t>(i + 1), 0, begin, begin + length, fmt::format("span{}", i));
    spec.thread = static_cast<uint32_t>(100 + below(2));
    spec.ring = spec.thread - 100;
    builder.add(spec);
  }
  builder.add_executions(executions);
  return builder.bytes();
}

TEST_CASE("where the times of D1 count from is said, if there is a D1") {
  TraceBuilder builder;
  builder.add_process(7);
  std::vector<ExecutionSpec> executions;
  for (int64_t i = 0; i < 60; ++i) {
    executions.push_back({.begin = 9000 + 100 * i, .end = 9050 + 100 * i, .name = "kernel" + std::to_string(i % 5)});
  }
  builder.add_executions(executions);
  builder.add_evaluation(0, {1, 2});
  const Analysed analysed({builder.bytes()});
  CHECK_FALSE(Timeline(analysed).data.contains("iterations"));
  const analysis::Table iterations = analysed.table("D1");
  REQUIRE(iterations.rows.size() > 2);
  const Timeline timeline(analysed);
  const Json& from = timeline.data["iterations"];
  const int64_t part_begin =
      std::stoll(timeline.data["parts"][from["part"].get<size_t>()]["begin_ns"].get<std::string>());
  CHECK(part_begin + from["begin"].get<int64_t>() == 9000);
}

TEST_CASE("a thread has a lane for each level with spans, a stream one for its work and one for the rest") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(span(LEVEL_MODEL, 1, 0, 100, 900, "Net"));
  builder.add(span(LEVEL_LAYER, 2, 1, 110, 500, "conv"));
  builder.add(span(LEVEL_LIBRARY, 3, 2, 120, 400, "cudnnConvolutionForward"));
  builder.add(span(LEVEL_RUNTIME, 4, 3, 130, 140, "cudaLaunchKernel"));
  SpanSpec other = span(LEVEL_APPLICATION, 1, 0, 50, 60, "load");
  other.thread = 200;
  other.ring = 1;
  builder.add(other);
  builder.add_executions({{.begin = 200, .end = 300, .name = "gemm", .launch = 4},
                          {.begin = 200, .end = 290, .name = "wait", .kind = KIND_SYNCHRONIZATION},
                          {.begin = 500, .end = 600, .name = "copy", .kind = KIND_MEMCPY, .device = 1, .stream = 9}});
  const Timeline timeline(Analysed({builder.bytes()}));
  CHECK(timeline.lanes() == std::vector<std::string>{"application thread 200", "model thread 100", "layer thread 100",
                                                     "library thread 100", "runtime thread 100", "stream 0/7",
                                                     "other 0/7", "stream 1/9"});
}

TEST_CASE("modules around layers, and operators and ranges inside them, have lanes of their own") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(span(LEVEL_MODEL, 1, 0, 100, 900, "Net"));
  builder.add(span(LEVEL_LAYER, 2, 1, 110, 800, "block"));
  builder.add(span(LEVEL_LAYER, 3, 2, 120, 500, "conv"));
  SpanSpec inner = span(LEVEL_APPLICATION, 4, 3, 130, 400, "aten::conv2d");
  inner.kind = KIND_OPERATOR;
  builder.add(inner);
  SpanSpec range = span(LEVEL_APPLICATION, 5, 3, 420, 430, "range");
  range.kind = KIND_ANNOTATION;
  builder.add(range);
  const Timeline timeline(Analysed({builder.bytes()}));
  CHECK(timeline.lane(timeline.of("range").lane) == "operator thread 100");
  CHECK(timeline.lane(timeline.of("block").lane) == "module thread 100");
  CHECK(timeline.lane(timeline.of("conv").lane) == "layer thread 100");
  CHECK(timeline.lane(timeline.of("aten::conv2d").lane) == "operator thread 100");
  CHECK(timeline.slices[static_cast<size_t>(timeline.of("conv").parent)].name == "block");
}

TEST_CASE("every span is a slice with its exact times") {
  const Analysed analysed({random_trace(1, 500)});
  const Timeline timeline(analysed);
  std::multiset<std::tuple<int64_t, int64_t, std::string>> expected;
  std::multiset<std::tuple<int64_t, int64_t, std::string>> found;
  const auto& spans = analysed.trace.spans;
  for (analysis::Row row = 0; row < spans.size(); ++row) {
    expected.emplace(spans.begin[row], spans.end[row], analysed.trace.text(spans.name[row]));
  }
  for (const Slice& slice : timeline.slices) found.emplace(slice.begin, slice.end, slice.name);
  CHECK(found == expected);
}

TEST_CASE("slices of a lane's row never overlap, and what contains another one lies above it") {
  for (uint32_t seed = 1; seed < 20; ++seed) {
    const Timeline timeline(Analysed({random_trace(seed, 300)}));
    for (size_t i = 1; i < timeline.slices.size(); ++i) {
      const Slice& a = timeline.slices[i - 1];
      const Slice& b = timeline.slices[i];
      if (a.lane == b.lane && a.row == b.row) CHECK(b.begin >= a.end);
    }
    for (const Slice& outer : timeline.slices) {
      for (const Slice& inner : timeline.slices) {
        const bool contains = outer.begin < inner.begin && inner.end < outer.end;
        if (contains && outer.lane == inner.lane) CHECK(outer.row < inner.row);
      }
    }
  }
}

TEST_CASE("what needs more rows than a lane has is not drawn singly") {
  TraceBuilder builder;
  builder.add_process(1);
  for (uint32_t i = 0; i < 100; ++i) {
    builder.add(span(LEVEL_APPLICATION, i + 1, 0, 1000 + i, 9000 - i, fmt::format("depth{}", i)));
  }
  const Timeline timeline(Analysed({builder.bytes()}));
  CHECK(timeline.slices.size() == 64);
  CHECK(timeline.data["lanes"][0]["shaded"] == 36);
}

TEST_CASE("the parent of an execution is its launch, for all kernels of a graph") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(span(LEVEL_RUNTIME, 1, 0, 100, 110, "cudaLaunchKernel"));
  builder.add(span(LEVEL_RUNTIME, 2, 0, 120, 130, "cudaGraphLaunch"));
  builder.add_executions({{.begin = 200, .end = 210, .name = "node1", .launch = 2, .graph_node = 1, .graph = 1},
                          {.begin = 210, .end = 220, .name = "single", .launch = 1},
                          {.begin = 220, .end = 230, .name = "node2", .launch = 2, .graph_node = 2, .graph = 1},
                          {.begin = 230, .end = 240, .name = "unknown"}});
  const Timeline timeline(Analysed({builder.bytes()}));
  const auto launch_of = [&](const char* name) {
    const int64_t parent = timeline.of(name).parent;
    return parent < 0 ? "" : timeline.slices[static_cast<size_t>(parent)].name;
  };
  CHECK(launch_of("node1") == "cudaGraphLaunch");
  CHECK(launch_of("node2") == "cudaGraphLaunch");
  CHECK(launch_of("single") == "cudaLaunchKernel");
  CHECK(launch_of("unknown").empty());
}

TEST_CASE("beyond the limit each lane keeps its longest spans, and all others are accounted for exactly") {
  constexpr size_t kLimit = 80;
  const Analysed analysed({random_trace(3, 1000)});
  const Timeline all(analysed);
  const Timeline some(analysed, kLimit);
  CHECK(some.slices.size() == kLimit);
  const size_t lanes = some.data["lanes"].size();
  REQUIRE(lanes == all.data["lanes"].size());
  for (size_t lane = 0; lane < lanes; ++lane) {
    const Json& data = some.data["lanes"][lane];
    std::vector<int64_t> lengths;
    std::vector<int64_t> drawn;
    for (const Slice& slice : all.slices) {
      if (slice.lane == lane) lengths.push_back(slice.end - slice.begin);
    }
    for (const Slice& slice : some.slices) {
      if (slice.lane == lane) drawn.push_back(slice.end - slice.begin);
    }
    std::sort(lengths.rbegin(), lengths.rend());
    std::sort(drawn.rbegin(), drawn.rend());
    CHECK(drawn.size() >= std::min(kLimit / 2 / lanes, lengths.size()));
    CHECK(std::equal(drawn.begin(), drawn.end(), lengths.begin()));

    int64_t shaded = 0;
    if (data.contains("shade_ns")) {
      for (const Json& ns : data["shade_ns"]) shaded += ns.get<int64_t>();
    }
    int64_t total = 0;
    for (const int64_t length : lengths) total += length;
    int64_t singly = 0;
    for (const int64_t length : drawn) singly += length;
    CHECK(data["ns"] == total);
    CHECK(data["drawn_ns"] == singly);
    CHECK(singly + shaded == total);
    CHECK(drawn.size() + data.value("shaded", 0u) == lengths.size());
  }
}

TEST_CASE("a bin of the shade has the time that lies in it") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(span(LEVEL_APPLICATION, 1, 0, 0, 2'048'000, "long"));  // bins of 1000
  builder.add(span(LEVEL_APPLICATION, 2, 0, 2500, 6250, "a"));
  builder.add(span(LEVEL_APPLICATION, 3, 0, 6000, 6100, "b"));
  const Timeline timeline(Analysed({builder.bytes()}), 1);
  REQUIRE(timeline.slices.size() == 1);
  CHECK(timeline.slices[0].name == "long");
  CHECK(timeline.data["parts"][0]["bin"] == 1000);
  CHECK(timeline.data["lanes"][0]["shade_bins"] == Json({2, 0, 0, 0, 0}));
  CHECK(timeline.data["lanes"][0]["shade_ns"] == Json({500, 1000, 1000, 1000, 350}));
}

TEST_CASE("an execution whose launch is not drawn singly says how long before it was") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(span(LEVEL_RUNTIME, 1, 0, 100, 110, "cudaLaunchKernel"));
  builder.add(span(LEVEL_RUNTIME, 2, 0, 120, 180, "cudaMalloc"));
  builder.add_executions({{.begin = 200, .end = 300, .name = "gemm", .launch = 1}});
  const Timeline timeline(Analysed({builder.bytes()}), 2);
  REQUIRE(timeline.slices.size() == 2);
  CHECK(timeline.of("gemm").parent == -1);
  CHECK(timeline.of("gemm").launched_ns == 100);
}

RecordedLayer recorded(const std::string& name) {
  return {.name = name, .us = 100, .calls = {{"gemm", 40}}, .kernels = {{name + "_kernel", 20}}};
}

TEST_CASE("slices of all evaluations have the rows of A2, A8 and C1 that they belong to") {
  const RecordedEvaluation evaluation = {recorded("conv"), recorded("fc")};
  const Analysed analysed(
      {record({.level = "kernel", .evaluations = {evaluation, evaluation, evaluation}, .by_itself = true})},
      {.skip = 0});
  const Timeline timeline(analysed);
  const analysis::Table a8 = analysed.table("A8");
  const analysis::Table c1 = analysed.table("C1");
  std::map<std::string, std::multiset<int64_t>> evaluations;
  for (const Slice& slice : timeline.slices) {
    evaluations[slice.name].insert(slice.evaluation);
    if (slice.name == "conv" || slice.name == "conv_kernel") CHECK(slice.layer == 0);
    if (slice.name == "fc" || slice.name == "fc_kernel") CHECK(slice.layer == 1);
    if (slice.name.ends_with("_kernel")) {
      REQUIRE(slice.execution >= 0);
      CHECK(text(a8.rows[static_cast<size_t>(slice.execution)][0]) == slice.name);
    }
    if (slice.name == "gemm") {
      REQUIRE(slice.call >= 0);
      CHECK(number(c1.rows[static_cast<size_t>(slice.call)][3]) == static_cast<double>(slice.layer));
    }
  }
  CHECK(evaluations["conv"] == std::multiset<int64_t>{0, 1, 2});
  CHECK(evaluations["fc_kernel"] == std::multiset<int64_t>{0, 1, 2});
  CHECK(timeline.data["evaluations"]["count"] == 3);
  CHECK(timeline.data["evaluations"]["root"].size() == 3);
}

TEST_CASE("an evaluation with other layers selects no row of A2") {
  const RecordedEvaluation usual = {recorded("conv"), recorded("fc")};
  const RecordedEvaluation other = {recorded("relu")};
  const Analysed analysed({record({.level = "kernel", .evaluations = {usual, usual, other}, .by_itself = true})},
                          {.skip = 0});
  const Timeline timeline(analysed);
  CHECK(timeline.of("conv").layer == 0);
  CHECK(timeline.of("relu").layer == -1);
  CHECK(timeline.of("relu_kernel").execution == -1);
}

TEST_CASE("runs of a set are parts of their own, the one with the kernels first shown") {
  const RecordedEvaluation evaluation = {recorded("conv"), recorded("fc")};
  std::vector<std::string> runs;
  for (const char* level : {"model", "layer", "kernel"}) {
    runs.push_back(record(
        {.index = static_cast<uint32_t>(runs.size() + 1), .level = level, .evaluations = {evaluation, evaluation}}));
  }
  const Timeline timeline(Analysed(runs, {.skip = 0}));
  REQUIRE(timeline.data["parts"].size() == 3);
  CHECK(timeline.data["parts"][1]["label"] == "run 2 (level layer)");
  CHECK(timeline.data["start_part"] == 2);
  for (const Slice& slice : timeline.slices) {
    if (slice.name == "fc") CHECK(slice.layer == 1);
  }
}

TEST_CASE("names that are no UTF-8, and none at all, make valid data") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(span(LEVEL_LAYER, 1, 0, 100, 200, "</script><img onerror=x>\x01"));
  builder.add(span(LEVEL_LAYER, 2, 0, 300, 400, ""));
  const Timeline timeline(Analysed({builder.bytes()}));
  CHECK(timeline.of("</script><img onerror=x>\x01").begin == 100);
  CHECK(timeline.slices.size() == 2);
}

TEST_CASE("times at both ends of what a trace may have overflow nothing") {
  constexpr int64_t kLast = int64_t{1} << 62;
  TraceBuilder builder;
  builder.add_process(1);
  for (uint32_t i = 0; i < 8; ++i) builder.add(span(LEVEL_APPLICATION, i + 1, 0, 0, kLast, fmt::format("{}", i)));
  const Analysed analysed({builder.bytes()});
  const Timeline all(analysed);
  CHECK(all.slices.size() == 8);
  CHECK(all.slices[7].end == kLast);
  const Timeline one(analysed, 1);
  CHECK(one.slices.size() == 1);
  CHECK(one.data["lanes"][0]["shaded"] == 7);
  CHECK(one.data["lanes"][0]["shade_ns"].size() == 2048);
}

TEST_CASE("a trace without spans has an empty timeline") {
  TraceBuilder builder;
  builder.add_process(1);
  const Timeline timeline(Analysed({builder.bytes()}));
  CHECK(timeline.data["parts"].empty());
  CHECK(timeline.data["lanes"].empty());
  CHECK(timeline.slices.empty());
}

}  // namespace
}  // namespace xsp::test
