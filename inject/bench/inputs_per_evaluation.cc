#include "inject/bench/inputs_per_evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "inject/bench/decimal.h"
#include "inject/launch/experiment/run_number.h"

namespace xsp::bench {
namespace {

constexpr const char* kInputsHint = "--inputs 32, --inputs {batch}, or --inputs '{batch}*{sequence}'";
// As in analysis/study/evaluation_inputs.cc.
constexpr const char* kBatchNames[] = {"batch", "batch_size"};

bool is_count(const std::string& text) {
  const auto number = parse_decimal(text);
  return number && number->billionths > 0;
}

std::string batch_parameter(const std::vector<SweepParameter>& parameters) {
  for (const char* name : kBatchNames) {
    for (const SweepParameter& parameter : parameters) {
      if (parameter.name != name) continue;
      if (std::all_of(parameter.values.begin(), parameter.values.end(), is_count)) return parameter.name;
    }
  }
  return {};
}

std::vector<std::string> split_product(const std::string& text) {
  std::vector<std::string> factors(1);
  for (const char c : text) {
    if (c == '*') {
      factors.emplace_back();
    } else if (c != ' ') {
      factors.back() += c;
    }
  }
  return factors;
}

}  // namespace

Status InputsPerEvaluation::parse(const std::string& text, const std::vector<SweepParameter>& parameters,
                                  InputsPerEvaluation* inputs) {
  if (text.empty()) {
    const std::string name = batch_parameter(parameters);
    if (!name.empty()) inputs->parameters_ = {name};
    return {};
  }
  inputs->factors_ = split_product(text);
  for (const std::string& factor : inputs->factors_) {
    const bool braced = factor.size() > 2 && factor.front() == '{' && factor.back() == '}';
    const std::string name = braced ? factor.substr(1, factor.size() - 2) : factor;
    if (!braced) {
      if (is_count(factor)) continue;
      return {fmt::format("--inputs {}: \"{}\" is no number of inputs", text, factor), kInputsHint};
    }
    const auto parameter = std::find_if(parameters.begin(), parameters.end(),
                                        [&](const SweepParameter& candidate) { return candidate.name == name; });
    if (parameter == parameters.end()) {
      return {fmt::format("--inputs {}: the sweep has no parameter {}", text, name), kInputsHint};
    }
    inputs->parameters_.push_back(name);
    for (const std::string& value : parameter->values) {
      if (is_count(value)) continue;
      return {fmt::format("--inputs {}: {}={} is no number of inputs", text, name, value), kInputsHint};
    }
  }
  return {};
}

double InputsPerEvaluation::at(const launch::Parameters& point) const {
  if (factors_.empty()) return 0;
  double product = 1;
  for (const std::string& factor : factors_) {
    const auto number = parse_decimal(launch::with_parameters(factor, point));
    product *= number ? value_of(*number) : 0;
  }
  return product;
}

}  // namespace xsp::bench
