#include "analysis/iterations/iteration_inputs.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <unordered_map>

#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// Elements of the first of "[8,64];[8]"; 0 where that is no list of numbers.
double elements_of(std::string_view shapes) {
  if (shapes.empty() || shapes.front() != '[') return 0;
  const char* at = shapes.data() + 1;
  const char* const end = shapes.data() + shapes.size();
  double elements = 1;
  while (at != end) {
    uint64_t dimension = 0;
    const auto [rest, error] = std::from_chars(at, end, dimension);
    if (error != std::errc() || rest == end) return 0;
    elements *= static_cast<double>(dimension);
    if (*rest == ']') return elements;
    if (*rest != ',') return 0;
    at = rest + 1;
  }
  return 0;
}

std::unordered_map<Row, uint32_t> inputs_by_root(const Evaluations& evaluations) {
  std::unordered_map<Row, uint32_t> inputs;
  for (const EvaluationGroup& group : evaluations.groups) {
    if (group.input == 0) continue;
    for (const uint32_t evaluation : group.evaluations) inputs[evaluations.root[evaluation]] = group.input;
  }
  return inputs;
}

}  // namespace

IterationInputs inputs_of_iterations(const Evaluations& evaluations, const StepMarks& marks, const Loop& loop) {
  IterationInputs inputs;
  if (marks.empty()) return inputs;
  const auto by_root = inputs_by_root(evaluations);
  if (by_root.empty()) return inputs;
  std::map<uint32_t, size_t> counts;
  for (const LoopIteration& iteration : loop.iterations) {
    uint32_t input = 0;
    for (uint32_t i = iteration.begin; i < iteration.end; ++i) {
      if (marks.of_operation[i] == kNoMark) continue;
      const auto found = by_root.find(marks.rows[marks.of_operation[i]]);
      if (found != by_root.end()) input = found->second;
      break;
    }
    inputs.of.push_back(input);
    const size_t count = ++counts[input];
    if (count <= inputs.usual_count) continue;
    inputs.usual_count = count;
    inputs.usual = input;
  }
  return inputs;
}

bool inputs_grow(const Trace& trace, const IterationInputs& inputs, size_t begin) {
  if (begin >= inputs.of.size()) return false;
  const double first = elements_of(trace.text(inputs.of[begin]));
  double last = first;
  for (size_t i = begin; i < inputs.of.size(); ++i) {
    const double elements = elements_of(trace.text(inputs.of[i]));
    if (!(elements > 0) || elements < last) return false;
    last = elements;
  }
  return last > first;
}

std::string input_text(const Trace& trace, uint32_t input) {
  constexpr size_t kWidth = 40;
  constexpr size_t kMostBytes = 1024;
  return shorten(printable(trace.text(input).substr(0, kMostBytes)), kWidth);
}

}  // namespace xsp::analysis
