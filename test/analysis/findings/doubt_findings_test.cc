#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "test/analysis/support/finding_tables.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;
using test::FindingTables;
using test::kQuality;
using test::quality;
using test::word;

TEST_CASE("a profile that holds less than half of its operators is a note") {
  FindingTables filtered;
  filtered.add("Q1", kQuality,
               {quality("spans", 1000), quality("dropped", 500), quality("recorded_operators", 4000),
                quality("removed_operators", 3900)});
  REQUIRE(filtered.find("filtered-profile") != nullptr);
  CHECK(filtered.find("filtered-profile")->is_note);
  CHECK((*filtered.find("filtered-profile")).text ==
        "The profile was filtered: only 100 of at least 4,000 recorded operators and annotations are left in the file "
        "(2.5 %)");
  CHECK((*filtered.find("filtered-profile")).advice == "what the CPU did in the rest of the call is not known");
  filtered.add("A10", {"name", "latency_ms"}, {{word("k"), 1.0}});
  CHECK(contains((*filtered.find("filtered-profile")).advice, "kernels may be missing too"));
  FindingTables half;
  half.add("Q1", kQuality,
           {quality("spans", 1000), quality("recorded_operators", 40), quality("removed_operators", 20)});
  CHECK(half.find("filtered-profile") == nullptr);
}

TEST_CASE("launches at the end that the device had not come to are a note, and no doubt") {
  FindingTables ahead;
  ahead.add("Q1", kQuality,
            {quality("spans", 9000), quality("unmatched_launch", 100), quality("launches", 250),
             quality("launched_ahead", 98), quality("ahead_ms", 421)});
  REQUIRE(ahead.found().size() == 1);
  const Finding* finding = ahead.find("host-ahead");
  REQUIRE(finding != nullptr);
  CHECK(finding->is_note);
  CHECK(finding->text ==
        "When the recording ends, the CPU is 421 ms ahead of the GPU: 98 of 250 launches run after the end");
  CHECK(finding->advice.empty());
}

TEST_CASE("launches without executions elsewhere are a doubt, as a part of all launches") {
  FindingTables lost;
  lost.add("Q1", kQuality,
           {quality("spans", 9000), quality("unmatched_launch", 100), quality("launches", 250),
            quality("launched_ahead", 97), quality("ahead_ms", 421)});
  REQUIRE(lost.found().size() == 1);
  CHECK(lost.found().front().id == "losses");
  CHECK(!lost.found().front().is_note);
  CHECK(lost.found().front().text ==
        "100 launches of kernels or graphs whose GPU activity is not in the trace (40.0 % of 250 launches)");
}

}  // namespace
}  // namespace xsp::analysis
