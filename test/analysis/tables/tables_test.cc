#include "analysis/tables/table.h"

#include "analysis/render/summary.h"
#include "analysis/tables/optimal_batch.h"
#include "analysis/tables/registry.h"
#include "analysis/tables/study_notes.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using analysis::Cell;
using analysis::Table;

/// A warm-up, then l0 (A), l1 (B), l2 (A) with 5 evaluations; each evaluation takes 1 ms more than its layers.
std::string five_and_warmup() {
  TraceBuilder builder;
  builder.add_process(4242);
  builder.add_evaluation(0, {50, 50, 50});
  builder.add_evaluation(1000, {10, 4, 1});
  builder.add_evaluation(2000, {12, 5, 1});
  builder.add_evaluation(3000, {11, 6, 1});
  builder.add_evaluation(4000, {90, 4, 1});
  builder.add_evaluation(5000, {1, 5, 1});
  return builder.bytes();
}

double sum(const Table& table, size_t column) {
  double total = 0;
  for (const auto& row : table.rows) total += number(row[column]);
  return total;
}

TEST_CASE("A1 to A7 with the answers worked out by hand") {
  const Analysed analysed({five_and_warmup()});
  const Table a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 1);
  // Model latencies 16, 19, 19, 96, 8: trimmed (16 + 19 + 19) / 3, quartiles 16 and 19.
  CHECK(number(a1.rows[0][0]) == 4);
  CHECK(number(a1.rows[0][1]) == Approx(18));
  CHECK(number(a1.rows[0][2]) == Approx(4.5));
  CHECK(number(a1.rows[0][3]) == Approx(4000.0 / 18));
  CHECK(number(a1.rows[0][4]) == 5);
  CHECK(number(a1.rows[0][5]) == Approx(3));

  const Table a2 = analysed.table("A2");
  REQUIRE(a2.rows.size() == 3);
  CHECK(text(a2.rows[0][1]) == "l0");
  CHECK(text(a2.rows[1][2]) == "B");
  CHECK(number(a2.rows[0][4]) == Approx(11));                 // 10 12 11 90 1
  CHECK(number(a2.rows[1][4]) == Approx((4.0 + 5 + 5) / 3));  // 4 5 6 4 5
  CHECK(number(a2.rows[2][4]) == Approx(1));
  CHECK(number(a2.rows[1][5]) == Approx(2));

  const Table a3 = analysed.table("A3");
  CHECK(text(a3.rows[0][3]) == "beginning");
  CHECK(text(a3.rows[1][3]) == "middle");
  CHECK(text(a3.rows[2][3]) == "end");

  const Table a5 = analysed.table("A5");
  REQUIRE(a5.rows.size() == 2);
  CHECK(text(a5.rows[0][0]) == "A");
  CHECK(number(a5.rows[0][1]) == 2);
  CHECK(number(a5.rows[0][2]) == Approx(200.0 / 3));

  const Table a6 = analysed.table("A6");
  CHECK(number(a6.rows[0][2]) == Approx(12));
  CHECK(number(a6.rows[0][3]) == Approx(100 * 12 / (12 + 14.0 / 3)));
  const Table a7 = analysed.table("A7");
  CHECK(number(a7.rows[0][2]) == Approx(4));
  CHECK(number(a7.rows[0][3]) == Approx(400.0 / 6));

  CHECK(sum(a2, 4) == Approx(sum(a3, 2)));
  CHECK(sum(a2, 4) == Approx(sum(a6, 2)));
  CHECK(sum(a6, 3) == Approx(100));
  CHECK(sum(analysed.table("A4"), 2) == Approx(sum(a7, 2)));
  CHECK(sum(a7, 3) == Approx(100));
  CHECK(has_note(a2, "layers cover 92.6 % of model latency"));
}

