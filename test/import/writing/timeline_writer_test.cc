#include "import/frame/profile_timeline.h"
#include "test/catch.h"
#include "test/import/read_timeline.h"

namespace xsp::test {
namespace {

ImportedSpan span_of(ImportedProcess& process, std::string_view name, int64_t begin, int64_t end) {
  ImportedSpan span;
  span.begin_ns = begin;
  span.end_ns = end;
  span.name = process.text(name);
  return span;
}

ImportedSpan call_of(ImportedProcess& process, std::string_view name, int64_t begin, int64_t end,
                     uint32_t correlation) {
  ImportedSpan span = span_of(process, name, begin, end);
  span.level = wire::Level::kRuntime;
  span.kind = wire::Kind::kRuntimeCall;
  span.correlation = correlation;
  return span;
}

ImportedExecution kernel_of(ImportedProcess& process, std::string_view name, int64_t begin, int64_t end,
                            uint32_t correlation) {
  ImportedExecution execution;
  execution.begin_ns = begin;
  execution.end_ns = end;
  execution.name = process.text(name);
  execution.correlation = correlation;
  return execution;
}

TEST_CASE("spans of a thread nest by time, whatever the order they were added in") {
  ProfileTimeline timeline;
  ImportedProcess& process = timeline.process(7);
  const uint32_t thread = process.thread(70);
  process.add_span(thread, span_of(process, "inner", 20, 30));
  process.add_span(thread, span_of(process, "after", 60, 70));
  process.add_span(thread, span_of(process, "outer", 10, 50));
  process.add_span(thread, span_of(process, "same, first", 80, 90));
  process.add_span(thread, span_of(process, "same, second", 80, 90));
  process.add_span(process.thread(71), span_of(process, "elsewhere", 20, 25));
  const ImportedTrace trace = read_timeline(&timeline);

  CHECK(trace.span("inner").parent_name == "outer");
  CHECK(trace.span("outer").parent == 0);
  CHECK(trace.span("after").parent == 0);
  CHECK(trace.span("same, second").parent_name == "same, first");
  CHECK(trace.span("elsewhere").parent == 0);
  CHECK(trace.span("elsewhere").thread == 71);
  CHECK(trace.spans[0].name == "inner");
  CHECK(trace.span("outer").id == 1);
  CHECK(trace.span("outer").begin == 1'000'000);
  CHECK(trace.span("after").end == 1'000'060);
  CHECK(trace.totals.spans == 6);
  CHECK(trace.totals.overlapping == 0);
  CHECK(trace.processes.at(0).pid() == 7);
}

TEST_CASE("a child may stick out of its parent by the resolution, and not by more") {
  const auto parent_of = [](int64_t resolution, int64_t end) {
    ProfileTimeline timeline;
    timeline.set_resolution(resolution);
    ImportedProcess& process = timeline.process(1);
    process.add_span(process.thread(1), span_of(process, "outer", 0, 10'000));
    process.add_span(process.thread(1), span_of(process, "child", 5'000, end));
    const ImportedTrace trace = read_timeline(&timeline);
    CHECK(trace.has_note("crosses another one") == (trace.totals.overlapping == 1));
    return trace.span("child").parent_name;
  };
  CHECK(parent_of(1000, 11'000) == "outer");
  CHECK(parent_of(1000, 11'001).empty());
  CHECK(parent_of(0, 10'000) == "outer");
  CHECK(parent_of(0, 10'001).empty());
}

TEST_CASE("a layer with a scope has no parent, and may be the launch of an execution") {
  ProfileTimeline timeline;
  ImportedProcess& process = timeline.process(1);
  const uint32_t thread = process.thread(1);
  process.add_span(thread, span_of(process, "run", 0, 100));
  for (const char* name : {"late", "early"}) {
    ImportedSpan node = span_of(process, name, name[0] == 'l' ? 10 : 5, name[0] == 'l' ? 20 : 120);
    node.level = wire::Level::kLayer;
    node.kind = wire::Kind::kOperator;
    node.scope = process.text("session");
    node.correlation = name[0] == 'l' ? 7 : 8;
    process.add_span(thread, node);
  }
  process.add_span(thread, span_of(process, "inner", 11, 12));
  process.add_execution(kernel_of(process, "kernel", 15, 16, 7));
  const ImportedTrace trace = read_timeline(&timeline);
  CHECK(trace.span("early").parent == 0);
  CHECK(trace.span("early").scope == "session");
  CHECK(trace.span("early").thread == 1);
  CHECK(trace.span("early").id == 1);
  CHECK(trace.span("late").id == 2);
  CHECK(trace.span("inner").parent_name == "run");
  CHECK(trace.execution("kernel").launch_name == "late");
  CHECK(trace.totals.overlapping == 0);
  CHECK(trace.totals.spans == 4);
  CHECK(trace.totals.without_launch == 0);
}

TEST_CASE("a span that begins where another ends is no child of it, however short") {
  ProfileTimeline timeline;
  timeline.set_resolution(1000);
  ImportedProcess& process = timeline.process(1);
  process.add_span(process.thread(1), span_of(process, "first", 0, 5'000));
  process.add_span(process.thread(1), span_of(process, "second", 5'000, 6'000));
  CHECK(read_timeline(&timeline).span("second").parent == 0);
}

TEST_CASE("what called a span is told where the resolution leaves it open") {
  ProfileTimeline timeline;
  timeline.set_resolution(1000);
  ImportedProcess& process = timeline.process(7);
  const uint32_t thread = process.thread(70);
  const auto add = [&](std::string_view name, int64_t begin, int64_t end, uint32_t turn, uint32_t caller) {
    const ImportedSpanId id = process.add_span(thread, span_of(process, name, begin, end));
    process.set_call(id, turn, caller);
    return id.number + 1;
  };
  const uint32_t outer = add("outer", 0, 5000, 1, 0);
  add("sticks out", 5000, 6000, 2, outer);
  add("behind", 6000, 6000, 3, 0);
  // Of two that begin together the short one came first.
  add("in long", 6000, 7000, 6, add("long", 6000, 9000, 5, 0));
  add("short", 6000, 6000, 4, 0);
  const ImportedTrace trace = read_timeline(&timeline);

  CHECK(trace.span("sticks out").parent_name == "outer");
  CHECK(trace.span("behind").parent == 0);
  CHECK(trace.span("short").parent == 0);
  CHECK(trace.span("long").parent == 0);
  CHECK(trace.span("in long").parent_name == "long");
  CHECK(trace.totals.overlapping == 0);
}

TEST_CASE("a caller that is told and does not hold the span by time is none") {
  ProfileTimeline timeline;
  timeline.set_resolution(1000);
  ImportedProcess& process = timeline.process(7);
  const uint32_t thread = process.thread(70);
  const uint32_t early = process.add_span(thread, span_of(process, "early", 0, 1000)).number + 1;
  process.add_span(thread, span_of(process, "around", 3000, 9000));
  const ImportedSpanId late = process.add_span(thread, span_of(process, "late", 4000, 5000));
  process.set_call({thread, early - 1}, 1, 0);
  process.set_call(late, 2, early);
  const ImportedTrace trace = read_timeline(&timeline);

  CHECK(trace.span("late").parent_name == "around");
}

TEST_CASE("of two spans that cross, neither has the other, and both keep what contains and what they contain") {
  ProfileTimeline timeline;
  ImportedProcess& process = timeline.process(1);
  const uint32_t thread = process.thread(1);
  process.add_span(thread, span_of(process, "all", 0, 100));
  process.add_span(thread, span_of(process, "left", 10, 50));
  process.add_span(thread, span_of(process, "in left", 20, 25));
  process.add_span(thread, span_of(process, "right", 30, 70));
  process.add_span(thread, span_of(process, "in both", 40, 45));
  process.add_span(thread, span_of(process, "in right", 60, 65));
  const ImportedTrace trace = read_timeline(&timeline);
  CHECK(trace.span("left").parent_name == "all");
  CHECK(trace.span("right").parent_name == "all");
  CHECK(trace.span("in left").parent_name == "left");
  CHECK(trace.span("in both").parent_name == "right");
  CHECK(trace.span("in right").parent_name == "right");
  CHECK(trace.totals.overlapping == 1);
}

TEST_CASE("calls nested a hundred thousand deep are nested in linear time") {
  ProfileTimeline timeline;
  ImportedProcess& process = timeline.process(1);
  constexpr int64_t kDepth = 100'000;
  for (int64_t i = 0; i < kDepth; ++i) process.add_span(process.thread(1), call_of(process, "f", i, 3 * kDepth - i, 1));
  const ImportedTrace trace = read_timeline(&timeline);
  CHECK(trace.spans.front().parent == kDepth - 1);
  CHECK(trace.spans.back().parent == 0);
}

TEST_CASE("an execution finds the call with its correlation id") {
  ProfileTimeline timeline;
  ImportedProcess& process = timeline.process(1);
  process.add_span(process.thread(1), call_of(process, "cudaLaunchKernel", 10, 20, 5));
  process.add_span(process.thread(1), call_of(process, "cuLaunchKernel", 12, 18, 5));
  process.add_span(process.thread(1), call_of(process, "one", 30, 31, 6));
  process.add_span(process.thread(2), call_of(process, "another", 30, 31, 6));
  ImportedSpan annotation = span_of(process, "no call", 40, 50);
  annotation.correlation = 7;
  process.add_span(process.thread(1), annotation);
  process.add_execution(kernel_of(process, "late", 60, 70, 5));
  process.add_execution(kernel_of(process, "early", 15, 25, 5));
  process.add_execution(kernel_of(process, "ambiguous", 35, 40, 6));
  process.add_execution(kernel_of(process, "unknown", 60, 70, 7));
  const ImportedTrace trace = read_timeline(&timeline);
  CHECK(trace.execution("late").launch_name == "cudaLaunchKernel");
  CHECK(trace.execution("early").launch_name == "cudaLaunchKernel");
  CHECK(trace.execution("ambiguous").launch_name.empty());
  CHECK(trace.execution("unknown").launch_name.empty());
  CHECK(trace.executions.front().name == "early");
  CHECK(trace.totals.executions == 4);
  CHECK(trace.totals.without_launch == 2);
  CHECK(trace.has_note("correlation id several calls have, left without launch: 1"));
}

TEST_CASE("executions of a process without calls go to the only one that launched them, with device and counters") {
  ProfileTimeline timeline;
  ImportedProcess& device = timeline.process(0);
  ImportedProcess& host = timeline.process(9);
  host.text("moves the ids of the texts apart");
  device.add_device({.index = 3, .name = "H100"});
  device.add_execution(kernel_of(device, "kernel", 50, 60, 4));
  device.add_counter(0, "dram_read_bytes", 640);
  host.add_span(host.thread(1), call_of(host, "launch", 10, 20, 4));
  const ImportedTrace trace = read_timeline(&timeline);
  REQUIRE(trace.processes.size() == 1);
  CHECK(trace.processes[0].pid() == 9);
  CHECK(trace.execution("kernel").launch_name == "launch");
  CHECK(trace.devices.at(0).name() == "H100");
  REQUIRE(trace.counters.size() == 1);
  CHECK(trace.counters[0].kernel == "kernel");
  CHECK(trace.counters[0].metric == "dram_read_bytes");
  CHECK(trace.counters[0].value == 640);
}

TEST_CASE("counters name executions as they stand in the trace") {
  ProfileTimeline timeline;
  ImportedProcess& process = timeline.process(1);
  process.add_execution(kernel_of(process, "second", 50, 60, 0));
  process.add_execution(kernel_of(process, "first", 10, 20, 0));
  process.add_counter(0, "flops", 2);
  process.add_counter(1, "flops", 1);
  process.add_counter(1, "bytes", 100);
  const ImportedTrace trace = read_timeline(&timeline);
  REQUIRE(trace.counters.size() == 3);
  CHECK(trace.counters[0].kernel == "first");
  CHECK(trace.counters[0].execution == 0);
  CHECK(trace.counters[2].kernel == "second");
  CHECK(trace.counters[2].execution == 1);
  CHECK(trace.counters[2].value == 2);
}

TEST_CASE("a backward span names its forward span on another thread") {
  ProfileTimeline timeline;
  ImportedProcess& process = timeline.process(1);
  const uint32_t first = process.thread(1);
  const uint32_t second = process.thread(2);
  process.add_span(second, span_of(process, "other", 5, 6));
  const ImportedSpanId backward = process.add_span(first, span_of(process, "backward", 50, 60));
  const ImportedSpanId forward = process.add_span(second, span_of(process, "forward", 1, 2));
  process.link_forward(backward, forward);
  const ImportedTrace trace = read_timeline(&timeline);
  CHECK(trace.span("backward").forward_name == "forward");
  CHECK(trace.span("other").forward_name.empty());
}

TEST_CASE("a thread whose parents are told nests as told") {
  ProfileTimeline timeline;
  ImportedProcess& process = timeline.process(1);
  const uint32_t thread = process.thread(1);
  const ImportedSpanId first = process.add_span(thread, span_of(process, "first", 5, 50));
  const ImportedSpanId all = process.add_span(thread, span_of(process, "all", 0, 100));
  const ImportedSpanId second = process.add_span(thread, span_of(process, "second", 10, 60));
  const ImportedSpanId child = process.add_span(thread, span_of(process, "child", 20, 30));
  process.set_parent(first, all);
  process.set_parent(second, all);
  process.set_parent(child, first);
  process.set_parent(all, second);
  process.add_execution(kernel_of(process, "kernel", 70, 80, 0));
  process.set_launch(0, child);
  const ImportedTrace trace = read_timeline(&timeline);
  CHECK(trace.span("child").parent_name == "first");
  CHECK(trace.span("first").parent_name == "all");
  CHECK(trace.span("second").parent_name == "all");
  CHECK(trace.span("all").parent == 0);
  CHECK(trace.has_note("begins before its parent, left without one: 1"));
  CHECK(trace.execution("kernel").launch_name == "child");
  CHECK(trace.totals.without_launch == 0);
}

TEST_CASE("arguments of operators come back as they were given") {
  ProfileTimeline timeline;
  ImportedProcess& process = timeline.process(1);
  ImportedSpan span = span_of(process, "aten::addmm", 1, 2);
  span.arguments = process.add_arguments({.inputs = "f32[8,64];;", .outputs = "f32[8]", .values = "[1,\"x\"]"});
  CHECK(process.add_arguments({.inputs = "f32[8,64];;", .outputs = "f32[8]", .values = "[1,\"x\"]"}) == span.arguments);
  process.add_span(process.thread(1), span);
  process.add_span(process.thread(1), span_of(process, "none", 1, 2));
  const ImportedTrace trace = read_timeline(&timeline);
  CHECK(trace.span("aten::addmm").inputs == "f32[8,64];;");
  CHECK(trace.span("aten::addmm").outputs == "f32[8]");
  CHECK(trace.span("aten::addmm").operator_values == "[1,\"x\"]");
  CHECK(trace.span("none").layout.empty());
}

TEST_CASE("times that cannot be are left out or taken as none, and counted") {
  ProfileTimeline timeline;
  ImportedProcess& process = timeline.process(1);
  process.add_span(process.thread(1), span_of(process, "sound", 10, 20));
  process.add_span(process.thread(1), span_of(process, "far", 10, INT64_MAX));
  process.add_span(process.thread(1), span_of(process, "early", INT64_MIN, 30));
  process.add_span(process.thread(1), span_of(process, "inverted", 12, 11));
  process.add_execution(kernel_of(process, "far", INT64_MAX - 1, INT64_MAX, 0));
  process.link_forward({0, 0}, {0, 1});
  process.link_forward({0, 0}, {8, 1});
  const ImportedTrace trace = read_timeline(&timeline);
  CHECK(trace.spans.size() == 2);
  CHECK(trace.executions.empty());
  CHECK(trace.span("inverted").begin == trace.span("inverted").end);
  CHECK(trace.span("inverted").parent_name == "sound");
  CHECK(trace.has_note("without a time that can be used, left out: 3"));
  CHECK(trace.has_note("ends before it begins, taken as without duration: 1"));
}

TEST_CASE("the header says where the trace is from and nothing of this machine") {
  ProfileTimeline timeline;
  timeline.set_realtime_origin(1'700'000'000'000'000'000);
  timeline.process(1).add_span(timeline.process(1).thread(1), span_of(timeline.process(1), "a", 5'000'000, 6'000'000));
  timeline.process(1).set_name("/usr/bin/python3");
  timeline.process(1).set_variable("RANK", "3");
  timeline.note("three things", 3);
  timeline.note("for information", 0);
  const ImportedTrace trace = read_timeline(&timeline, "kineto", {.layers = "op", .model_span = "step.*"});
  CHECK(trace.header.format_version() == 1);
  CHECK(trace.header.source() == "kineto");
  CHECK(trace.header.source_file(0) == "profile");
  CHECK(trace.header.layers() == "op");
  CHECK(trace.header.model_span() == "step.*");
  CHECK(trace.header.hostname().empty());
  CHECK(trace.header.cpu_model().empty());
  CHECK(trace.header.realtime_offset_ns() == 1'700'000'000'004'000'000);
  CHECK(trace.header.trace_id().size() == 16);
  CHECK(trace.processes.at(0).executable() == "/usr/bin/python3");
  CHECK(trace.processes.at(0).environment().at("RANK") == "3");
  CHECK(trace.has_note("three things: 3"));
  CHECK(trace.has_note("for information"));
}

}  // namespace
}  // namespace xsp::test
