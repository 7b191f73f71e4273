#include "inject/launch/concurrency/measuring_run.h"

#include "test/catch.h"

using xsp::launch::measured_beside;

TEST_CASE("the measuring run has the name of the trace, with what it is before the end") {
  CHECK(measured_beside("run.pb") == "run.measured.pb");
  CHECK(measured_beside("/a.b/xsp-infer-12.pb") == "/a.b/xsp-infer-12.measured.pb");
  CHECK(measured_beside("run") == "run.measured.pb");
}