TEST_CASE("--per trace leaves nothing out") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add_evaluation(0, {5, 5});
  builder.add_evaluation(100, {1, 2});
  builder.add_evaluation(200, {3, 4});
  builder.add_evaluation(300, {7}, "Other", "");
  builder.add({.begin = 1'000'000'000, .end = 1'009'000'000, .id = 90, .name = "loose", .type = "C", .bytes = 0});
  analysis::StudyOptions options;
  options.per_trace = true;
  const Analysed analysed({builder.bytes()}, options);
  const Table a2 = analysed.table("A2");
  REQUIRE(a2.rows.size() == 4);
  CHECK(number(a2.rows[0][4]) == Approx(9));
  CHECK(number(a2.rows[1][4]) == Approx(11));
  CHECK(number(a2.rows[2][4]) == Approx(7));
  CHECK(number(a2.rows[3][4]) == Approx(9));
  CHECK(sum(analysed.table("A6"), 2) == Approx(36));
  CHECK(number(analysed.table("A5").rows[0][1]) == 4);
  CHECK(number(analysed.table("A1").rows[0][1]) == Approx(11 + 4 + 8));
}

TEST_CASE("evaluations whose layers differ are aligned, and what few of them have is left out and told") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add_evaluation(0, {9, 9});
  builder.add_evaluation(100, {1, 2});
  builder.add_evaluation(200, {1, 2, 7});
  builder.add_evaluation(300, {1, 2});
  const Analysed analysed({builder.bytes()});
  const Table a2 = analysed.table("A2");
  CHECK(a2.rows.size() == 2);
  CHECK(number(a2.rows[0][6]) == 3);
  CHECK(number(analysed.table("A1").rows[0][4]) == 3);
  CHECK(has_note(a2, "1 of 3 calls have other layers than the rest (first at index 2)"));
  CHECK(has_note(a2, "1 layer that fewer than half have is left out (2.33 ms per call on average)"));
}

TEST_CASE("one operator more in each evaluation leaves all of them in all tables") {
  TraceBuilder builder;
  builder.add_process(1);
  const auto add = [&](uint32_t number, size_t extra) {
    const int64_t begin = int64_t{number} * 100'000'000;
    const uint32_t root = 100 * number + 1;
    int64_t at = begin;
    uint32_t id = root;
    const auto layer = [&](const std::string& name) {
      SpanSpec span{.begin = at, .end = at + 1'000'000, .id = ++id, .parent = root, .name = name, .type = "T"};
      builder.add(span);
      at += 1'000'000;
    };
    for (size_t i = 0; i < 4; ++i) {
      layer(std::string(1, static_cast<char>('a' + i)));
      if (i == extra) layer("extra" + std::to_string(number));
    }
    builder.add({.begin = begin, .end = at, .id = root, .level = LEVEL_MODEL, .kind = KIND_TORCH_ROOT, .name = "M"});
  };
  for (uint32_t i = 0; i < 6; ++i) add(i, i % 4);
  const Analysed analysed({builder.bytes()});
  const Table a2 = analysed.table("A2");
  REQUIRE(a2.rows.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    CHECK(text(a2.rows[i][1]) == std::string(1, static_cast<char>('a' + i)));
    CHECK(number(a2.rows[i][4]) == Approx(1));
    CHECK(number(a2.rows[i][6]) == 5);
  }
  CHECK(number(analysed.table("A1").rows[0][4]) == 5);
  CHECK(has_note(a2, "5 layers that fewer than half have are left out (1 ms per call on average)"));
}

TEST_CASE("evaluations with hardly a layer in common with the others are left out and named") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add_evaluation(0, {9, 9});
  builder.add_evaluation(100, {1, 2});
  builder.add_evaluation(200, {1, 2, 7, 7, 7});
  builder.add_evaluation(300, {1, 2});
  const Analysed analysed({builder.bytes()});
  const Table a2 = analysed.table("A2");
  CHECK(a2.rows.size() == 2);
  CHECK(number(a2.rows[0][6]) == 2);
  CHECK(has_note(a2,
                 "1 call is left out: fewer than half of its layers match those of the 2 used here (first difference "
                 "at index 2)"));
}

