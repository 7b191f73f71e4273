#include "bound/tables/what_if_table.h"

#include <algorithm>

#include "analysis/tables/table_cells.h"
#include "bound/tables/time_findings.h"
#include "bound/tables/what_if_findings.h"
#include "test/bound/bounds/layer_graph.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

using analysis::Finding;

/// 10 ms layer by layer.
struct WhatIfNet {
  LayeredModel model = test::graph_of({{}, {0}});
  BoundSubject subject;

  explicit WhatIfNet(std::vector<WhatIf> rows) {
    model.name = "net";
    subject.bounds.push_back(make_bounds(model, {test::time_of_ms(6), test::time_of_ms(4)}));
    subject.advice.push_back({.choices = {}, .inefficiencies = {}, .what_ifs = std::move(rows)});
  }
  std::vector<Finding> findings() const {
    std::vector<Finding> found;
    add_what_if_findings(subject, &found);
    return found;
  }
};

WhatIf changed(const std::string& what, const std::string& rule, size_t count, double before_ms, double after_ms,
               const std::string& caveat = "") {
  return {.what = what, .rule = rule, .count = count, .before_ms = before_ms, .after_ms = after_ms, .caveat = caveat};
}

std::string words_at(const analysis::Table& table, size_t row, const analysis::ColumnFacts& column) {
  const auto place = analysis::find_column(table, column);
  return place ? analysis::words_of(table.rows.at(row)[*place]) : "";
}

}  // namespace

TEST_CASE("B7 has profits as shares of the time before, losses as negative ones") {
  WhatIf unknown = changed("fuse", "product", 0, 10, 10, "not measured");
  unknown.is_measured = false;
  const WhatIfNet net({changed("fuse", "convolution", 2, 10, 9),
                       changed("bf16", "2 of 2 layers", 2, 8, 18, "emulated: …"), changed("all", "fuse", 0, 10, 9),
                       unknown});
  const analysis::Table table = what_if_table(net.subject);
  REQUIRE(table.rows.size() == 4);
  CHECK(words_at(table, 3, kB7.before_ms) == "10");
  CHECK(words_at(table, 3, kB7.after_ms).empty());
  CHECK(words_at(table, 3, kB7.profit_ms).empty());
  CHECK(words_at(table, 0, kB7.what) == "fuse");
  CHECK(words_at(table, 0, kB7.rule) == "convolution");
  CHECK(words_at(table, 0, kB7.count) == "2");
  const auto profit_pct = *analysis::find_column(table, kB7.profit_pct);
  const auto profit_ms = *analysis::find_column(table, kB7.profit_ms);
  CHECK(std::get<double>(table.rows[0][profit_pct]) == Approx(10));
  CHECK(std::get<double>(table.rows[1][profit_ms]) == Approx(-10));
  CHECK(std::get<double>(table.rows[1][profit_pct]) == Approx(-125));
  CHECK(words_at(table, 1, kB7.caveat) == "emulated: …");
  CHECK(words_at(table, 2, kB7.count).empty());
  CHECK_FALSE(analysis::find_column(table, kB7.model).has_value());  // of one model
}

TEST_CASE("the type that gains most is a finding, one that loses a note") {
  const WhatIfNet net(
      {changed("fuse", "convolution", 2, 10, 9), changed("bf16", "2 of 2 layers", 2, 9, 20, "emulated: …"),
       changed("f16", "2 of 2 layers", 2, 9, 7), changed("int8", "1 of 2 layers", 1, 9, 3, "check it")});
  const std::vector<Finding> found = net.findings();
  REQUIRE(found.size() == 3);
  CHECK(found[0].id == "what-if-precision");
  CHECK(found[0].text == "In int8 (1 of 2 layers) the fused bound would be 3.000 ms, not 9.000 ms: 67 % less");
  CHECK(found[0].advice == "check it");
  CHECK(found[0].gain_ms == 6.0);
  CHECK(found[0].value == Approx(100 * 6.0 / 9));  // what the text and the row say
  CHECK(found[0].weight == Approx(0.6));           // compared with other findings
  CHECK(found[0].key == "int8");
  CHECK(found[1].id == "what-if-fused");
  CHECK(found[1].key == "convolution");
  CHECK(found[2].is_note);
  CHECK(found[2].text == "bf16 would be a loss: 20.00 ms instead of 9.000 ms");
  CHECK(found[2].advice == "emulated: …");
  CHECK_FALSE(found[2].gain_ms.has_value());
}

TEST_CASE("B7 of a model of which most layers have no time says that they have none") {
  WhatIfNet net({});
  LayerTime missing;
  missing.counts = true;
  net.model = test::graph_of({{}, {0}, {1}});
  net.subject.bounds = {};
  net.subject.bounds.push_back(make_bounds(net.model, {test::time_of_ms(6), missing, missing}));
  const analysis::Table table = what_if_table(net.subject);
  CHECK(table.rows.empty());
  CHECK(table.lacks_data);
  CHECK(table.notes.front() ==
        "2 of 3 layers have no time: what fusing, parallel branches and all together would save is not known");
}

TEST_CASE("that there are no branches is not said where layers have no time") {
  WhatIfNet net({});
  const auto says_no_branches = [&](const LayerTime& second) {
    const Bounds bounds = make_bounds(net.model, {test::time_of_ms(6), second});
    std::vector<Finding> found;
    find_times(net.subject.source, bounds, &found);
    return std::ranges::any_of(found, [](const Finding& one) { return one.id == "parallel-branches"; });
  };
  LayerTime missing;
  missing.counts = true;
  CHECK(says_no_branches(test::time_of_ms(4)));
  CHECK_FALSE(says_no_branches(missing));
}

TEST_CASE("faster implementations are told with what they are compared with") {
  const std::vector<Finding> found =
      WhatIfNet({changed("implementations", "", 3, 4, 3, "times are benchmarks")}).findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].text ==
        "By benchmarks, the library calls would take 3.000 ms, not 4.000 ms, with the fastest implementation in each: "
        "25 % less, in 3 calls");
  CHECK(found[0].advice == "times are benchmarks");
}

TEST_CASE("changes that hardly matter are no findings") {
  CHECK(WhatIfNet({changed("fuse", "convolution", 1, 5, 4.9), changed("f16", "2 of 2 layers", 2, 9, 8.8),
                   changed("implementations", "", 1, 3, 2.9), changed("parallel", "", 1, 9, 5)})
            .findings()
            .empty());
}

}  // namespace xsp::bound
