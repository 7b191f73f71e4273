#include "inject/launch/concurrency/policy.h"

#include "test/catch.h"

using xsp::launch::Policy;
using xsp::launch::policy_of;
using xsp::launch::policy_text;
using xsp::launch::ReportTable;
using xsp::launch::text_of;

namespace {

/// E2 with these members beside its rows, as xsp-report prints it.
Policy policy_beside(const std::string& extras) {
  const auto table = ReportTable::read(R"({"E2": {"columns": [], "rows": [[1]])" + extras + "}}", "E2");
  REQUIRE(table.has_value());
  return policy_of(*table);
}

}  // namespace

TEST_CASE("a policy is what E2 has chosen: one number for the whole model, or one for types of layers") {
  const Policy whole =
      policy_beside(R"(, "machine": {"cores": 8, "own": 8}, "policy": {"rule": "whole_run", "threads": 3})");
  CHECK(whole.own == 8);
  CHECK(whole.whole == 3);
  CHECK(whole.types.empty());
  const Policy types = policy_beside(
      R"(, "machine": {"own": 4}, "policy": {"rule": "type", "threads": 0}, "policy_types": {"Conv2d": 1, "Linear": 2})");
  CHECK(types.whole == 0);
  REQUIRE(types.types.size() == 2);
  CHECK(types.types[0] == std::pair<std::string, uint32_t>("Conv2d", 1));
  CHECK(types.types[1] == std::pair<std::string, uint32_t>("Linear", 2));
  CHECK(policy_beside(R"(, "policy": {"rule": "none", "threads": 0})").is_empty());
}

TEST_CASE("what is no number of threads is no advice") {
  for (const char* threads : {"0", "-1", "1.5", "5000", "18446744073709551616", "\"2\"", "null", "[2]"}) {
    INFO(threads);
    CHECK(policy_beside(R"(, "policy": {"rule": "whole_run", "threads": )" + std::string(threads) + "}").is_empty());
    CHECK(policy_beside(R"(, "policy": {"rule": "type"}, "policy_types": {"X": )" + std::string(threads) + "}")
              .is_empty());
  }
  for (const char* odd :
       {"", R"(, "policy": 3)", R"(, "policy": {"rule": 3, "threads": 2})", R"(, "policy": {"rule": "type"})",
        R"(, "policy": {"rule": "type"}, "policy_types": [1, 2])", R"(, "policy": {"threads": 2})"}) {
    INFO(odd);
    CHECK(policy_beside(odd).is_empty());
  }
}

TEST_CASE("the policy file has a field after each tab, and names that cannot end a line") {
  const Policy policy = {.own = 2, .whole = 0, .types = {{"Conv2d", 1}, {"odd\tname\n100%", 4}}};
  CHECK(policy_text(policy) == "xsp-threads\t1\nown\t2\nwhole\t0\ntype\tConv2d\t1\ntype\todd%09name%0A100%25\t4\n");
  CHECK(policy_text({.whole = 3}) == "xsp-threads\t1\nwhole\t3\n");
}

TEST_CASE("a message names the first types and counts the others") {
  CHECK(text_of({.whole = 1}) == "1 thread to the whole model");
  CHECK(text_of({.types = {{"Conv2d", 1}, {"Linear", 2}}}) == "1 thread to Conv2d, 2 threads to Linear");
  CHECK(text_of({.types = {{"A", 1}, {"B", 1}, {"C", 1}, {"D", 1}, {"E", 2}}}) ==
        "1 thread to A, 1 thread to B, 1 thread to C, and so on to 2 further types");
}