TEST_CASE("coverage is of the evaluations whose layers are joined") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add_evaluation(0, {9, 9});
  builder.add_evaluation(100, {1, 2});
  builder.add_evaluation(200, {1, 2});
  builder.add_evaluation(300, {50, 50, 50});
  const Analysed analysed({builder.bytes()});
  CHECK(has_note(analysed.table("A2"), "layers cover 75.0 % of model latency"));

  analysis::StudyOptions options;
  options.per_trace = true;
  builder.add({.begin = 1'000'000'000, .end = 9'009'000'000, .id = 90, .name = "loose", .type = "C", .bytes = 0});
  const Analysed whole({builder.bytes()}, options);
  CHECK(has_note(whole.table("A2"), "layers cover 97.8 % of model latency"));
}

TEST_CASE("more layer time than model latency is explained by overlap only when there is some") {
  const auto note_of = [](int64_t second_begin) {
    TraceBuilder builder;
    builder.add_process(1);
    builder.add({.begin = 0, .end = 8'000'000, .id = 2, .parent = 1, .name = "a"});
    builder.add({.begin = second_begin, .end = 10'000'000, .id = 3, .parent = 1, .name = "b"});
    builder.add({.begin = 0, .end = 9'000'000, .id = 1, .level = LEVEL_MODEL, .name = "predict"});
    return analysis::coverage_note(*Analysed({builder.bytes()}).study);
  };
  CHECK(note_of(6'000'000) == "layers add up to 133.3 % of model latency: some run at the same time (2 ms per call)");
  CHECK(note_of(8'000'000) == "layers add up to 111.1 % of model latency");
}

TEST_CASE("what the trace does not know is null, not zero") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add({.begin = 20, .end = 30, .id = 2, .parent = 1, .name = "conv", .bytes = 8});
  builder.add({.begin = 30, .end = 40, .id = 3, .parent = 1, .name = "relu"});
  builder.add({.begin = 0, .end = 50, .id = 1, .level = LEVEL_MODEL, .name = "predict"});
  const Analysed analysed({builder.bytes()});
  const Table a1 = analysed.table("A1");
  for (const size_t column : {0, 2, 3, 5}) CHECK(analysis::is_null(a1.rows[0][column]));
  CHECK(number(analysed.table("A4").rows[0][2]) == Approx(8e-6));
  CHECK(analysis::is_null(analysed.table("A4").rows[1][2]));
  const Table a7 = analysed.table("A7");
  CHECK(text(a7.rows[0][0]) == "(none)");
  CHECK(analysis::is_null(a7.rows[0][2]));
  CHECK(a7.lacks_data);
  CHECK(has_note(a7, "alloc_mb is not known for 1 of 2 layers"));
}

TEST_CASE("a trace without model spans has empty tables that say why") {
  TraceBuilder builder;
  builder.add_process(1);
  const Analysed analysed({builder.bytes()});
  for (const char* id : {"A1", "A2", "A3", "A4", "A5", "A6", "A7"}) {
    const Table table = analysed.table(id);
    CHECK(table.rows.empty());
    CHECK(table.lacks_data);
    CHECK(has_note(table, "no model call"));
  }
}

TEST_CASE("analyses that are not there are refused, with those that are") {
  std::vector<const analysis::TableDefinition*> chosen;
  const auto status = analysis::choose_analyses({"A1", "B9"}, &chosen);
  CHECK(contains(status.error, "B9"));
  CHECK(contains(status.hint, "A15"));
}

TEST_CASE("Q1 tells about losses, deaths and runs without layers") {
  TraceBuilder builder;
  builder.add_process(77);
  SpanSpec run{.begin = 5, .end = 9, .id = 1, .level = LEVEL_MODEL, .kind = KIND_ORT_RUN, .name = "session"};
  run.scope = "session";
  builder.add(run);
  const auto lose = [&](Loss::Reason reason, uint64_t count, const char* detail) {
    auto* loss = builder.packet(1)->mutable_loss();
    loss->set_reason(reason);
    loss->set_count(count);
    loss->set_detail(detail);
  };
  lose(Loss::RING_FULL, 3, "");
  lose(Loss::RING_FULL, 10, "");
  lose(Loss::PROFILE_FILE, 1, "cut off");
  auto* open = builder.packet(1)->mutable_open_spans()->add_span();
  open->set_level(LEVEL_LAYER);
  builder.packet(1)->mutable_clock()->set_error_ns(55);
  builder.packet(1)->mutable_process_end()->set_how(ProcessEnd::DISCONNECTED);
  const Analysed analysed({builder.bytes()});
  const Table q1 = analysed.table("Q1");
  CHECK(quality(q1, "dropped") == 10);
  CHECK(quality(q1, "truncated", "layer") == 1);
  CHECK(quality(q1, "open_spans") == 1);
  CHECK(quality(q1, "processes_killed") == 1);
  CHECK(quality(q1, "clock_error_ns") == 55);
  CHECK(quality(q1, "runs_without_layers", "model") == 1);
  CHECK(quality(q1, "overhead_pct") == -1);
  CHECK(has_note(analysed.table("A1"), "10 spans dropped"));
}

