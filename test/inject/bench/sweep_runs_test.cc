#include "inject/bench/sweep_runs.h"

#include "test/catch.h"

using xsp::bench::needs_as_much_memory;

TEST_CASE("where a size ran out of memory, larger ones would") {
  const std::vector<std::string> sizes = {"batch", "sequence"};
  const xsp::launch::Parameters exhausted = {{"batch", "8"}, {"sequence", "128"}, {"dtype", "fp32"}};
  CHECK(needs_as_much_memory(exhausted, exhausted, sizes));
  CHECK(needs_as_much_memory({{"batch", "16"}, {"sequence", "128"}, {"dtype", "fp32"}}, exhausted, sizes));
  CHECK(needs_as_much_memory({{"batch", "16"}, {"sequence", "256"}, {"dtype", "fp32"}}, exhausted, sizes));
  CHECK_FALSE(needs_as_much_memory({{"batch", "16"}, {"sequence", "64"}, {"dtype", "fp32"}}, exhausted, sizes));
  CHECK_FALSE(needs_as_much_memory({{"batch", "4"}, {"sequence", "128"}, {"dtype", "fp32"}}, exhausted, sizes));
  CHECK_FALSE(needs_as_much_memory({{"batch", "16"}, {"sequence", "128"}, {"dtype", "fp16"}}, exhausted, sizes));
}

TEST_CASE("of parameters that are no sizes nothing is known") {
  CHECK_FALSE(needs_as_much_memory({{"threads", "8"}}, {{"threads", "4"}}, {}));
  CHECK(needs_as_much_memory({{"threads", "4"}}, {{"threads", "4"}}, {}));
}
