#include "analysis/iterations/stream_classes.h"

#include <string>
#include <vector>

#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::StreamClass;

ExecutionSpec execution(int64_t begin, int64_t end, const std::string& name, int kind, uint32_t stream,
                        uint64_t bytes = 0) {
  return {.begin = begin, .end = end, .name = name, .kind = kind, .stream = stream, .bytes = bytes};
}

std::vector<ExecutionSpec> kernels(size_t count, int64_t length, uint32_t stream) {
  std::vector<ExecutionSpec> all;
  for (size_t i = 0; i < count; ++i) {
    const auto begin = static_cast<int64_t>(i) * 1000;
    all.push_back(execution(begin, begin + length, "k", KIND_KERNEL, stream));
  }
  return all;
}

Analysed trace_of(const std::vector<std::vector<ExecutionSpec>>& streams) {
  TraceBuilder builder;
  builder.add_process(10);
  for (const auto& stream : streams) builder.add_executions(stream);
  return Analysed({builder.bytes()});
}

StreamClass class_of(const Analysed& analysed, uint32_t stream) {
  for (const auto& contents : stream_contents(analysed.trace, 1)) {
    if (analysed.trace.queues[contents.queue].stream == stream) return contents.stream_class;
  }
  FAIL("no such stream");
  return StreamClass::kAssist;
}

TEST_CASE("streams are main, copy or assist by what runs on them") {
  const Analysed analysed = trace_of({kernels(100, 10, 7),
                                      {execution(5, 9, "HtoD", KIND_MEMCPY, 14, 64)},
                                      kernels(1, 1, 15),
                                      {execution(1, 2, "", KIND_MEMSET, 16)}});
  CHECK(class_of(analysed, 7) == StreamClass::kMain);
  CHECK(class_of(analysed, 14) == StreamClass::kCopy);
  CHECK(class_of(analysed, 15) == StreamClass::kAssist);
  CHECK(class_of(analysed, 16) == StreamClass::kAssist);
}

TEST_CASE("a stream of few kernels is main where they take a twentieth of the time") {
  const Analysed analysed = trace_of({kernels(100, 10, 7), kernels(1, 100, 8)});
  CHECK(class_of(analysed, 8) == StreamClass::kMain);
}

TEST_CASE("contents are counted by direction, busy time is a union") {
  const Analysed analysed =
      trace_of({{execution(0, 10, "k", KIND_KERNEL, 7), execution(5, 15, "HtoD", KIND_MEMCPY, 7, 100),
                 execution(20, 22, "DtoH", KIND_MEMCPY, 7, 30), execution(30, 31, "DtoD", KIND_MEMCPY, 7, 8),
                 execution(32, 33, "", KIND_MEMSET, 7)}});
  const auto streams = stream_contents(analysed.trace, 1);
  REQUIRE(streams.size() == 1);
  CHECK(streams[0].kernels == 1);
  CHECK(streams[0].to_device == 1);
  CHECK(streams[0].to_host == 1);
  CHECK(streams[0].other_copies == 1);
  CHECK(streams[0].memsets == 1);
  CHECK(streams[0].bytes_to_device == 100);
  CHECK(streams[0].bytes_to_host == 30);
  CHECK(streams[0].kernel_ns == 10);
  CHECK(streams[0].copy_ns == 13);
  CHECK(streams[0].busy_ns == 19);
  CHECK(streams[0].begin == 0);
  CHECK(streams[0].end == 33);
}

TEST_CASE("D3 has a row a stream, in order of device and stream") {
  ExecutionSpec second_device = execution(0, 5, "k", KIND_KERNEL, 3);
  second_device.device = 1;
  const Analysed analysed = trace_of({{second_device}, kernels(3, 10, 9), kernels(3, 10, 7)});
  const analysis::Table table = analysed.table("D3");
  REQUIRE(table.rows.size() == 3);
  CHECK(number(table.rows[0][0]) == 7);
  CHECK(number(table.rows[1][0]) == 9);
  CHECK(number(table.rows[2][0]) == 3);
  CHECK(number(table.rows[2][1]) == 1);
  CHECK(text(table.rows[0][2]) == "main");
}

TEST_CASE("D3 without a device says so and lacks data") {
  const Analysed analysed = trace_of({});
  const analysis::Table table = analysed.table("D3");
  CHECK(table.rows.empty());
  CHECK(table.lacks_data);
  CHECK(has_note(table, "no kernel, copy or memset"));
}

TEST_CASE("D3 of several processes names the others") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_process(11);
  builder.add_executions(kernels(1, 10, 7));
  auto theirs = kernels(2, 10, 7);
  for (ExecutionSpec& spec : theirs) spec.process = 2;
  builder.add_executions(theirs);
  const std::string bytes = builder.bytes();
  const analysis::Table table = Analysed({bytes}).table("D3");
  REQUIRE(table.rows.size() == 1);
  CHECK(number(table.rows[0][3]) == 2);
  CHECK(has_note(table, "of pid 11"));
  CHECK(has_note(table, "not of pid 10"));
  CHECK(number(Analysed({bytes}, {.process = "10"}).table("D3").rows[0][3]) == 1);
}

}  // namespace
}  // namespace xsp::test
