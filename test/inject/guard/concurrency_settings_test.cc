#include "inject/guard/concurrency_settings.h"

#include <string>

#include "test/catch.h"

namespace {

using xsp::guest::ConcurrencyMode;
using xsp::guest::ConcurrencySettings;
using xsp::guest::parse_concurrency;

TEST_CASE("nothing is asked for without a word") {
  const ConcurrencySettings settings = parse_concurrency("");
  CHECK(settings.mode == ConcurrencyMode::kNone);
  CHECK(settings.sessions_intra == 0);
}

TEST_CASE("words say what is done with threads") {
  const ConcurrencySettings settings =
      parse_concurrency("measure cores=8 interval=2  validate unknown=1 sessions-inter=3");
  CHECK(settings.mode == ConcurrencyMode::kMeasure);
  CHECK(settings.cores == 8);
  CHECK(settings.interval == 2);
  CHECK(settings.validate);
  CHECK(settings.sessions_inter == 3);
  CHECK(parse_concurrency("record").mode == ConcurrencyMode::kRecord);
}

TEST_CASE("the path of a policy has its blanks and percent signs encoded") {
  const ConcurrencySettings settings = parse_concurrency("apply=/a%20b/100%25 sessions-intra=2");
  CHECK(settings.mode == ConcurrencyMode::kApply);
  CHECK(std::string(settings.policy) == "/a b/100%");
  CHECK(settings.sessions_intra == 2);
}

TEST_CASE("a path that is cut, broken or missing applies nothing") {
  for (const std::string& word : {std::string("apply="), std::string("apply=/a%2"), std::string("apply=/a%zz"),
                                  "apply=/" + std::string(2000, 'a')}) {
    const ConcurrencySettings settings = parse_concurrency(word);
    CHECK(settings.mode == ConcurrencyMode::kNone);
    CHECK(settings.policy[0] == '\0');
  }
}

TEST_CASE("numbers that are none, or too large, count as not given") {
  CHECK(parse_concurrency("cores=x").cores == 0);
  CHECK(parse_concurrency("cores=-1").cores == 0);
  CHECK(parse_concurrency("cores=4097").cores == 0);
  CHECK(parse_concurrency("cores=99999999999999999999").cores == 0);
  CHECK(parse_concurrency("cores=4096").cores == 4096);
}

}  // namespace
