#include "analysis/timeline/phase_names.h"

#include <algorithm>
#include <array>

namespace xsp::analysis {
namespace {

constexpr std::array kPhaseNames = {
    PhaseName{"autograd::engine::evaluate_function: ", "", WorkPhase::kBackward},
    // PyTorch's profilers before 1.10 record it without the engine's wrapper.
    PhaseName{"torch::autograd::AccumulateGrad", "", WorkPhase::kBackward, true},
    PhaseName{"Optimizer.step#", "Optimizer", WorkPhase::kOptimizer},
    PhaseName{"Optimizer.zero_grad#", "Optimizer", WorkPhase::kOther},
    PhaseName{"enumerate(DataLoader)#", kLoaderType, WorkPhase::kOther},
    PhaseName{"profiler::_record_function_", "", WorkPhase::kMark, true},
};

constexpr uint8_t kNotAsked = UINT8_MAX;

/// In kPhaseNames; its size: none.
uint8_t number_of(std::string_view name) {
  const auto found = std::find_if(kPhaseNames.begin(), kPhaseNames.end(),
                                  [&](const PhaseName& phase) { return name.starts_with(phase.prefix); });
  return static_cast<uint8_t>(found - kPhaseNames.begin());
}

}  // namespace

const PhaseName* PhaseNames::of(Row row) {
  const SpanTable& spans = trace_.spans;
  const Kind kind = spans.kind[row];
  if (kind != Kind::kOperator && kind != Kind::kAnnotation) return nullptr;
  const uint32_t name = spans.name[row];
  if (name >= numbers_.size()) numbers_.resize(std::max<size_t>(trace_.strings.size(), name + 1), kNotAsked);
  uint8_t& number = numbers_[name];
  if (number == kNotAsked) number = number_of(trace_.text(name));
  return number == kPhaseNames.size() ? nullptr : &kPhaseNames[number];
}

bool PhaseNames::loads_data(Row row) {
  const SpanTable& spans = trace_.spans;
  if (spans.level[row] == Level::kLayer && trace_.text(spans.type[row]) == kLoaderType) return true;
  const PhaseName* phase = of(row);
  return phase != nullptr && phase->type == kLoaderType;
}

bool PhaseNames::is_backward(const Parents& parents, Row row) {
  if (parents.forward_of(row) != kNoRow) return true;
  const PhaseName* phase = of(row);
  return phase != nullptr && phase->phase == WorkPhase::kBackward;
}

}  // namespace xsp::analysis
