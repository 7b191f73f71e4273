#include "inject/bench/inputs_per_evaluation.h"

#include "test/catch.h"

using xsp::bench::InputsPerEvaluation;
using xsp::bench::SweepParameter;

namespace {

const std::vector<SweepParameter> kSweep = {{"batch", {"4", "8"}}, {"seq", {"128"}}, {"dtype", {"fp16"}}};

double inputs(const std::string& text, const std::vector<SweepParameter>& parameters = kSweep) {
  InputsPerEvaluation parsed;
  if (!InputsPerEvaluation::parse(text, parameters, &parsed).ok()) return -1;
  xsp::launch::Parameters point;
  for (const SweepParameter& parameter : parameters) point.emplace_back(parameter.name, parameter.values[0]);
  return parsed.at(point);
}

}  // namespace

TEST_CASE("inputs of an evaluation are a number, a parameter or a product") {
  CHECK(inputs("32") == 32);
  CHECK(inputs("{seq}") == 128);
  CHECK(inputs("{batch}*{seq}") == 512);
  CHECK(inputs("{batch} * 2.5") == 10);
}

TEST_CASE("inputs that are not told are left to the report") { CHECK(inputs("") == 0); }

TEST_CASE("the parameters that inputs are counted by are known") {
  const auto counted_by = [](const std::string& text, const std::vector<SweepParameter>& parameters) {
    InputsPerEvaluation parsed;
    CHECK(InputsPerEvaluation::parse(text, parameters, &parsed).ok());
    return parsed.parameters();
  };
  using Names = std::vector<std::string>;
  CHECK(counted_by("{batch}*{seq}*2", kSweep) == Names{"batch", "seq"});
  CHECK(counted_by("32", kSweep) == Names{});
  CHECK(counted_by("", kSweep) == Names{"batch"});
  CHECK(counted_by("", {{"batch_size", {"16"}}}) == Names{"batch_size"});
  CHECK(counted_by("", {{"threads", {"16"}}}) == Names{});
  CHECK(counted_by("", {{"batch", {"small", "large"}}}) == Names{});
}

TEST_CASE("what is no number of inputs is refused") {
  CHECK(inputs("many") == -1);
  CHECK(inputs("0") == -1);
  CHECK(inputs("-1") == -1);
  CHECK(inputs("{batch}*") == -1);
  CHECK(inputs("{other}") == -1);
  CHECK(inputs("{dtype}") == -1);
}
