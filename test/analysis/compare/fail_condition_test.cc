#include <random>
#include <string>
#include <vector>

#include "analysis/compare/comparison_tables.h"
#include "analysis/compare/condition.h"
#include "analysis/compare/fail_check.h"
#include "analysis/compare/row_identity.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using analysis::Condition;
using analysis::FailCheck;
using xsp::Status;

/// Evaluations of these layers, l0, l1 and so on, types A and B in turn; Net takes 1 ms more.
std::string trace_of(const std::vector<std::vector<int64_t>>& evaluations) {
  TraceBuilder builder;
  builder.add_process(10);
  int64_t at = 0;
  for (const auto& latencies : evaluations) {
    builder.add_evaluation(at, latencies);
    at += 1000;
  }
  return builder.bytes();
}

/// Layers of 2, 3 and 5 ms; Net takes 11.
std::string three_layers() { return trace_of({{2, 3, 5}, {2, 3, 5}, {2, 3, 5}, {2, 3, 5}, {2, 3, 5}}); }

struct Judged {
  Status status;
  FailCheck check;

  /// "holds", "not", "unknown" or the error.
  std::string verdict() const {
    if (!status.ok()) return status.error;
    return !check.holds.empty() ? "holds" : !check.unknown.empty() ? "unknown" : "not";
  }
};

Judged judge(const std::string& text, const std::string& trace = three_layers()) {
  Judged judged;
  Condition condition;
  judged.status = parse_condition(text, &condition);
  if (!judged.status.ok()) return judged;
  const Analysed input({trace});
  judged.status = check_condition(condition, *input.study, nullptr, &judged.check);
  return judged;
}

Judged judge_pair(const std::string& text, const std::string& base, const std::string& fresh) {
  Judged judged;
  Condition condition;
  judged.status = parse_condition(text, &condition);
  if (!judged.status.ok()) return judged;
  const Analysed before({base});
  const Analysed after({fresh});
  const analysis::Comparison comparison = analysis::compare(*before.study, *after.study);
  analysis::ComparisonTables tables(comparison);
  judged.status = check_condition(condition, *after.study, &tables, &judged.check);
  return judged;
}

TEST_CASE("a limit holds of a value or does not") {
  CHECK(judge("A1.latency_ms > 10").verdict() == "holds");
  CHECK(judge("A1.latency_ms > 11").verdict() == "not");
  CHECK(judge("A1.latency_ms >= 11").verdict() == "holds");
  CHECK(judge("A1.latency_ms < 11").verdict() == "not");
  CHECK(judge("A1.latency_ms <= 11").verdict() == "holds");
  CHECK(judge("A1.latency_ms == 11").verdict() == "holds");
  CHECK(judge("A1.latency_ms != 11").verdict() == "not");
  CHECK(judge("a1.latency_ms>1e1").verdict() == "holds");
  CHECK(judge("10 < A1.latency_ms").verdict() == "holds");
}

TEST_CASE("arithmetic and logic bind as everywhere") {
  CHECK(judge("A1.latency_ms == 1 + 2 * 5").verdict() == "holds");
  CHECK(judge("A1.latency_ms == (1 + 2) * 5 - 4").verdict() == "holds");
  CHECK(judge("A1.latency_ms == 22 / 2").verdict() == "holds");
  CHECK(judge("A1.latency_ms == 20 - 5 - 4").verdict() == "holds");
  CHECK(judge("-A1.latency_ms == -11").verdict() == "holds");
  CHECK(judge("A1.latency_ms > 99 and A1.n > 0 or A1.n == 4").verdict() == "holds");
  CHECK(judge("A1.latency_ms > 99 and (A1.n > 0 or A1.n == 4)").verdict() == "not");
  CHECK(judge("not A1.latency_ms > 99").verdict() == "holds");
  CHECK(judge("not (A1.latency_ms > 99 or A1.n == 4)").verdict() == "not");
}

TEST_CASE("without a selector every row is judged, and each in which it holds is told") {
  const Judged judged = judge("A2.latency_ms > 2.5");
  REQUIRE(judged.check.holds.size() == 2);
  CHECK(judged.check.holds[0] == "A2[l1]: latency_ms 3.000");
  CHECK(judged.check.holds[1] == "A2[l2]: latency_ms 5.000");
  CHECK(judge("A2.latency_ms > 2 * A2.spread + 4").check.holds.size() == 1);
}

