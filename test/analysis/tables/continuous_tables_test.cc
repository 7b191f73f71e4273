/// Tables of continuous recordings: calls that were not sampled, and what was counted by name.

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "analysis/report/report_header.h"
#include "analysis/statistics/statistic.h"
#include "analysis/tables/registry.h"
#include "test/analysis/support/nanoseconds.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

/// Calls of a model every 100 ms: each `every`-th, from the first, in full and slower.
class SampledProgram {
 public:
  explicit SampledProgram(uint32_t every) : every_(every) { builder.add_process(7); }

  void call(int64_t shallow_us, int64_t full_us, const std::string& input = "[4,3]", bool shallow_has_input = true) {
    const bool shallow = calls_ % every_ != 0;
    const int64_t begin = 100 * kMs * ++calls_;
    const uint32_t root = ++id_;
    const int64_t end = begin + 1000 * (shallow ? shallow_us : full_us);
    if (!shallow) {
      SpanSpec layer{.begin = begin, .end = end - 1000, .id = ++id_, .parent = root, .kind = KIND_TORCH_MODULE};
      layer.name = "conv";
      layer.type = "Conv2d";
      builder.add(layer);
    }
    SpanSpec span{.begin = begin, .end = end, .id = root, .level = LEVEL_MODEL, .kind = KIND_TORCH_ROOT};
    span.name = "Net";
    if (!shallow || shallow_has_input) span.input = input;
    span.shallow = shallow;
    builder.add(span);
    (shallow ? shallow_ms : full_ms).push_back(static_cast<double>(end - begin) / kMs);
  }

  TraceBuilder builder;
  std::vector<double> shallow_ms;
  std::vector<double> full_ms;

 private:
  uint32_t every_;
  int64_t calls_ = 0;
  uint32_t id_ = 0;
};

double trimmed_mean(std::vector<double> values, size_t skip = 0) {
  values.erase(values.begin(), values.begin() + static_cast<ptrdiff_t>(skip));
  return analysis::evaluate(analysis::Statistic(), values);
}

/// 200 calls, 20 of them in full, with some noise and no warm-up but the first.
SampledProgram sampled_program(bool shallow_has_input = true) {
  SampledProgram program(10);
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const auto noise = static_cast<int64_t>(random() % 100);
    program.call(10'000 + noise, 12'000 + noise, "[4,3]", shallow_has_input);
  }
  return program;
}

TEST_CASE("latencies of a model are of the calls that were not sampled, layers of the others") {
  SampledProgram program = sampled_program(GENERATE(true, false));
  const Analysed analysed({program.builder.bytes()});
  const analysis::Table a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 1);
  CHECK(number(a1.rows[0][1]) == Approx(trimmed_mean(program.shallow_ms, 1)));
  CHECK(number(a1.rows[0][4]) == 179);
  CHECK(text(a1.rows[0][7]) == "[4,3]");
  CHECK(has_note(a1, "20 of 200"));
  const analysis::Table a2 = analysed.table("A2");
  REQUIRE(a2.rows.size() == 1);
  // The first one in full came before the calls that are used.
  auto full = program.full_ms;
  for (double& ms : full) ms -= 0.001;
  CHECK(number(a2.rows[0][4]) == Approx(trimmed_mean(full, 1)));
  CHECK(has_note(a2, "19 calls"));
  CHECK(has_note(a2, "20 of 200"));
  CHECK_FALSE(has_note(a2, "without layers"));
  CHECK(number(analysed.table("A5").rows[0][1]) == 1);
}

TEST_CASE("what the deeper levels cost is the difference of both kinds of calls") {
  SampledProgram program = sampled_program();
  const Analysed analysed({program.builder.bytes()});
  const double expected = 100 * (trimmed_mean(program.full_ms, 1) / trimmed_mean(program.shallow_ms, 1) - 1);
  CHECK(quality(analysed.table("Q1"), "overhead_pct", "model") == Approx(expected));
  const analysis::Table l1 = analysed.table("L1");
  REQUIRE(l1.rows.size() >= 2);
  CHECK(text(l1.rows[0][0]) == "M");
  CHECK(number(l1.rows[0][6]) == 179);
  CHECK(text(l1.rows[1][1]) == "model");
  CHECK(number(l1.rows[1][5]) == Approx(expected));
  CHECK(number(l1.rows[1][6]) == 19);
  CHECK(std::get<bool>(l1.rows[1][11]));
}

