/// The picture of L1: what each level set saw of an evaluation.

#include <fmt/format.h>

#include "analysis/study/level_picture.h"
#include "test/analysis/support/leveled_runs.h"
#include "test/analysis/support/measured_study.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::Cell;
using analysis::Table;

TEST_CASE("the picture nests what each level set saw, and says which set times what") {
  const Analysed analysed(four_levels().traces);
  const Table l1 = analysed.table("L1");
  REQUIRE(l1.parts.size() == 1);
  const Table& table = l1.parts[0];
  CHECK(table.id == "nested");
  check_columns(table,
                {"level_set", "event_level", "index", "parent_index", "name", "begin_ms", "latency_ms", "accurate"});
  std::vector<std::string> lines;
  for (const auto& row : table.rows) {
    REQUIRE(row.size() == table.columns.size());
    lines.push_back(fmt::format("{} {} {}<{} {} {:.4g}+{:.4g} {}", text(row[0]), text(row[1]), number(row[2]),
                                number(row[3]), text(row[4]), number(row[5]), number(row[6]),
                                row[7] == Cell(true) ? "accurate" : "-"));
  }
  const std::vector<std::string> expected = {
      "M model 0<-1 resnet 0+1 accurate",
      "M/L model 0<-1 resnet 0+1.3 -",
      "M/L layer 1<0 conv 0.01+0.4 accurate",
      "M/L layer 2<0 relu 0.41+0.5 accurate",
      "M/L/library model 0<-1 resnet 0+1.5 -",
      "M/L/library layer 1<0 conv 0.01+0.45 -",
      "M/L/library library 2<1 cudnnConvolutionForward 0.011+0.1 accurate",
      "M/L/library layer 3<0 relu 0.46+0.62 -",
      "M/L/library library 4<3 cudnnConvolutionForward 0.461+0.2 accurate",
      "M/L/library/G model 0<-1 resnet 0+2.1 -",
      "M/L/library/G layer 1<0 conv 0.01+0.6 -",
      "M/L/library/G library 2<1 cudnnConvolutionForward 0.011+0.15 -",
      "M/L/library/G kernel 3<2 kernel_of_conv 0.012+0.09 accurate",
      "M/L/library/G layer 4<0 relu 0.61+0.7 -",
      "M/L/library/G library 5<4 cudnnConvolutionForward 0.611+0.26 -",
      "M/L/library/G kernel 6<5 kernel_of_relu 0.612+0.08 accurate",
  };
  CHECK(lines == expected);
}

TEST_CASE("a picture of too many events leaves out the deepest levels whole") {
  const Analysed analysed(four_levels().traces);
  const auto profiles = analysis::profile_levels(*analysed.study);
  REQUIRE(profiles.size() == 4);
  const auto whole = analysis::picture_of(*analysed.study, profiles[3], 7);
  CHECK(whole.bars.size() == 7);
  CHECK(whole.left_out == analysis::Level::kUnspecified);
  const auto cut = analysis::picture_of(*analysed.study, profiles[3], 6);
  CHECK(cut.bars.size() == 5);
  CHECK(cut.left_out == analysis::Level::kDevice);
  const auto model = analysis::picture_of(*analysed.study, profiles[3], 2);
  CHECK(model.bars.size() == 1);
  CHECK(model.left_out == analysis::Level::kLayer);
}

TEST_CASE("a kernel of no layer lies in the model, and what differs between evaluations is left out") {
  RunSet set;
  const EvaluationCosts usual = {1000, {{"conv", 300, 100, 50}}};
  const EvaluationCosts other = {1000, {{"conv", 300, 100, 0}}};
  set.add("kernel", {usual, usual, usual, other});
  const Analysed analysed(set.traces);
  const auto picture = analysis::picture_of(*analysed.study, analysis::profile_levels(*analysed.study)[0], 100);
  REQUIRE(picture.bars.size() == 4);
  CHECK(picture.diverging == 1);
  CHECK(picture.bars[3].level == analysis::Level::kDevice);
  CHECK(picture.bars[3].layer == 0);
}

}  // namespace
}  // namespace xsp::test
