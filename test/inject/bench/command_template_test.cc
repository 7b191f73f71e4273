#include "inject/bench/command_template.h"

#include "test/catch.h"

using xsp::bench::check_use;
using xsp::bench::filled_in;
using xsp::bench::unknown_names;

namespace {

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a name in braces becomes its value, everywhere") {
  CHECK(filled_in(Words{"python", "-b", "{b}", "{t}"}, {{"b", "1"}, {"t", "2"}}) == Words{"python", "-b", "1", "2"});
}

TEST_CASE("names in braces that are no parameters are found") {
  CHECK(unknown_names({"f({x})", "{batch}{y}", "{x}", "{1,2}", "{}", "{"}, {{"batch", {"1"}}}) == Words{"x", "y"});
}

TEST_CASE("a parameter that is nowhere in the command is refused, with the arguments") {
  CHECK(check_use({"python", "{a}{b}"}, {{"a", {"1"}}, {"b", {"1"}}}).ok());
  const auto status = check_use({"python", "infer.py", "--batch", "batch"}, {{"batch", {"1"}}});
  REQUIRE_FALSE(status.ok());
  CHECK(status.error.find("{batch} is nowhere") != std::string::npos);
  CHECK(status.error.find("'python' 'infer.py' '--batch' 'batch'") != std::string::npos);
}