TEST_CASE("a single call that was not sampled times nothing") {
  SampledProgram program(10);
  program.call(12'000, 12'000);
  program.call(1, 1);
  for (uint32_t i = 0; i < 9; ++i) {
    SpanSpec span{.begin = (1000 + i) * 100 * kMs, .id = 100 + i, .level = LEVEL_MODEL, .kind = KIND_TORCH_ROOT};
    span.end = span.begin + 12 * kMs;
    span.name = "Net";
    span.input = "[4,3]";
    program.builder.add(span);
  }
  const Analysed analysed({program.builder.bytes()});
  const analysis::Table a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 1);
  CHECK(number(a1.rows[0][1]) == Approx(12));
  CHECK(number(a1.rows[0][4]) == 9);
  CHECK(quality(analysed.table("Q1"), "overhead_pct", "model") == -2);
  CHECK(has_note(a1, "too few"));
}

TEST_CASE("--skip counts calls of both kinds") {
  SampledProgram program = sampled_program();
  analysis::StudyOptions options;
  options.skip = 25;  // three of them in full
  const Analysed analysed({program.builder.bytes()}, options);
  CHECK(number(analysed.table("A1").rows[0][4]) == 180 - 22);
  CHECK(has_note(analysed.table("A2"), "17 calls"));
}

TEST_CASE("inputs stay apart, and calls without one are of none where several are known") {
  SampledProgram program(5);
  for (int i = 0; i < 50; ++i) program.call(10'000, 12'000, "[4,3]");
  for (int i = 0; i < 50; ++i) program.call(20'000, 24'000, "[8,3]");
  for (int i = 0; i < 50; ++i) program.call(30'000, 24'000, "[8,3]", false);
  const Analysed analysed({program.builder.bytes()});
  const analysis::Table a1 = analysed.table("A1");
  REQUIRE(a1.rows.size() == 3);
  CHECK(number(a1.rows[0][1]) == Approx(10));
  CHECK(number(a1.rows[1][1]) == Approx(20));
  CHECK(number(a1.rows[2][1]) == Approx(30));
  CHECK(analysis::is_null(a1.rows[2][7]));
}

TEST_CASE("a process that began before the first part that is there has no warm-up") {
  TraceBuilder builder;
  builder.describe_part(3, 1000);
  builder.add_process(7);
  for (int i = 0; i < 10; ++i) builder.add_evaluation(1000 + 20 * i, {3, 2});
  const Analysed analysed({builder.bytes()});
  CHECK(number(analysed.table("A1").rows[0][4]) == 10);
}

TEST_CASE("the cost that processes measure themselves is in Q1") {
  TraceBuilder builder;
  builder.add_process(7);
  builder.add_evaluation(1, {1});
  for (const uint64_t scale : {1, 2}) {
    auto* overhead = builder.packet(1)->mutable_overhead();
    overhead->set_wall_ns(scale * 1'000'000'000);
    overhead->set_cpu_ns(scale * 2'020'000'000);
    overhead->set_hooks_ns(scale * 15'000'000);
    overhead->set_threads_ns(scale * 5'000'000);
    overhead->set_hooks_timed(scale * 100);
  }
  const analysis::Table q1 = Analysed({builder.bytes()}).table("Q1");
  CHECK(quality(q1, "overhead_pct") == Approx(1));
  CHECK(quality(q1, "overhead_of_wall_pct") == Approx(2));
}

TEST_CASE("what was not stored is a note of tables, and a row of Q1 however often it happened") {
  TraceBuilder builder;
  builder.add_process(7);
  builder.add_evaluation(1, {1});
  for (uint64_t i = 0; i < 1000; ++i) {
    auto* gap = builder.packet(1)->mutable_gap();
    gap->set_reason(i % 2 == 0 ? Gap::NOT_STORED : Gap::NOT_SAMPLED);
    gap->set_level(LEVEL_LAYER);
    gap->set_begin_ns(1 + 1000 * i);
    gap->set_end_ns(1 + 1000 * i + 500);
  }
  const Analysed analysed({builder.bytes()});
  CHECK(has_note(analysed.table("A2"), "not stored"));
  CHECK(has_note(analysed.table("A2"), "500 times"));
  const analysis::Table q1 = analysed.table("Q1");
  const auto gaps =
      std::count_if(q1.rows.begin(), q1.rows.end(), [](const auto& row) { return text(row[0]) == "gap_ms"; });
  CHECK(gaps == 2);
  CHECK(quality(q1, "gap_ms", "layer") == Approx(0.25));
}

uint64_t exact_quantile(std::vector<uint64_t> values, double share) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<size_t>(rank, 1) - 1];
}

