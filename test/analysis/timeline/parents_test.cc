#include "analysis/timeline/parents.h"

#include <random>

#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::kNoRow;
using analysis::Row;

/// The contract, word for word: among the spans of the nearest outer level that contain the child, the innermost.
Row brute_force(const analysis::Trace& trace, Row child, bool* ambiguous) {
  const auto& spans = trace.spans;
  for (int level = static_cast<int>(spans.level[child]) - 1; level > 0; --level) {
    std::vector<Row> containing;
    for (Row row = 0; row < spans.size(); ++row) {
      if (static_cast<int>(spans.level[row]) == level &&
          trace.tracks[spans.track[row]].thread == trace.tracks[spans.track[child]].thread &&
          trace.process_of(row) == trace.process_of(child) && spans.begin[row] <= spans.begin[child] &&
          spans.begin[child] < spans.end[row] && spans.end[child] <= spans.end[row]) {
        containing.push_back(row);
      }
    }
    if (containing.empty()) continue;
    for (const Row candidate : containing) {
      bool innermost = true;
      for (const Row other : containing) {
        innermost &= spans.begin[other] <= spans.begin[candidate] && spans.end[candidate] <= spans.end[other];
      }
      if (innermost) return candidate;
    }
    *ambiguous = true;
    return kNoRow;
  }
  return kNoRow;
}

TEST_CASE("parents by time agree with the definition, on random spans") {
  std::mt19937 random(GENERATE(1u, 2u, 3u, 4u, 5u));
  const auto pick = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  for (int round = 0; round < 40; ++round) {
    TraceBuilder builder;
    builder.add_process(1);
    const bool dense = round % 2 == 0;
    for (int i = 0; i < 60; ++i) {
      SpanSpec span;
      span.level = 1 + pick(4);
      // Distinct intervals of one level, so that the innermost is unique.
      span.begin = pick(dense ? 40 : 4000);
      span.end = span.begin + pick(dense ? 30 : 2000) * (5 - span.level) / 2;
      span.thread = 100 + static_cast<uint32_t>(pick(2));
      span.id = span.level == LEVEL_MODEL ? 1000 + static_cast<uint32_t>(i) : 0;
      span.name = std::to_string(i);
      builder.add(span);
    }
    const Analysed analysed({builder.bytes()});
    const auto& spans = analysed.trace.spans;
    std::array<uint64_t, analysis::kLevelCount> ambiguous_counts = {};
    for (Row row = 0; row < spans.size(); ++row) {
      bool ambiguous = false;
      const Row expected = brute_force(analysed.trace, row, &ambiguous);
      const Row found = analysed.parents.of[row];
      if (ambiguous) ++ambiguous_counts[static_cast<size_t>(spans.level[row])];
      REQUIRE((expected == kNoRow) == (found == kNoRow));
      if (expected == kNoRow) continue;
      REQUIRE(spans.level[found] == spans.level[expected]);
      REQUIRE(spans.begin[found] == spans.begin[expected]);
      REQUIRE(spans.end[found] == spans.end[expected]);
    }
    REQUIRE(analysed.parents.ambiguous == ambiguous_counts);
  }
}

TEST_CASE("an explicit parent holds against time, also when a ring changes its thread") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add({.begin = 10, .end = 20, .id = 2, .parent = 1, .name = "child", .thread = 100, .ring = 3});
  builder.add({.begin = 0, .end = 15, .id = 1, .level = LEVEL_MODEL, .name = "root", .thread = 100, .ring = 3});
  // The same ring, later lent to another thread; ids go on.
  builder.add({.begin = 30, .end = 40, .id = 4, .parent = 3, .name = "second", .thread = 200, .ring = 3});
  builder.add({.begin = 25, .end = 45, .id = 3, .level = LEVEL_MODEL, .name = "root", .thread = 200, .ring = 3});
  // Ended on another thread than it began.
  SpanSpec moved{.begin = 27, .end = 60, .id = 5, .parent = 3, .name = "moved", .thread = 300, .ring = 9};
  moved.start_thread = 200;
  moved.start_ring = 4;
  builder.add(moved);
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.parents.of == std::vector<Row>{1, kNoRow, 3, kNoRow, 3});
  CHECK(quality(analysed.table("Q1"), "outside_parent") == 2);
}

