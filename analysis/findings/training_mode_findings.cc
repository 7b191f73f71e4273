#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "analysis/findings/families.h"
#include "analysis/tables/layer_information.h"
#include "analysis/timeline/operator_kinds.h"

namespace xsp::analysis {
namespace {

/// Of the step, that its Dropout layers take.
constexpr double kDropoutPct = 1;

bool is_dropout(std::string_view type) {
  return module_kind(type) == OperatorKind::kDropout || operator_kind(type) == OperatorKind::kDropout;
}

/// PyTorch's Dropout copies nothing in evaluation mode (torch/nn/functional.py); in training mode it makes a mask and
/// an output. Nodes of ONNX Runtime have outputs in any mode.
bool computes(const TableCells& layers, size_t row) {
  return is_dropout(layers.text(row, kA2.type)) &&
         (layers.number(row, kA2.alloc_mb).value_or(0) > 0 || layers.number(row, kA2.gpu_ms).value_or(0) > 0);
}

}  // namespace

void add_training_mode(const Evidence& evidence, std::vector<Finding>* findings) {
  if (!evidence.has_evaluations()) return;
  const EvaluationGroup& group = evidence.study.evaluations.groups[*evidence.study.subject];
  const auto step = evidence.step_ms();
  if (group.phases.mode != Mode::kInference || group.kind == Kind::kRun || !step) return;
  const TableCells layers = evidence.table(kA2);
  const bool on_device = layers.sum(kA2.gpu_ms).value_or(0) > 0;
  double count = 0;
  double ms = 0;
  size_t first = layers.rows();
  for (size_t row = 0; row < layers.rows(); ++row) {
    if (!computes(layers, row)) continue;
    first = std::min(first, row);
    ++count;
    ms += layers.number(row, on_device ? kA2.gpu_ms : kA2.latency_ms).value_or(0);
  }
  const double pct = 100 * ms / *step;
  if (!(pct >= kDropoutPct)) return;
  findings->push_back(
      {.id = "training-mode",
       .text = fmt::format("Dropout computes in {}, but nothing is trained: the model is in training mode and "
                           "returns random results; this takes {}",
                           count_text(count, "layer"), evidence.part_of_step(ms)),
       .advice = "call eval() on the model before inference, and run it under torch.inference_mode()",
       .value = pct,
       .unit = "%",
       .table = std::string(kA2.id),
       .column = std::string(kA2.index.name),
       .key = fmt::format("{:.0f}", layers.number(first, kA2.index).value_or(0)),
       .weight = std::min(0.99, pct / 100),
       .gain_ms = ms,
       .share_pct = pct,
       .share_of = std::string(evidence.step_word())});
}

}  // namespace xsp::analysis
