#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <set>
#include <sstream>

#include "analysis/export/exported_spans.h"
#include "analysis/export/exporter.h"
#include "analysis/export/json_text.h"
#include "analysis/export/kineto_inputs.h"
#include "analysis/export/track_lanes.h"
#include "base/text_encoding.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

using namespace xsp;
using namespace xsp::analysis;
using namespace xsp::test;

namespace {

std::string exported(const Analysed& analysed, const std::string& format) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("xsp-export-" + std::to_string(getpid()))).string();
  const Report report;
  const std::vector<ReportInput> inputs;
  const ExportInput input{.analysed = analysed,
                          .inputs = inputs,
                          .report = [&]() -> const Report& { return report; },
                          .with_command = true};
  ByteSink sink(path);
  const Exporter* exporter = find_exporter(format);
  REQUIRE(exporter != nullptr);
  REQUIRE(exporter->write(input, &sink).ok());
  REQUIRE(sink.finish().ok());
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  std::remove(path.c_str());
  return bytes.str();
}

nlohmann::json exported_json(const Analysed& analysed, const std::string& format) {
  const std::string text = exported(analysed, format);
  REQUIRE(nlohmann::json::accept(text));
  return nlohmann::json::parse(text);
}

/// Events of Chrome's format with this name.
std::vector<nlohmann::json> events_of(const nlohmann::json& page, const std::string& name,
                                      const std::string& phase = "X") {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& event : page["traceEvents"]) {
    if (event["name"] == name && event["ph"] == phase) found.push_back(event);
  }
  return found;
}

/// An evaluation with a layer that launches two kernels, which run at the same time on one stream.
std::string trace_with_kernels(const std::string& kernel = "gemm") {
  TraceBuilder builder;
  builder.add({.begin = 0,
               .end = 10'000,
               .id = 1,
               .level = LEVEL_MODEL,
               .kind = KIND_TORCH_ROOT,
               .name = "Net",
               .input = "[4,3]"});
  builder.add(
      {.begin = 1'000, .end = 9'000, .id = 2, .parent = 1, .kind = KIND_TORCH_MODULE, .name = "fc", .type = "Linear"});
  builder.add({.begin = 2'000,
               .end = 3'000,
               .id = 3,
               .parent = 2,
               .level = LEVEL_RUNTIME,
               .kind = KIND_RUNTIME_CALL,
               .name = "cudaLaunchKernel",
               .correlation = 11});
  builder.add({.begin = 4'000,
               .end = 5'000,
               .id = 4,
               .parent = 2,
               .level = LEVEL_RUNTIME,
               .kind = KIND_RUNTIME_CALL,
               .name = "cudaLaunchKernel",
               .correlation = 12});
  builder.add_executions(
      {{.begin = 5'000,
        .end = 8'001,
        .name = kernel,
        .launch = 3,
        .correlation = 11,
        .configuration = "grid=[80,1,1] block=[256,1,1] registers=32 static_shared=16 dynamic_shared=32"},
       {.begin = 6'000, .end = 7'000, .name = kernel, .launch = 4, .correlation = 12}});
  return builder.bytes();
}

const char* const kFormats[] = {"perfetto", "chrome", "speedscope", "pprof", "folded"};

}  // namespace

TEST_CASE("every kind of activity of a device has a track") {
  std::vector<ExecutionSpec> activities;
  for (int kind = KIND_KERNEL; kind <= KIND_STREAM_INTERVAL; ++kind) {
    activities.push_back({.begin = kind * 100, .end = kind * 100 + 50, .name = "activity", .kind = kind});
  }
  activities.push_back({.begin = 5'000, .end = 5'050, .name = "activity", .kind = KIND_ANNOTATION});
  TraceBuilder builder;
  builder.add_process(4242);
  builder.add_executions(activities);
  const Analysed analysed({builder.bytes()});
  ExportedSpans spans(analysed);
  std::set<ExportedTrack::What> kinds;
  size_t rows = 0;
  for (const ExportedTrack& track : spans.tracks()) {
    kinds.insert(track.what);
    rows += spans.rows(track).size();
  }
  CHECK(kinds.size() == ExportedTrack::kWhats - 1);  // all but threads
  CHECK(rows == activities.size());
}