TEST_CASE("ids far apart cost no memory and still find their parents") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add({.begin = 10, .end = 20, .id = 4'000'000'001, .parent = 4'000'000'000, .name = "child"});
  builder.add({.begin = 0, .end = 30, .id = 4'000'000'000, .level = LEVEL_MODEL, .name = "root"});
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.parents.of[0] == 1);
}

SpanSpec run(int64_t begin, int64_t end, uint32_t thread, uint32_t id = 1) {
  SpanSpec span{.begin = begin, .end = end, .id = id, .level = LEVEL_MODEL, .kind = KIND_ORT_RUN, .name = "session"};
  span.scope = "session";
  span.thread = thread;
  span.ring = thread;
  return span;
}

SpanSpec node(int64_t begin, int64_t end, uint32_t thread = 900) {
  SpanSpec span{.begin = begin, .end = end, .kind = KIND_ORT_NODE, .name = "node", .scope = "session"};
  span.thread = thread;
  span.ring = 500;
  return span;
}

TEST_CASE("spans of one scope nest by time across threads") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(run(100'000, 200'000, 1));
  builder.add(run(300'000, 400'000, 2));
  builder.add(node(110'000, 150'000));
  builder.add(node(99'000, 150'000, 901));  // microsecond clock: begins before its run
  builder.add(node(350'000, 401'900));      // ends after its run, within the tolerance
  builder.add(node(350'000, 402'100));      // beyond it
  builder.add(node(250'000, 260'000));
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.parents.of == std::vector<Row>{kNoRow, kNoRow, 0, 0, 1, kNoRow, kNoRow});
  CHECK(quality(analysed.table("Q1"), "unattached") == 2);
  CHECK(quality(analysed.table("Q1"), "ambiguous") == 0);
}

TEST_CASE("nodes that came with ids, and operators of imported profiles, nest by their scope as well") {
  TraceBuilder builder;
  builder.message().mutable_packet(0)->mutable_header()->set_source("tensorflow");
  builder.add_process(1);
  builder.add(run(100'000, 200'000, 1));
  SpanSpec loop = node(110'000, 150'000);
  loop.kind = KIND_OPERATOR;
  loop.id = 1;
  SpanSpec body = node(120'000, 130'000);
  body.kind = KIND_OPERATOR;
  body.id = 2;
  SpanSpec elsewhere = node(120'000, 130'000);
  elsewhere.kind = KIND_OPERATOR;
  elsewhere.scope = "";
  builder.add(body);
  builder.add(loop);
  builder.add(elsewhere);
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.parents.of == std::vector<Row>{kNoRow, 2, 0, kNoRow});
}

TEST_CASE("a node inside two concurrent runs is ambiguous unless its thread tells") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(run(100'000, 300'000, 1));
  builder.add(run(150'000, 400'000, 2));
  builder.add(node(200'000, 250'000));
  builder.add(node(200'000, 250'000, 2));
  builder.add(node(110'000, 120'000));
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.parents.of == std::vector<Row>{kNoRow, kNoRow, kNoRow, 1, 0});
  const auto q1 = analysed.table("Q1");
  CHECK(quality(q1, "ambiguous", "layer") == 1);
  CHECK(quality(q1, "unattached") == 0);
  CHECK(has_note(analysed.table("A2"), "run them one after the other, or use one session per thread"));
}

TEST_CASE("a node at the border of two runs in turn belongs to the one that holds it") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(run(100'000, 200'000, 1));
  builder.add(run(200'500, 300'000, 1, 2));
  builder.add(node(199'000, 201'000));
  builder.add(node(200'000, 202'000));
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.parents.of[2] == 0);
  CHECK(analysed.parents.of[3] == 1);
}

TEST_CASE("the body of a Loop lies in the Loop, within the clock's resolution") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(run(100'000, 300'000, 1));
  builder.add(node(110'000, 110'000));       // 1: without duration, may have run before the Loop
  builder.add(node(110'000, 120'000));       // 2: body
  builder.add(node(120'000, 120'000));       // 3: body, without duration
  builder.add(node(120'000, 151'000));       // 4: body, ends later by rounding
  builder.add(node(125'000, 130'000));       // 5: body of the inner If
  builder.add(node(125'000, 130'000));       // 6: the inner If, the same interval but recorded later
  builder.add(node(110'000, 150'000));       // 7: the Loop
  builder.add(node(151'000, 151'000));       // 8: behind it
  builder.add(node(151'000, 152'000));       // 9: the next node
  builder.add(node(130'000, 140'000, 901));  // 10: another thread
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.parents.of == std::vector<Row>{kNoRow, 0, 7, 7, 7, 6, 4, 0, 0, 0, 0});
  CHECK(quality(analysed.table("Q1"), "layers_containing_layers", "layer") == 3);
  CHECK(analysed.evaluations.layers.size() == 7);
}