/// Two runs of ONNX Runtime, with a node each or without.
void add_ort_runs(TraceBuilder* builder, bool with_layers) {
  for (int64_t begin : {100'000, 200'000}) {
    SpanSpec run{.begin = begin, .end = begin + 50'000, .level = LEVEL_MODEL, .kind = KIND_ORT_RUN, .name = "mlp"};
    run.id = static_cast<uint32_t>(begin);
    run.scope = "session";
    builder->add(run);
    SpanSpec node{.begin = begin + 10'000, .end = begin + 20'000, .kind = KIND_ORT_NODE, .name = "n"};
    node.scope = "session";
    node.ring = 9;
    if (with_layers) builder->add(node);
  }
}

TEST_CASE("layers of ONNX Runtime that a process did not live to write are not asked for again") {
  TraceBuilder builder;
  builder.add_process(77);
  add_ort_runs(&builder, false);
  auto* loss = builder.packet(1)->mutable_loss();
  loss->set_reason(Loss::PROFILE_FILE);
  loss->set_count(1);
  builder.packet(1)->mutable_process_end()->set_how(ProcessEnd::DISCONNECTED);
  const Analysed analysed({builder.bytes()});
  const Table a2 = analysed.table("A2");
  CHECK(has_note(a2, "exist only once its profile is closed, at a regular exit"));
  CHECK_FALSE(has_note(a2, "--level layer"));
  CHECK(has_note(analysed.table("A1"), "1 profile file of the framework could not be read"));
  CHECK_FALSE(has_note(analysed.table("A1"), "own profiler"));
  std::string killed;
  for (const auto& row : analysed.table("Q1").rows) {
    if (text(row[0]) == "processes_killed") killed = text(row[3]);
    if (text(row[0]) == "runs_without_layers") CHECK(contains(text(row[3]), "regular exit"));
  }
  CHECK(killed == "killed, or replaced by exec: pid 77");
  CHECK(contains(analysis::render_summary(*analysed.study), "pid 77 was killed, or replaced by exec"));
}

TEST_CASE("latencies with ONNX Runtime's profiler in them say so") {
  TraceBuilder builder;
  builder.add_process(77);
  add_ort_runs(&builder, true);
  CHECK(has_note(Analysed({builder.bytes()}).table("A1"), "these latencies include ONNX Runtime's own profiler"));
}

TEST_CASE("modules nested too deep are not asked for again") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add({.begin = 0, .end = 50, .id = 1, .level = LEVEL_MODEL, .kind = KIND_TORCH_ROOT, .name = "Net"});
  auto* loss = builder.packet(1)->mutable_loss();
  loss->set_reason(Loss::TOO_DEEP);
  loss->set_count(4);
  const Table a2 = Analysed({builder.bytes()}).table("A2");
  CHECK(has_note(a2, "nested too deeply (48 levels are recorded)"));
  CHECK_FALSE(has_note(a2, "--level layer"));
}

TEST_CASE("nodes of ONNX Runtime in no run were run by a call that is not seen") {
  TraceBuilder builder;
  builder.add_process(1);
  builder.add({.begin = 10, .end = 20, .kind = KIND_ORT_NODE, .name = "n", .scope = "session"});
  const Analysed analysed({builder.bytes()});
  CHECK(has_note(analysed.table("A1"), "1 node of ONNX Runtime was run by a call that XSP does not see (run_async)"));
  for (const auto& row : analysed.table("Q1").rows) {
    if (text(row[0]) == "unattached" && text(row[1]) == "all") CHECK(contains(text(row[3]), "run_async"));
  }
}