TEST_CASE("rows of a thread come outer before inner") {
  TraceBuilder builder;
  builder.add({.begin = 10, .end = 20, .id = 3, .parent = 2, .name = "inner"});
  builder.add({.begin = 10, .end = 20, .id = 2, .parent = 1, .level = LEVEL_MODEL, .name = "outer"});
  builder.add({.begin = 0, .end = 9, .id = 4, .level = LEVEL_APPLICATION, .name = "first"});
  const Analysed analysed({builder.bytes()});
  ExportedSpans spans(analysed);
  REQUIRE(spans.tracks().size() == 1);
  std::vector<std::string> names;
  for (const Row row : spans.rows(spans.tracks().front())) names.emplace_back(spans.name(row));
  CHECK(names == std::vector<std::string>{"first", "outer", "inner"});
}

TEST_CASE("spans that overlap stand in lanes of their own") {
  SpanTable table;
  table.resize(4);
  table.begin = {0, 5, 6, 10};
  table.end = {10, 15, 9, 20};
  const std::vector<Row> rows = {0, 1, 2, 3};
  const TrackLanes nested = find_lanes(table, rows, true);
  CHECK(nested.count == 2);
  CHECK(nested.lane == std::vector<uint32_t>{0, 1, 0, 0});
  const TrackLanes following = find_lanes(table, rows, false);
  CHECK(following.count == 3);
  CHECK(following.lane == std::vector<uint32_t>{0, 1, 2, 0});
}

TEST_CASE("each of very many spans that overlap stands in the lowest lane with room") {
  constexpr int64_t kSpans = 200'000;
  SpanTable table;
  table.resize(kSpans + 2);
  std::vector<Row> rows(kSpans + 2);
  std::iota(rows.begin(), rows.end(), 0);
  for (int64_t i = 0; i < kSpans; ++i) {
    table.begin[i] = i;
    table.end[i] = kSpans + 2 * i;
  }
  // Half of the lanes are free by then.
  table.begin[kSpans] = table.begin[kSpans + 1] = 2 * kSpans;
  table.end[kSpans] = 4 * kSpans;
  table.end[kSpans + 1] = 4 * kSpans + 1;
  for (const bool nest : {true, false}) {
    const TrackLanes lanes = find_lanes(table, rows, nest);
    CHECK(lanes.count == kSpans);
    CHECK(lanes.of(kSpans - 1) == kSpans - 1);
    CHECK(lanes.of(kSpans) == 0);
    CHECK(lanes.of(kSpans + 1) == 1);
    const LaneRows lane_rows(rows, lanes);
    CHECK(std::vector<Row>(lane_rows.of(0).begin(), lane_rows.of(0).end()) == std::vector<Row>{0, kSpans});
    CHECK(lane_rows.of(kSpans - 1).size() == 1);
  }
}

TEST_CASE("lanes are those that a search through all of them finds") {
  std::minstd_rand chance(7);
  for (const bool nest : {true, false}) {
    SpanTable table;
    table.resize(2000);
    std::vector<Row> rows(2000);
    std::iota(rows.begin(), rows.end(), 0);
    std::vector<std::pair<int64_t, int64_t>> times(rows.size());
    for (auto& [begin, end] : times) {
      begin = static_cast<int64_t>(chance() % 3000);
      end = -begin - static_cast<int64_t>(chance() % 40);  // sorted: the longest of the same begin first
    }
    std::sort(times.begin(), times.end());
    std::vector<std::vector<int64_t>> open;
    std::vector<uint32_t> expected;
    for (size_t i = 0; i < times.size(); ++i) {
      const int64_t begin = table.begin[i] = times[i].first;
      const int64_t end = table.end[i] = -times[i].second;
      uint32_t lane = 0;
      for (;; ++lane) {
        if (lane == open.size()) open.emplace_back();
        while (!open[lane].empty() && open[lane].back() <= begin) open[lane].pop_back();
        if (open[lane].empty() || (nest && open[lane].back() >= end)) break;
      }
      open[lane].push_back(end);
      expected.push_back(lane);
    }
    CHECK(find_lanes(table, rows, nest).lane == expected);
    CHECK(open.size() > 3);
  }
}

TEST_CASE("an execution has the place of its launch and its own track") {
  const Analysed analysed({trace_with_kernels()});
  ExportedSpans spans(analysed);
  REQUIRE(spans.tracks().size() == 2);
  const ExportedTrack& stream = spans.tracks()[1];
  CHECK(spans.track_label(stream) == "stream 7");
  const ExportedSpan kernel = spans.of(spans.rows(stream).front());
  const SpanPlace place = spans.place(kernel);
  CHECK(place.layer_index == 0);
  CHECK(place.evaluation == 0);
  CHECK(spans.name(place.layer) == "fc");
  CHECK(spans.of(place.launch).correlation == 11);
  CHECK(spans.first_launched(place.launch) == kernel.execution);
}

