#include "bound/tables/implementation_table.h"

#include <algorithm>

#include "analysis/tables/table_cells.h"
#include "test/bound/bounds/layer_graph.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::bound {
namespace {

/// Two calls in a trace of 50 ms, the second one of no layer.
struct ChosenNet {
  LayeredModel model = test::graph_of({{}});
  JoinedTrace trace;
  BoundSubject subject;

  ChosenNet() {
    model.name = "net";
    trace.measured_ms = 50;
    TraceLayer layer;
    layer.index = 3;
    layer.name = "conv1";
    trace.layers = {layer};
    trace.calls.resize(2);
    trace.calls[0].call_index = 17;
    trace.calls[0].layer = 0;
    trace.calls[1].call_index = 18;
  }
  analysis::Table table(std::vector<ImplementationChoice> choices) {
    subject.bounds.push_back({.model = &model, .trace = &trace});
    subject.advice.push_back({.choices = std::move(choices)});
    return implementation_table(subject);
  }
};

ImplementationChoice choice_with_times() {
  return {.call = 0,
          .used = "jit:avx2",
          .library = "onednn 3.2.0",
          .benchmark = "onednn 3.2.0 (plain)",
          .used_ms = 4,
          .heuristic = "onednn 3.2.0 brgconv:avx512_core (any: acdb)",
          .heuristic_ms = 2,
          .best = "onednn 2.6.3 jit_wino_4x3:avx512_core (any: aBcd16b)",
          .best_ms = 1.5,
          .loss_ms = 2.5};
}

std::string word_at(const analysis::Table& table, size_t row, const analysis::ColumnFacts& column) {
  const auto place = analysis::find_column(table, column);
  return place ? analysis::words_of(table.rows.at(row)[*place]) : "";
}

double value_at(const analysis::Table& table, size_t row, const analysis::ColumnFacts& column) {
  const auto place = analysis::find_column(table, column);
  REQUIRE(place);
  return std::get<double>(table.rows.at(row)[*place]);
}

TEST_CASE("B5 has a row for each choice and their sum last") {
  ChosenNet net;
  ImplementationChoice second = choice_with_times();
  second.call = 1;
  second.loss_ms = 0.5;
  second.used_ms = 2;
  const analysis::Table table = net.table({choice_with_times(), second});
  REQUIRE(table.rows.size() == 3);
  CHECK(word_at(table, 0, kB5.layer_index) == "3");
  CHECK(word_at(table, 0, kB5.layer_name) == "conv1");
  CHECK(word_at(table, 0, kB5.call_index) == "17");
  CHECK(word_at(table, 0, kB5.used) == "jit:avx2");
  CHECK(word_at(table, 0, kB5.benchmark) == "onednn 3.2.0 (plain)");
  CHECK(value_at(table, 0, kB5.loss_pct) == Approx(5));
  CHECK(word_at(table, 1, kB5.layer_name).empty());
  CHECK(word_at(table, 2, kB5.layer_name) == "Σ");
  CHECK(value_at(table, 2, kB5.used_ms) == Approx(6));
  CHECK(value_at(table, 2, kB5.heuristic_ms) == Approx(4));
  CHECK(value_at(table, 2, kB5.best_ms) == Approx(3));
  CHECK(value_at(table, 2, kB5.loss_ms) == Approx(3));
  CHECK(value_at(table, 2, kB5.loss_pct) == Approx(6));
  CHECK_FALSE(table.lacks_data);
  CHECK_FALSE(analysis::find_column(table, kB5.model).has_value());  // of one model
}

TEST_CASE("what has no benchmark counts in no sum of B5, and a note says how many") {
  ChosenNet net;
  const analysis::Table table =
      net.table({choice_with_times(), {.call = 1, .used = "jit:uni", .best_ms = 7, .reason = "not measured"}});
  REQUIRE(table.rows.size() == 3);
  CHECK(word_at(table, 1, kB5.reason) == "not measured");
  CHECK(word_at(table, 1, kB5.loss_ms).empty());
  CHECK(value_at(table, 2, kB5.best_ms) == Approx(1.5));
  CHECK(value_at(table, 2, kB5.loss_ms) == Approx(2.5));
  CHECK(table.lacks_data);
  CHECK(std::ranges::any_of(table.notes, [](const std::string& note) {
    return xsp::test::contains(note, "1 of 2 calls without a benchmark of what was used");
  }));
}

TEST_CASE("B5 without calls says so, and without a trace is empty") {
  ChosenNet net;
  CHECK(net.table({}).notes.at(0) == "no library call was recorded");
  net.subject = {};
  net.trace.has_library_calls = true;
  const analysis::Table none = net.table({});
  CHECK(none.rows.empty());
  CHECK(xsp::test::contains(none.notes.at(0), "no call of a product or convolution"));
  BoundSubject subject;
  subject.bounds.push_back({.model = &net.model});
  subject.advice.emplace_back();
  CHECK(implementation_table(subject).rows.empty());
}

}  // namespace
}  // namespace xsp::bound