TEST_CASE("a selector chooses rows by name, pattern or column") {
  CHECK(judge("A2[l1].latency_ms > 1").check.holds.size() == 1);
  CHECK(judge("A2[l*].latency_ms > 1").check.holds.size() == 3);
  CHECK(judge("A2[?2].latency_ms > 1").check.holds.size() == 1);
  CHECK(judge("A2[index=2].latency_ms > 1").check.holds.front() == "A2[l2]: latency_ms 5.000");
  CHECK(judge("A2[type=A].latency_ms > 1").check.holds.size() == 2);
  CHECK(judge("A2[\"l1\"].latency_ms > 1").check.holds.size() == 1);
  CHECK(judge("A6[A].latency_ms == 7").verdict() == "holds");
  CHECK(judge("Q1[spans].value > 3").verdict() == "holds");
  CHECK(judge("A1[input=[4,3]].latency_ms > 3").verdict() == "holds");
}

TEST_CASE("one value of another table may be in it") {
  CHECK(judge("A2.latency_ms > 0.4 * A1.latency_ms").check.holds.size() == 1);
  CHECK(judge("A2[l2].latency_ms > A2[l0].latency_ms + A2[l1].latency_ms").verdict() == "not");
  CHECK(contains(judge("A1.latency_ms > A2.latency_ms").verdict(), "A2 is of 3 rows"));
}

TEST_CASE("texts and truths are compared with their like") {
  CHECK(judge("A2[l0].type == 'A'").verdict() == "holds");
  CHECK(judge("A2[l0].type != \"A\"").verdict() == "not");
  CHECK(contains(judge("A2[l0].type > 3").verdict(), "A cannot be compared with 3.000"));
  CHECK(contains(judge("A2[l0].type + 3 > 3").verdict(), "A is no number"));
  CHECK(contains(judge("A1.latency_ms").verdict(), "neither true nor false"));
  CHECK(contains(judge("A1.latency_ms and true").verdict(), "neither true nor false"));
}

TEST_CASE("what is not known neither holds nor passes") {
  CHECK(judge("A2[gone].latency_ms > 1").verdict() == "unknown");
  CHECK(judge("A10.latency_ms > 1").verdict() == "unknown");
  CHECK(judge("A1.latency_ms / 0 > 1").verdict() == "unknown");
  CHECK(judge("not A1.latency_ms / 0 > 1").verdict() == "unknown");
  CHECK(judge("A1.latency_ms / 0 > 1 and A1.n > 99").verdict() == "not");
  CHECK(judge("A1.latency_ms / 0 > 1 or A1.n < 99").verdict() == "holds");
  CHECK(judge("A2[l0].library_ms > 1").verdict() == "unknown");
}

TEST_CASE("what is no condition is refused, with what is wrong and where") {
  const auto error = [](const std::string& text) {
    Condition condition;
    return parse_condition(text, &condition).error;
  };
  CHECK(contains(error(""), "a value is missing"));
  CHECK(contains(error("A1.latency_ms > "), "a value is missing at its end"));
  CHECK(contains(error("A1.latency_ms > > 3"), "a value is missing at '> 3'"));
  CHECK(contains(error("(A1.latency_ms > 3"), "a ')' is missing"));
  CHECK(contains(error("A1.latency_ms > 3)"), "not understood at ')'"));
  CHECK(contains(error("A1.latency_ms > 3 4"), "not understood at '4'"));
  CHECK(contains(error("1 < A1.latency_ms < 3"), "not understood at '< 3'"));
  CHECK(contains(error("A1.latency_ms > 3ms"), "numbers have no units"));
  CHECK(contains(error("A1 > 3"), "a column is missing behind A1"));
  CHECK(contains(error("A1. > 3"), "a column is missing"));
  CHECK(contains(error("A2[l0.latency_ms > 3"), "a ']' is missing"));
  CHECK(contains(error("A2[\"l0].latency_ms > 3"), "a quotation mark is missing"));
  CHECK(contains(error("A99.latency_ms > 3"), "unknown table 'A99'"));
  CHECK(contains(error("all.latency_ms > 3"), "a table is missing"));
  CHECK(contains(error("1 > 2"), "names no value of a table"));
  CHECK(contains(error("base > 2"), "names no value of a table"));
  CHECK(contains(error(std::string(100000, '(') + "A1.n"), "nested too deeply"));
  CHECK(contains(error(std::string(100000, '-') + "A1.n"), "nested too deeply"));
  CHECK(contains(judge("A1.latency > 3").verdict(), "A1 has no column latency"));
  CHECK(contains(judge("A1.latency_ms > base").verdict(), "of a comparison"));
  CHECK(contains(judge("A1.latency_ms > 1 and significant").verdict(), "of a comparison"));
}

