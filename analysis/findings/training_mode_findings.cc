#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analysis/findings/families.h"

namespace xsp::analysis {
namespace {

/// Of the step, that its Dropout layers take.
constexpr double kWorthPct = 1;

/// PyTorch's Dropout copies nothing in evaluation mode (torch/nn/functional.py); in training mode it makes a mask and
/// an output. Nodes of ONNX Runtime have outputs in any mode.
bool computes(const EvidenceTable& layers, size_t row) {
  return layers.text(row, "type").find("Dropout") != std::string::npos &&
         (layers.number(row, "alloc_mb").value_or(0) > 0 || layers.number(row, "gpu_ms").value_or(0) > 0);
}

}  // namespace

void add_training_mode(const Evidence& evidence, std::vector<Finding>* findings) {
  if (!evidence.has_evaluations()) return;
  const EvaluationGroup& group = evidence.study.evaluations.groups[*evidence.study.subject];
  const auto step = evidence.step_ms();
  if (group.phases.mode != Mode::kInference || group.kind == Kind::kRun || !step) return;
  const EvidenceTable layers = evidence.table("A2");
  const bool on_device = layers.sum("gpu_ms").value_or(0) > 0;
  double count = 0;
  double ms = 0;
  size_t first = layers.rows();
  for (size_t row = 0; row < layers.rows(); ++row) {
    if (!computes(layers, row)) continue;
    first = std::min(first, row);
    ++count;
    ms += layers.number(row, on_device ? "gpu_ms" : "latency_ms").value_or(0);
  }
  const double pct = 100 * ms / *step;
  if (!(pct >= kWorthPct)) return;
  findings->push_back(
      {.id = "training-mode",
       .text = fmt::format("Dropout computes in {}, and nothing is trained: the model is in training mode, and what it "
                           "returns is random; this takes {}",
                           count_text(count, "layer"), evidence.part_of_step(ms)),
       .advice = "call eval() on the model before inference, and run it under torch.inference_mode()",
       .value = pct,
       .unit = "%",
       .table = "A2",
       .column = "index",
       .key = fmt::format("{:.0f}", layers.number(first, "index").value_or(0)),
       .weight = std::min(0.99, pct / 100),
       .gain_ms = ms,
       .share_pct = pct,
       .share_of = std::string(evidence.step_word())});
}

}  // namespace xsp::analysis
