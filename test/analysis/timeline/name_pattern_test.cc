#include "analysis/timeline/name_pattern.h"

#include <string>

#include "analysis/trace/trace.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

TEST_CASE("patterns match whole names, in time that grows with their length") {
  analysis::StringTable strings;
  analysis::NamePattern pattern;
  REQUIRE(pattern.set("conv.*|fc").ok());
  CHECK(pattern.matches(strings, strings.intern("conv2d")));
  CHECK(pattern.matches(strings, strings.intern("fc")));
  CHECK_FALSE(pattern.matches(strings, strings.intern("my conv")));
  CHECK_FALSE(pattern.matches(strings, 0));
  REQUIRE(pattern.set("(a+)+b").ok());
  CHECK_FALSE(pattern.matches(strings, strings.intern(std::string(1000, 'a'))));
  REQUIRE(pattern.set("(.|x)*").ok());
  CHECK(pattern.matches(strings, strings.intern(std::string(1 << 20, 'x'))));
  CHECK_FALSE(pattern.set("(").ok());
  CHECK_FALSE(pattern.set(std::string(2000, 'a')).ok());
  CHECK_FALSE(pattern.set("x{000000200000000000002,12}").ok());
  CHECK_FALSE(pattern.set("(x)\\99999999999").ok());
  REQUIRE(pattern.set("a{2,12}_123456789\\{1234567\\}").ok());
  CHECK(pattern.matches(strings, strings.intern("aaa_123456789{1234567}")));
}

}  // namespace
}  // namespace xsp::test