TEST_CASE("any text is a condition or is refused") {
  const std::vector<std::string> parts = {"A1",    "A2", ".",    "latency_ms",  "[",    "]",  "\"",  "'",
                                          "(",     ")",  "base", "significant", "and",  "or", "not", "+",
                                          "-",     "*",  "/",    "<",           ">",    "=",  "!",   "1",
                                          "1e999", ".5", " ",    "all",         "true", "l*", "type"};
  std::mt19937 random(20260131);
  size_t accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (size_t n = random() % 12; n-- > 0;) text += parts[random() % parts.size()];
    Condition condition;
    const Status status = parse_condition(text, &condition);
    if (!status.ok()) continue;
    ++accepted;
    REQUIRE(condition.root < condition.nodes.size());
    REQUIRE_FALSE(condition.references.empty());
    for (const auto& node : condition.nodes) REQUIRE(node.reference < condition.references.size());
  }
  CHECK(accepted > 0);
}

TEST_CASE("base is the same value of BASE") {
  const std::string slower = trace_of({{2, 3, 7}, {2, 3, 7}, {2, 3, 7}, {2, 3, 7}});
  const auto verdict = [&](const std::string& text) { return judge_pair(text, three_layers(), slower).verdict(); };
  CHECK(verdict("A1.latency_ms > 1.1 * base") == "holds");
  CHECK(verdict("A1.latency_ms > 1.2 * base") == "not");
  CHECK(verdict("1.1 * base < A1.latency_ms") == "holds");
  CHECK(verdict("A1.latency_ms - base == 2") == "holds");
  CHECK(verdict("A1.latency_ms > 1.1 * base.A1.latency_ms") == "holds");
  CHECK(verdict("base.A1.latency_ms == 11") == "holds");
  CHECK(verdict("A2[l2].latency_ms == base + base.A2[l0].latency_ms") == "holds");
  CHECK(verdict("A2.latency_ms > base and significant") == "holds");
  CHECK(verdict("A2[l1].latency_ms > base or significant") == "not");
  CHECK(verdict("A6[A].latency_ms - base == 2 and significant") == "holds");
  CHECK(verdict("A3.latency_ms > 1.3 * base") == "holds");
  CHECK(contains(verdict("A3.latency_ms > base and significant"), "A3 has no significance"));
  const Judged judged = judge_pair("A2.latency_ms > 1.3*base and significant", three_layers(), slower);
  REQUIRE(judged.check.holds.size() == 1);
  CHECK(judged.check.holds[0] == "A2[l2]: latency_ms 7.000, base 5.000, significant yes");
}

TEST_CASE("base of a layer is that of the layer it was, wherever that stood") {
  TraceBuilder builder;  // l1 and l2 of three_layers alone
  builder.add_process(10);
  for (int64_t i = 0; i < 4; ++i) {
    const auto id = static_cast<uint32_t>(3 * i);
    const int64_t at = i * 100'000'000;
    SpanSpec layer{.begin = at, .end = at + 3'000'000, .id = id + 2, .parent = id + 1, .kind = KIND_TORCH_MODULE};
    layer.name = "l1";
    layer.type = "B";
    builder.add(layer);
    layer = {.begin = at + 3'000'000, .end = at + 8'000'000, .id = id + 3, .parent = id + 1, .kind = KIND_TORCH_MODULE};
    layer.name = "l2";
    layer.type = "A";
    builder.add(layer);
    SpanSpec model{.begin = at, .end = at + 9'000'000, .id = id + 1, .level = LEVEL_MODEL, .kind = KIND_TORCH_ROOT};
    model.name = "Net";
    model.input = "[4,3]";
    builder.add(model);
  }
  const Judged judged = judge_pair("A2.latency_ms != base", three_layers(), builder.bytes());
  CHECK(judged.check.holds.empty());
  REQUIRE(judged.check.unknown.size() == 1);
  CHECK(judged.check.unknown[0] == "A2[l0]: not in NEW");
  const Judged added = judge_pair("A2.latency_ms != base", builder.bytes(), three_layers());
  CHECK(added.check.holds.empty());
  REQUIRE(added.check.unknown.size() == 1);
  CHECK(added.check.unknown[0] == "A2[l0]: latency_ms 2.000, base not known (not in BASE)");
  CHECK(judge_pair("A2[l1].latency_ms != base", builder.bytes(), three_layers()).verdict() == "not");
  CHECK(judge_pair("A3[l2].latency_ms != base", builder.bytes(), three_layers()).verdict() == "not");
}

}  // namespace
}  // namespace xsp::test