TEST_CASE("counts by name are exact, and percentiles at most 3.2 % off") {
  const uint32_t seed = GENERATE(range(1U, 9U));
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> distribution(3 + 2.0 * seed, 0.1 * seed);
  std::vector<uint64_t> durations(2 + random() % 5000);
  for (uint64_t& ns : durations) ns = static_cast<uint64_t>(distribution(random));
  TraceBuilder builder;
  builder.add_process(7);
  const size_t half = durations.size() / 2;
  const auto middle = durations.begin() + static_cast<ptrdiff_t>(half);
  builder.add_aggregates(
      {{.name = "Net", .durations_ns = {durations.begin(), middle}, .stored = half / 2, .failed = 1}}, 0, 60'000);
  builder.add_aggregates({{.name = "Net", .durations_ns = {middle, durations.end()}}}, 60'000, 120'000);
  const Analysed analysed({builder.bytes()});
  const analysis::Table q2 = analysed.table("Q2");
  REQUIRE(q2.rows.size() == 1);
  const auto& row = q2.rows[0];
  uint64_t total = 0;
  for (const uint64_t ns : durations) total += ns;
  const auto count = static_cast<double>(durations.size());
  CHECK(text(row[0]) == "Net");
  CHECK(number(row[3]) == count);
  CHECK(number(row[4]) == Approx(100 * static_cast<double>(half / 2) / count));
  CHECK(number(row[5]) == Approx(static_cast<double>(total) / kMs));
  CHECK(number(row[6]) == Approx(static_cast<double>(total) / count / kMs));
  CHECK(number(row[7]) == static_cast<double>(*std::min_element(durations.begin(), durations.end())) / kMs);
  CHECK(number(row[8]) == static_cast<double>(*std::max_element(durations.begin(), durations.end())) / kMs);
  size_t column = 9;
  for (const double share : {0.5, 0.9, 0.99}) {
    const auto exact = static_cast<double>(exact_quantile(durations, share)) / kMs;
    CHECK(std::abs(number(row[column++]) - exact) <= 0.032 * exact);
  }
  CHECK(number(row[12]) == 1);
  CHECK(number(analysed.table("Q3").rows[0][4]) == static_cast<double>(half));
}

/// Three parts of a program that calls 10 and then 20 and then 30 times, while another ends in the first.
std::vector<std::string> counted_parts() {
  const auto calls = [](size_t count) {
    return AggregateSpec{.name = "Net", .durations_ns = std::vector<uint64_t>(count, kMs)};
  };
  std::vector<std::string> parts;
  TraceBuilder part;
  part.describe_part(1, 1);
  part.add_process(7);
  part.add_process(8);
  for (const uint32_t process : {0, 1, 2}) part.add_aggregates({}, 1, 1, true, process);
  part.add_aggregates({calls(10)}, 1, 60'000);
  part.add_aggregates({calls(5)}, 1, 60'000, false, 2);
  parts.push_back(part.bytes());
  TraceBuilder second = part.next_part(60'000);
  second.add_aggregates({calls(5)}, 1, 60'000, true, 0);
  second.add_aggregates({calls(10)}, 1, 60'000, true);
  second.add_aggregates({calls(20)}, 60'000, 120'000);
  parts.push_back(second.bytes());
  TraceBuilder third = second.next_part(120'000);
  third.add_aggregates({calls(5)}, 1, 120'000, true, 0);
  third.add_aggregates({calls(30)}, 1, 120'000, true);
  third.add_aggregates({calls(30)}, 120'000, 180'000);
  parts.push_back(third.bytes());
  return parts;
}

TEST_CASE("counts are of all time, whichever parts are there and in whatever order they come") {
  std::vector<std::string> parts = counted_parts();
  const int which = GENERATE(0, 1, 2, 3, 4);
  INFO(which);
  if (which == 1) parts.erase(parts.begin());
  if (which == 2) parts.erase(parts.begin(), parts.begin() + 2);
  if (which == 3) std::reverse(parts.begin(), parts.end());
  if (which == 4) parts = {parts[2], parts[0], parts[1]};
  const Analysed analysed(parts);
  const analysis::Table q2 = analysed.table("Q2");
  REQUIRE(q2.rows.size() == 1);
  CHECK(number(q2.rows[0][3]) == 65);
  CHECK(number(analysed.table("Q3").rows.back()[1]) == 30);
  CHECK(analysed.table("Q3").rows.size() == (which == 1 ? 2 : which == 2 ? 1 : 3));
  const auto facts = analysis::report_header(*analysed.study).facts;
  const auto fact = std::find_if(facts.begin(), facts.end(), [](const auto& f) { return f.name == "Continuous"; });
  REQUIRE(fact != facts.end());
  INFO(fact->value);
  CHECK(fact->value.find(which == 1   ? "2 parts of 3"
                         : which == 2 ? "1 part of 3"
                                      : "3 parts of 3") != std::string::npos);
  CHECK(fact->value.find("00:02:59 recorded, stored 0 of 65 spans") != std::string::npos);
}

TEST_CASE("a second recording in a folder begins where it says so") {
  std::vector<std::string> parts = counted_parts();
  for (std::string& part : parts) {
    xsp::Trace message;
    REQUIRE(message.ParseFromString(part));
    auto* of = message.mutable_packet(0)->mutable_header()->mutable_part();
    of->set_index(of->index() + 7);
    part = message.SerializeAsString();
  }
  CHECK(quality(Analysed(parts).table("Q1"), "parts_removed") == 0);
  CHECK(number(Analysed(parts).table("Q2").rows[0][3]) == 65);
}

TEST_CASE("--process chooses whose counts are shown") {
  analysis::StudyOptions options;
  options.process = "7";
  CHECK(number(Analysed(counted_parts(), options).table("Q2").rows[0][3]) == 60);
}

TEST_CASE("without counts Q2 and Q3 are in no report of all, and lack data where they are asked for") {
  TraceBuilder builder;
  builder.add_process(7);
  builder.add_evaluation(1, {1});
  const Analysed analysed({builder.bytes()});
  for (const char* id : {"Q2", "Q3"}) {
    CHECK(analysed.table(id).rows.empty());
    CHECK(analysed.table(id).lacks_data);
    const analysis::TableDefinition* found = analysis::table_definition(id);
    REQUIRE(found != nullptr);
    CHECK_FALSE(found->has_several(*analysed.study));
  }
}

TEST_CASE("damaged counts are refused whole") {
  TraceBuilder builder;
  builder.add_process(7);
  builder.add_aggregates({{.name = "Net", .durations_ns = {1000, 2000, 1'000'000}}}, 0, 60'000);
  xsp::Trace message;
  REQUIRE(message.ParseFromString(builder.bytes()));
  auto* aggregates = message.mutable_packet(message.packet_size() - 2)->mutable_aggregates();
  REQUIRE(aggregates->count() == 1);
  switch (GENERATE(0, 1, 2, 3, 4, 5)) {
    case 0:
      aggregates->set_count(2);
      break;
    case 1:
      aggregates->set_buckets(0, 4);
      break;
    case 2:
      aggregates->set_bucket(0, 5000);
      break;
    case 3:
      aggregates->add_bucket_spans(1);
      break;
    case 4:
      aggregates->set_level_kind(0, 7);
      break;
    default:
      aggregates->set_end_ns(0);
      aggregates->set_begin_ns(1);
  }
  const Analysed analysed({message.SerializeAsString()});
  CHECK(analysed.trace.files[0].corrupt_packets == 1);
  CHECK(analysed.trace.aggregates.empty());
}

}  // namespace
}  // namespace xsp::test
