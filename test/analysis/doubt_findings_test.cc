#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "test/analysis/contains.h"
#include "test/analysis/finding_tables.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

using test::contains;
using test::count;
using test::FindingTables;
using test::word;

const std::vector<std::string> kQuality = {"quantity", "level", "value", "note"};

std::vector<Cell> quality(const std::string& quantity, int64_t value) {
  return {word(quantity), word("all"), count(value), Cell()};
}

TEST_CASE("a profile that holds less than half of its operators is in doubt before all else") {
  FindingTables filtered;
  filtered.add("Q1", kQuality,
               {quality("spans", 1000), quality("dropped", 500), quality("recorded_operators", 4000),
                quality("removed_operators", 3900)});
  REQUIRE(filtered.find("filtered-profile") != nullptr);
  CHECK(filtered.found().front().id == "filtered-profile");
  CHECK(filtered.found().front().text ==
        "The profile was filtered: it holds 100 of at least 4000 operators and annotations (2.5 %)");
  CHECK(contains(filtered.found().front().advice, "use the whole profile"));
  FindingTables half;
  half.add("Q1", kQuality,
           {quality("spans", 1000), quality("recorded_operators", 40), quality("removed_operators", 20)});
  CHECK(half.find("filtered-profile") == nullptr);
}

}  // namespace
}  // namespace xsp::analysis
