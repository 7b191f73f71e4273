#include "inject/launch/experiment/run_number.h"

#include "test/catch.h"

using xsp::launch::has_run_number;
using xsp::launch::with_run_number;

TEST_CASE("{run} becomes the number of the run, {{run}} stays as {run}") {
  CHECK(with_run_number(std::string("out-{run}.npy"), 12) == "out-12.npy");
  CHECK(with_run_number(std::string("{run}{run}"), 3) == "33");
  CHECK(with_run_number(std::string("f'{{run}}'"), 3) == "f'{run}'");
  CHECK(with_run_number(std::string("{ru {running} }"), 3) == "{ru {running} }");
  CHECK(has_run_number({"x", "-o{run}"}));
  CHECK_FALSE(has_run_number({"x", "{{run}}"}));
}