TEST_CASE("the summary counts other processes") {
  TraceBuilder builder;
  for (uint32_t pid = 1; pid < 4; ++pid) builder.add_process(pid);
  const Analysed analysed({builder.bytes()});
  CHECK(contains(analysis::render_summary(*analysed.study), "and 2 other processes, 0 spans"));
}

TEST_CASE("the optimal batch size: the rule of the paper on its own numbers") {
  // Table of the paper, ResNet-50 v1.5 on a V100.
  const std::vector<analysis::BatchThroughput> paper = {{1, 6.21, 161.0},   {2, 6.83, 292.7},    {4, 8.51, 470.3},
                                                        {8, 12.80, 624.9},  {16, 21.90, 730.6},  {32, 39.32, 813.7},
                                                        {64, 73.98, 865.1}, {128, 142.4, 898.9}, {256, 275.05, 930.7}};
  std::vector<std::string> notes;
  const auto by_rule = analysis::optimal_batch(paper, {}, "ResNet", &notes);
  CHECK(std::get<int64_t>(by_rule.fields[0].second) == 64);
  CHECK(std::get<int64_t>(by_rule.fields[1].second) == 256);
  const auto within = analysis::optimal_batch(paper, *analysis::OptimalBatch::parse("latency=50"), "ResNet", &notes);
  CHECK(std::get<int64_t>(within.fields[2].second) == 32);
  CHECK_FALSE(analysis::OptimalBatch::parse("latency=-1"));
}

TEST_CASE("several batch sizes of one model give the optimal batch") {
  TraceBuilder small;
  small.add_process(1);
  small.add_evaluation(0, {9}, "Net", "[1,3]");
  TraceBuilder large;
  large.add_process(2);
  large.add_evaluation(0, {11}, "Net", "[8,3]");
  const Analysed analysed({small.bytes(), large.bytes()});
  const Table a1 = analysed.table("A1");
  CHECK(a1.rows.size() == 2);
  REQUIRE(a1.extras.size() == 1);
  CHECK(std::get<int64_t>(a1.extras[0].fields[0].second) == 8);
  CHECK(has_note(a1, "optimal batch size of Net, input [N,3]: 8"));
}

TEST_CASE("groups that differ in more than the batch are no sweep") {
  const auto sweeps = [](const std::string& model, const std::string& input) {
    TraceBuilder builder;
    builder.add_process(1);
    builder.add_evaluation(0, {9}, "Net", "[1,3];[1,7]");
    builder.add_evaluation(100, {9}, "Net", "[1,3];[1,7]");
    builder.add_evaluation(200, {9}, model, input);
    return has_note(Analysed({builder.bytes()}).table("A1"), "optimal batch size of");
  };
  CHECK(sweeps("Net", "[8,3];[8,7]"));
  CHECK_FALSE(sweeps("Net", "[8,4];[8,7]"));
  CHECK_FALSE(sweeps("Net", "[8,3]"));
  CHECK_FALSE(sweeps("Net", "[8,3];[8,7,1]"));
  CHECK_FALSE(sweeps("Other", "[8,3];[8,7]"));
  CHECK(analysis::shapes_of_any_batch("[64,3,224,224];[];[8]") == "[N,3,224,224];[];[N]");
}

TEST_CASE("--top keeps the largest and says how many are missing") {
  Table table;
  table.columns = {{"index", ""}, {"latency_ms", "ms"}};
  table.rows = {{int64_t{0}, 1.0}, {int64_t{1}, 5.0}, {int64_t{2}, Cell()}, {int64_t{3}, 7.0}};
  table.rank_by = 1;
  Table ranked = table;
  ranked.show_ranked = true;
  CHECK(analysis::cut_to_top(2, &table) == 2);
  CHECK(number(table.rows[0][0]) == 1);
  CHECK(number(table.rows[1][0]) == 3);
  analysis::cut_to_top(2, &ranked);
  CHECK(number(ranked.rows[0][0]) == 3);
  CHECK(analysis::cut_to_top(2, &ranked) == 0);
}

}  // namespace
}  // namespace xsp::test
