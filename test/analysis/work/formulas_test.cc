#include <fstream>
#include <sstream>
#include <string>

#include "analysis/work/formulas.h"
#include "analysis/work/operator_work.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

TEST_CASE("doc/metrics.md has the table of formulas that the program computes by") {
  std::ifstream file(std::string(XSP_SOURCE_DIR) + "/doc/metrics.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string document = text.str();
  REQUIRE_FALSE(document.empty());
  const std::string expected = analysis::formulas_markdown();
  INFO("doc/metrics.md needs this table:\n" << expected);
  CHECK(document.find(expected) != std::string::npos);
}

TEST_CASE("every formula says what it counts and where it is from") {
  for (size_t i = 0; i < analysis::kFormulas; ++i) {
    const auto& formula = analysis::formula_of(static_cast<uint16_t>(i));
    CHECK(static_cast<size_t>(formula.id) == i);
    CHECK_FALSE(formula.name.empty());
    CHECK_FALSE(formula.flops.empty());
    CHECK_FALSE(formula.bytes.empty());
    CHECK_FALSE(formula.source.empty());
  }
}

TEST_CASE("operators are found by the names that frameworks give them") {
  for (const char* name : {"aten::addmm", "aten::add_", "aten::copy_", "aten::_foreach_add_", "Conv", "_FusedConv2D"}) {
    CHECK(analysis::has_operator_formula(name));
  }
  for (const char* name : {"addmm", "aten::addmm__", "aten::", "aten::view", "AddmmBackward0", "conv", ""}) {
    CHECK_FALSE(analysis::has_operator_formula(name));
  }
}

}  // namespace
}  // namespace xsp::test
