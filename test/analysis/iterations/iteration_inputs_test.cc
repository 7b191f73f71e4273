#include "analysis/iterations/iteration_inputs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "analysis/iterations/diagnosis.h"
#include "test/analysis/support/simulated_loop.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::analysis {
namespace {

using test::contains;
using test::Fault;
using test::Jitter;
using test::SimulatedIteration;

IterationInputs inputs_of(std::vector<uint32_t> of) {
  IterationInputs inputs{.of = std::move(of)};
  std::map<uint32_t, size_t> counts;
  for (const uint32_t input : inputs.of) {
    if (++counts[input] <= inputs.usual_count) continue;
    inputs.usual_count = counts[input];
    inputs.usual = input;
  }
  return inputs;
}

/// Checks of 60 iterations that read what `input_of` says; without it nothing is known of their inputs.
std::map<std::string, Diagnosis> checks_of(const Fault& fault, const std::function<std::string(uint32_t)>& input_of) {
  constexpr uint32_t kCount = 60;
  Noise noise(1);
  test::IterationBuilder builder;
  add_simulated_loop(kCount, Jitter::kSmall, &noise, fault, &builder);
  FoundIterations found = builder.found();
  if (input_of) {
    std::vector<uint32_t> inputs;
    for (uint32_t i = 0; i < kCount; ++i) inputs.push_back(builder.trace().strings.intern(input_of(i)));
    found.inputs = {inputs_of(std::move(inputs))};
  }
  std::map<std::string, Diagnosis> checks;
  for (Diagnosis& check : diagnose(builder.trace(), found, 0, iteration_metrics(builder.trace(), found, 0))) {
    checks.emplace(check.id, std::move(check));
  }
  return checks;
}

TEST_CASE("a larger batch now and then is no periodic work") {
  const Fault larger = [](uint32_t i, SimulatedIteration* of) {
    if (i % 5 == 3) of->kernel *= 2;
  };
  CHECK(checks_of(larger, nullptr).at("periodic_work").found);
  const auto batches = [](uint32_t i) { return std::string(i % 5 == 3 ? "[16,64]" : "[8,64]"); };
  const auto checks = checks_of(larger, batches);
  CHECK(checks.at("periodic_work").has_value);
  for (const auto& [id, check] : checks) {
    INFO(id << ": " << check.evidence);
    CHECK_FALSE(check.found);
  }
  // What recurs among those of one size still is.
  const auto halves = [](uint32_t i) { return std::string(i >= 50 ? "[16,64]" : "[8,64]"); };
  CHECK(checks_of(larger, halves).at("periodic_work").found);
}

TEST_CASE("single iterations of another input are no outliers, and a long prompt is no warm-up") {
  const Fault single = [](uint32_t i, SimulatedIteration* of) {
    if (i == 30) of->kernel *= 3;
  };
  CHECK(checks_of(single, nullptr).at("outliers").found);
  CHECK_FALSE(checks_of(single, [](uint32_t i) { return std::string(i == 30 ? "[9]" : "[8]"); }).at("outliers").found);
  const Fault prompt = [](uint32_t i, SimulatedIteration* of) {
    if (i == 0) of->kernel *= 20;
  };
  CHECK(checks_of(prompt, nullptr).at("warm_up").found);
  CHECK_FALSE(
      checks_of(prompt, [](uint32_t i) { return std::string(i == 0 ? "[1,512]" : "[1,1]"); }).at("warm_up").found);
}

TEST_CASE("time that grows with the input is told with the input") {
  const Fault grows = [](uint32_t i, SimulatedIteration* of) { of->kernel *= 1 + 0.05 * i; };
  CHECK(contains(checks_of(grows, nullptr).at("drift").advice, "falling clocks"));
  const Diagnosis drift = checks_of(grows, [](uint32_t i) { return "[1," + std::to_string(16 + i) + "]"; }).at("drift");
  CHECK(drift.found);
  CHECK(contains(drift.evidence, "its input grows from [1,16] to [1,75]"));
  CHECK(contains(drift.advice, "key/value cache"));
  // Inputs of many sizes without an order say nothing of time.
  const auto checks = checks_of(grows, [](uint32_t i) { return "[1," + std::to_string(1 + i * 37 % 60) + "]"; });
  CHECK_FALSE(checks.at("drift").has_value);
  CHECK(contains(checks.at("drift").evidence, "the same input"));
  CHECK_FALSE(checks.at("outliers").has_value);
}

TEST_CASE("inputs grow when none is smaller than the one before, and the last is larger") {
  Trace trace;
  const auto grow = [&](const std::vector<std::string>& shapes) {
    std::vector<uint32_t> of;
    for (const std::string& shape : shapes) of.push_back(trace.strings.intern(shape));
    return inputs_grow(trace, inputs_of(std::move(of)), 0);
  };
  CHECK(grow({"[1,2]", "[1,3];[7]", "[2,3];[1]"}));
  CHECK(grow({"[1,2]", "[2,1]", "[2,2]"}));
  CHECK_FALSE(grow({"[1,2]", "[1,2]"}));
  CHECK_FALSE(grow({"[1,2]", "[1,4]", "[1,3]"}));
  for (const char* odd : {"", "[]", "[1,", "[x]", "1,2", "[-1,3]", "[1,2", "[99999999999999999999]"}) {
    CHECK_FALSE(grow({"[1,2]", odd, "[1,4]"}));
  }
  CHECK_FALSE(inputs_grow(trace, {}, 0));
}

}  // namespace
}  // namespace xsp::analysis
