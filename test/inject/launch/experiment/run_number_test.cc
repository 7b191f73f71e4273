#include "inject/launch/experiment/run_number.h"

#include "test/catch.h"

using xsp::launch::has_run_number;
using xsp::launch::with_parameters;
using xsp::launch::with_run_number;

TEST_CASE("{run} becomes the number of the run, {{run}} stays as {run}") {
  CHECK(with_run_number(std::string("out-{run}.npy"), 12) == "out-12.npy");
  CHECK(with_run_number(std::string("{run}{run}"), 3) == "33");
  CHECK(with_run_number(std::string("f'{{run}}'"), 3) == "f'{run}'");
  CHECK(with_run_number(std::string("{ru {running} }"), 3) == "{ru {running} }");
  CHECK(has_run_number({"x", "-o{run}"}));
  CHECK_FALSE(has_run_number({"x", "{{run}}"}));
}

TEST_CASE("a name in braces becomes its value, which is not looked through again") {
  CHECK(with_parameters("{batch}x{batch}", {{"batch", "4"}}) == "4x4");
  CHECK(with_parameters("{{batch}} {other} {batch", {{"batch", "4"}}) == "{4} {other} {batch");
  CHECK(with_parameters("echo {foo} {bar}", {{"foo", "{bar} baz"}, {"bar", "quux"}}) == "echo {bar} baz quux");
  for (const char* value : {"{run}", "{{run}}", "{{{run}}}", "{run", "run}{run}"}) {
    CHECK(with_run_number(with_parameters("{f}-{run}", {{"f", value}}), 3) == std::string(value) + "-3");
  }
}
