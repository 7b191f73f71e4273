#include <fmt/format.h>

#include "bound/advice/folded_inefficiencies.h"
#include "bound/advice/inefficiency_detectors.h"

namespace xsp::bound {
namespace {

/// What the kernel prepares: the layer that it is in, else the call that follows. Nothing where the model itself asks
/// for it, or nothing follows.
std::optional<ExpectedCall> prepared_by(const EvaluationWork& work, const RanKernel& kernel) {
  if (kernel.layer && !work.is_call[*kernel.layer]) {
    const LayerKind kind = work.layer_kinds[*kernel.layer];
    if (kind == LayerKind::kOther) return {};
    return ExpectedCall{fmt::format("the {}", noun_of(kind)), kind};
  }
  return kernel.next;
}

/// Nothing: what is said of all such kernels is enough.
std::string advice_for(const RanKernel& kernel, LayerKind kind) {
  if (kernel.is_of_weights) return "bring the weights into that type and layout once, when the model is loaded";
  if (kernel.meaning.action != KernelAction::kPad) return "";
  std::string text = "the library's call can pad by itself";
  if (kind == LayerKind::kConv) {
    text += "; a convolution with a 1x1 kernel needs no padding at all (the trace does not tell the sizes of kernels)";
  }
  return text;
}

std::string expected_instead(KernelAction action, const std::string& call) {
  return action == KernelAction::kPad ? fmt::format("padding by {} itself", call)
                                      : fmt::format("no kernel before {}", call);
}

}  // namespace

void find_kernels_between(const EvaluationWork& work, const LayeredModel*, std::vector<Inefficiency>* found) {
  FoldedInefficiencies folds;
  for (const RanKernel& kernel : work.kernels) {
    const bool moves = kernel.meaning.action != KernelAction::kOther;
    if (!moves || !kernel.call.empty() || kernel.is_backward || kernel.meaning.origin == KernelOrigin::kLibrary)
      continue;
    const auto call = prepared_by(work, kernel);
    if (!call) continue;
    Inefficiency one;
    one.kind = kernel.is_of_weights ? InefficiencyKind::kExtraCall : InefficiencyKind::kBetweenKernels;
    one.trace_layer = kernel.layer;
    if (kernel.layer) one.layer = work.trace->layers[*kernel.layer].name;
    one.expected = kernel.is_of_weights ? "weights brought into the type and layout of the call once"
                                        : expected_instead(kernel.meaning.action, call->name);
    one.seen =
        fmt::format("{}{} by {}", kernel.is_of_weights ? "weights " : "", done_by(kernel.meaning.action), kernel.name);
    one.time_ms = kernel.ms;
    one.is_kernel_time = true;
    one.advice = advice_for(kernel, call->kind);
    one.evidence = fmt::format("kernel {}, launched outside any library call", kernel.name);
    folds.add(one, call->kind);
  }
  folds.move_to(found);
}

}  // namespace xsp::bound