TEST_CASE("a kernel in Chrome's format says what Kineto says") {
  const Analysed analysed({trace_with_kernels()});
  const nlohmann::json page = exported_json(analysed, "chrome");
  const auto kernels = events_of(page, "gemm");
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0]["cat"] == "kernel");
  CHECK(kernels[0]["dur"] == 3.001);
  CHECK(kernels[0]["args"]["correlation"] == 11);
  CHECK(kernels[0]["args"]["grid"] == nlohmann::json({80, 1, 1}));
  CHECK(kernels[0]["args"]["shared memory"] == 48);
  CHECK(kernels[0]["args"]["stream"] == 7);
  CHECK(kernels[0]["tid"] != kernels[1]["tid"]);  // they overlap
  const auto steps = events_of(page, "ProfilerStep#0");
  REQUIRE(steps.size() == 1);
  CHECK(steps[0]["dur"] == 10);
  CHECK(events_of(page, "nn.Module: fc").size() == 1);
  const auto launches = events_of(page, "ac2g", "s");
  const auto arrivals = events_of(page, "ac2g", "f");
  REQUIRE((launches.size() == 2 && arrivals.size() == 2));
  CHECK(launches[0]["id"] == arrivals[0]["id"]);
}

TEST_CASE("folded stacks add up to A15, and to A2 in a trace without kernels") {
  const Analysed analysed({trace_with_kernels()});
  CHECK(exported(analysed, "folded") == "Net;Linear;fc #0;gemm 4001\n");
  TraceBuilder builder;
  builder.add_evaluation(0, {2, 3});
  const Analysed host({builder.bytes()});
  CHECK(exported(host, "folded") == "Net;A;l0 #0 2000000\nNet;B;l1 #1 3000000\n");
}

TEST_CASE("hostile names stay inside their strings") {
  const std::string hostile = "a;b\n\"\\</script>\x01\xff\xe2\x80\xae" + std::string(100'000, 'x');
  const Analysed analysed({trace_with_kernels(hostile)});
  const std::string valid = valid_utf8(hostile);
  CHECK(events_of(exported_json(analysed, "chrome"), valid).size() == 2);
  const nlohmann::json page = exported_json(analysed, "speedscope");
  bool found = false;
  for (const nlohmann::json& frame : page["shared"]["frames"]) found |= frame["name"] == valid;
  CHECK(found);
  const std::string folded = exported(analysed, "folded");
  CHECK(std::count(folded.begin(), folded.end(), '\n') == 1);
  CHECK(std::count(folded.begin(), folded.end(), ';') == 3);
  CHECK(exported(analysed, "perfetto").find(valid) != std::string::npos);
  CHECK(exported(analysed, "perfetto").find(hostile) == std::string::npos);
}

TEST_CASE("empty traces are exported") {
  const Analysed analysed({TraceBuilder().bytes()});
  for (const char* format : kFormats) exported(analysed, format);
  CHECK(exported(analysed, "folded").empty());
  const nlohmann::json page = exported_json(analysed, "chrome");
  for (const nlohmann::json& event : page["traceEvents"]) CHECK(event["ph"] == "M");
  CHECK(exported_json(analysed, "speedscope")["profiles"].empty());
}

TEST_CASE("processes of one number are told apart") {
  TraceBuilder one;
  one.add_evaluation(0, {2});
  TraceBuilder other;
  other.add_evaluation(5, {3});
  const Analysed analysed({one.bytes(), other.bytes()});
  ExportedSpans spans(analysed);
  REQUIRE(spans.tracks().size() == 2);
  CHECK(spans.process_id(spans.tracks()[0].process) != spans.process_id(spans.tracks()[1].process));
}

TEST_CASE("inputs of operators are written as Kineto writes them") {
  CHECK(kineto_inputs("f32[8,64];;bf16[64]") ==
        R"("Input Dims":[[8,64],[],[64]],"Input type":["float","","c10::BFloat16"])");
  CHECK(kineto_inputs("(f32[1],f32[2,3]);i64[]") ==
        R"("Input Dims":[[[1],[2,3]],[]],"Input type":["float","long int"])");
  CHECK(kineto_inputs("f32[01]").empty());
  CHECK(kineto_inputs("f32[\"]").empty());
  CHECK(kineto_inputs("nonsense").empty());
}

TEST_CASE("times are written exactly") {
  const auto written = [](int64_t ns) {
    std::string text;
    append_microseconds(ns, &text);
    return text;
  };
  CHECK(written(1'234'567) == "1234.567");
  CHECK(written(12'000) == "12");
  CHECK(written(7) == "0.007");
  CHECK(written(-1'001) == "-1.001");
}
