#include "inject/bench/inputs_per_evaluation.h"

#include "test/catch.h"

using xsp::bench::InputsPerEvaluation;
using xsp::bench::SweepParameter;

namespace {

const std::vector<SweepParameter> kSweep = {{"batch", {"4", "8"}}, {"seq", {"128"}}, {"dtype", {"fp16"}}};

double inputs(const std::string& text, const std::vector<SweepParameter>& parameters = kSweep) {
  InputsPerEvaluation parsed;
  if (InputsPerEvaluation::parse(text, parameters, &parsed)) return -1;
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

TEST_CASE("without being told they are the batch, or what the input shape says") {
  CHECK(inputs("") == 4);
  CHECK(inputs("shape") == 0);
  CHECK(inputs("", {{"batch_size", {"16"}}}) == 16);
  CHECK(inputs("", {{"threads", {"16"}}}) == 0);
  CHECK(inputs("", {{"batch", {"small", "large"}}}) == 0);
}

TEST_CASE("what is no number of inputs is refused") {
  CHECK(inputs("many") == -1);
  CHECK(inputs("0") == -1);
  CHECK(inputs("-1") == -1);
  CHECK(inputs("{batch}*") == -1);
  CHECK(inputs("{other}") == -1);
  CHECK(inputs("{dtype}") == -1);
}
