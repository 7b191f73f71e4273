#include "bound/tables/what_if_table.h"

#include <algorithm>

#include "analysis/tables/table_cells.h"
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

TEST_CASE("B7 has profits as shares of the whole model, losses as negative ones") {
  const WhatIfNet net({changed("fuse", "convolution", 2, 5, 4),
                       changed("bf16", "2 of 2 layers", 2, 9, 20, "emulated: …"), changed("all", "fuse", 0, 10, 9),
                       changed("fuse", "product", 0, 0, 0, "none")});
  const analysis::Table table = what_if_table(net.subject);
  REQUIRE(table.rows.size() == 4);
  CHECK(words_at(table, 3, kB7.before_ms).empty());
  CHECK(words_at(table, 0, kB7.what) == "fuse");
  CHECK(words_at(table, 0, kB7.rule) == "convolution");
  CHECK(words_at(table, 0, kB7.count) == "2");
  const auto profit_pct = *analysis::find_column(table, kB7.profit_pct);
  const auto profit_ms = *analysis::find_column(table, kB7.profit_ms);
  CHECK(std::get<double>(table.rows[0][profit_pct]) == Approx(10));
  CHECK(std::get<double>(table.rows[1][profit_ms]) == Approx(-11));
  CHECK(std::get<double>(table.rows[1][profit_pct]) == Approx(-110));
  CHECK(words_at(table, 1, kB7.caveat) == "emulated: …");
  CHECK(words_at(table, 2, kB7.count).empty());
  CHECK_FALSE(analysis::find_column(table, kB7.model).has_value());  // of one model
}

TEST_CASE("the type that gains most is a finding, one that loses a note") {
  const WhatIfNet net(
      {changed("fuse", "convolution", 2, 5, 4), changed("bf16", "2 of 2 layers", 2, 9, 20, "emulated: …"),
       changed("f16", "2 of 2 layers", 2, 9, 7), changed("int8", "1 of 2 layers", 1, 9, 3, "check it")});
  const std::vector<Finding> found = net.findings();
  REQUIRE(found.size() == 3);
  CHECK(found[0].id == "what-if-precision");
  CHECK(found[0].text == "In int8 (1 of 2 layers) the fused bound would be 3.000 ms, not 9.000 ms: 67 % less");
  CHECK(found[0].advice == "check it");
  CHECK(found[0].gain_ms == 6.0);
  CHECK(found[0].weight == Approx(0.6));
  CHECK(found[0].key == "int8");
  CHECK(found[1].id == "what-if-fused");
  CHECK(found[1].key == "convolution");
  CHECK(found[2].is_note);
  CHECK(found[2].text == "bf16 would be a loss: 20.00 ms instead of 9.000 ms");
  CHECK(found[2].advice == "emulated: …");
  CHECK_FALSE(found[2].gain_ms.has_value());
}

TEST_CASE("changes that hardly matter are no findings") {
  CHECK(WhatIfNet({changed("fuse", "convolution", 1, 5, 4.9), changed("f16", "2 of 2 layers", 2, 9, 8.8),
                   changed("implementations", "", 1, 3, 2.9), changed("parallel", "", 1, 9, 5)})
            .findings()
            .empty());
}

}  // namespace xsp::bound
