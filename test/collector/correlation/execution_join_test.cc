#include "collector/correlation/execution_join.h"

#include "collector/messages/peer_limits.h"
#include "collector/writing/trace_fields.h"
#include "test/catch.h"
#include "test/collector/fake_guest.h"
#include "test/collector/memory_file.h"
#include "test/collector/nanoseconds.h"

namespace xsp::test {
namespace {

ActivityRow kernel(uint32_t correlation, uint64_t node = 0) {
  ActivityRow row{.begin = 10, .end = 20, .graph_node = node, .correlation = correlation};
  row.level = static_cast<uint8_t>(wire::Level::kDevice);
  row.kind = static_cast<uint8_t>(wire::Kind::kKernel);
  return row;
}

struct Bench {
  std::vector<ReadExecution> executions() {
    writer.flush();
    return read_executions(parse_trace(file.bytes));
  }
  MemoryFile file;
  TraceWriter writer{file};
  ExecutionJoin join{1, writer};
};

TEST_CASE("executions that never match wait in bounded memory and are all written") {
  Bench bench;
  constexpr uint32_t kMany = 4 * kMaxWaiting;
  for (uint32_t i = 1; i <= kMany; ++i) {
    bench.join.add(kernel(i), {}, kSecond);
    REQUIRE(bench.join.waiting() <= kMaxWaiting);
  }
  CHECK(bench.join.executions() > kMany / 2);
  bench.join.finish(2 * kSecond);
  CHECK(bench.join.waiting() == 0);
  CHECK(bench.join.executions() == kMany);
  CHECK(bench.join.unmatched() == kMany);
  CHECK(bench.executions().size() == kMany);
}

TEST_CASE("an execution waits for its launch half a minute, for its graph's node two seconds") {
  Bench bench;
  bench.join.add_launch(8, {1, 3});
  bench.join.add(kernel(7), {}, kSecond);
  bench.join.add(kernel(8, 99), {}, kSecond);
  bench.join.flush_if_due(2 * kSecond);
  CHECK(bench.join.waiting() == 2);
  bench.join.flush_if_due(4 * kSecond);
  CHECK(bench.join.waiting() == 1);
  bench.join.flush_if_due(20 * kSecond);
  CHECK(bench.join.waiting() == 1);
  bench.join.flush_if_due(32 * kSecond);
  CHECK(bench.join.waiting() == 0);
  bench.join.finish(32 * kSecond);
  const auto executions = bench.executions();
  REQUIRE(executions.size() == 2);
  CHECK(executions[0].launch.second == 3);
  CHECK(executions[1].launch.first == -1);
}

TEST_CASE("an execution without a correlation id does not wait") {
  Bench bench;
  bench.join.add(kernel(0), {}, kSecond);
  CHECK(bench.join.waiting() == 0);
  CHECK(bench.join.unmatched() == 1);
}

TEST_CASE("what waits is joined once enough came in, without a flush") {
  Bench bench;
  for (uint32_t i = 1; i <= 5000; ++i) bench.join.add(kernel(i), {}, kSecond);
  for (uint32_t i = 1; i <= 5000; ++i) {
    bench.join.add_launch(i, {1, i});
    bench.join.retry_if_worthwhile(kSecond);
  }
  CHECK(bench.join.waiting() == 0);
  CHECK(bench.join.unmatched() == 0);
}

TEST_CASE("each execution is written with its own queue, however many there are") {
  Bench bench;
  bench.join.add_launch(1, {1, 1});
  for (uint32_t i = 0; i < 3000; ++i) {
    ActivityRow row = kernel(1);
    row.begin = i;
    row.end = i + 1;
    bench.join.add(row, {i % 3, i % 5, i % 700}, kSecond);
  }
  bench.join.finish(kSecond);
  const auto executions = bench.executions();
  REQUIRE(executions.size() == 3000);
  for (const auto& execution : executions) {
    REQUIRE(execution.device == execution.begin % 3);
    REQUIRE(execution.context == execution.begin % 5);
    REQUIRE(execution.stream == execution.begin % 700);
  }
}

TEST_CASE("executions that a full disk does not take are no spans of the trace") {
  MemoryFile file(20'000);
  TraceWriter writer{file, 1024};
  ExecutionJoin join{1, writer};
  join.add_launch(1, {1, 1});
  for (uint32_t i = 0; i < 20'000; ++i) join.add(kernel(1), {}, kSecond);
  join.finish(kSecond);
  writer.flush();
  CHECK(writer.failed());
  CHECK(read_executions(parse_trace(file.bytes)).size() == writer.spans()[6]);
}

}  // namespace
}  // namespace xsp::test