TEST_CASE("operators that were recorded live and have no parent lie in none of their thread") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(run(100'000, 300'000, 1));
  // Done by other threads; where the first one's end was told, the others had run.
  for (const auto& [begin, end] : {std::pair(110'000, 200'000), {120'000, 130'000}, {140'000, 150'000}}) {
    SpanSpec operation = node(begin, end);
    operation.kind = KIND_OPERATOR;
    builder.add(operation);
  }
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.parents.of == std::vector<Row>{kNoRow, 0, 0, 0});
  CHECK(analysed.evaluations.layers.size() == 3);
}

TEST_CASE("short nodes one after another are in none of them") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add(run(100'000, 300'000, 1));
  for (int64_t at = 110'000; at < 120'000; at += 1000) builder.add(node(at, at + (at % 3000 == 0 ? 0 : 1000)));
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.evaluations.layers.size() == 10);
}

TEST_CASE("the scope of a PyTorch root joins nothing to it") {
  TraceBuilder builder;
  builder.add_process(1);
  SpanSpec root{.begin = 0, .end = 100, .id = 1, .level = LEVEL_MODEL, .kind = KIND_TORCH_ROOT, .name = "Net"};
  root.scope = "Net #1";
  builder.add(root);
  SpanSpec elsewhere{.begin = 10, .end = 20, .kind = KIND_TORCH_MODULE, .name = "conv", .scope = "Net #1"};
  elsewhere.thread = 200;
  elsewhere.ring = 2;
  builder.add(elsewhere);
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.parents.of[1] == kNoRow);
}

TEST_CASE("scopes of two processes do not mix") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add_process(2);
  builder.add(run(100'000, 200'000, 1));
  SpanSpec other = node(110'000, 120'000);
  other.process = 2;
  builder.add(other);
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.parents.of[1] == kNoRow);
}

TEST_CASE("calls from activity records stick out by the error of their clock, and lie where their middle is") {
  TraceBuilder builder;
  builder.add_process(1);
  const auto layer = [&](int64_t begin, int64_t end, uint32_t id) {
    builder.add({.begin = begin, .end = end, .id = id, .level = LEVEL_LAYER, .name = "layer"});
  };
  const auto call = [&](int64_t begin, int64_t end) {
    builder.add({.begin = begin,
                 .end = end,
                 .level = LEVEL_RUNTIME,
                 .kind = KIND_RUNTIME_CALL,
                 .name = "cudaLaunchKernel",
                 .ring = 0x20000});
  };
  layer(10'000, 20'000, 1);  // rows 0 and 1
  layer(20'100, 30'000, 2);
  call(9'300, 12'000);   // 2: begins too early
  call(17'000, 20'900);  // 3: ends in the neighbour
  call(19'900, 24'000);  // 4: begins in the neighbour
  call(28'000, 31'500);  // 5: sticks out too far
  call(30'100, 30'600);  // 6: within the tolerance, and outside
  const Analysed analysed({builder.bytes()});
  const auto& of = analysed.parents.of;
  REQUIRE(of.size() == 7);
  CHECK(of[2] == 0);
  CHECK(of[3] == 0);
  CHECK(of[4] == 1);
  CHECK(of[5] == analysis::kNoRow);
  CHECK(of[6] == analysis::kNoRow);
}

TEST_CASE("a call from an activity record sticks out by what the clock is off") {
  TraceBuilder builder;
  builder.add_process(1);
  auto* clock = builder.packet(1)->mutable_clock();
  clock->set_clock(CLOCK_CUPTI);
  clock->set_error_ns(3000);
  builder.add({.begin = 20'000, .end = 30'000, .id = 1, .level = LEVEL_LAYER, .name = "layer"});
  builder.add({.begin = 27'000,
               .end = 32'500,
               .level = LEVEL_RUNTIME,
               .kind = KIND_RUNTIME_CALL,
               .name = "cudaMemcpy",
               .ring = 0x20000});
  const Analysed analysed({builder.bytes()});
  CHECK(analysed.parents.of[1] == 0);
}

}  // namespace
}  // namespace xsp::test
