#include <fmt/format.h>

#include "analysis/study/analysed_trace.h"
#include "bound/advice/folded_inefficiencies.h"
#include "bound/advice/inefficiency_detectors.h"
#include "bound/advice/moved_operand.h"

namespace xsp::bound {
namespace {

/// The nearest call that computes, in the layer of this one where that is known. `step` is 1 or −1.
std::optional<size_t> computing_call(const EvaluationWork& work, size_t from, int step) {
  const auto& calls = work.trace->calls;
  // Behind the movements of an operator and the making of their primitives its own call follows at once.
  constexpr size_t kFar = 16;
  size_t at = from;
  for (size_t distance = 0; distance < kFar; ++distance) {
    if (step < 0 && at == 0) return {};
    at = step > 0 ? at + 1 : at - 1;
    if (at >= calls.size() || (calls[from].layer && calls[at].layer != calls[from].layer)) return {};
    if (work.calls[at].computes()) return at;
  }
  return {};
}

struct OperandTexts {
  const char* expected;
  const char* seen;
  const char* advice;
};

constexpr const char* kKeepLayout = "keep tensors in the layout that the library chooses, from one layer to the next";
constexpr const char* kPrepack =
    "prepack the weights: freeze the model (in PyTorch torch.jit.optimize_for_inference, or torch.compile with "
    "freezing) or run it in an inference runtime";

OperandTexts texts_of(MovedOperand operand) {
  switch (operand) {
    case MovedOperand::kWeights:
      return {"weights brought into the layout of the library once", "{} of weights in every call of the model",
              kPrepack};
    case MovedOperand::kSource:
      return {"a source that is in the layout of the library already", "{} of the source before each call",
              kKeepLayout};
    case MovedOperand::kResult:
      return {"a result that stays in the layout of the library", "{} of the result after each call", kKeepLayout};
    case MovedOperand::kUnknown:
      break;
  }
  return {"operands as they are", "{} of an operand before each call",
          "bring weights into the layout of the library once, and keep other tensors in it"};
}

}  // namespace

void find_extra_calls(const EvaluationWork& work, const LayeredModel*, std::vector<Inefficiency>* found) {
  const JoinedTrace& joined = *work.trace;
  const analysis::Trace& trace = joined.trace->trace;
  FoldedInefficiencies folds;
  for (size_t i = 0; i < joined.calls.size(); ++i) {
    const TraceCall& call = joined.calls[i];
    if (work.calls[i].role != CallRole::kLayoutChange || !moves_only(trace, call)) continue;
    // Of a layer that does nothing else it is what the model asks for.
    const auto before = computing_call(work, i, -1), behind = computing_call(work, i, 1);
    if (!before && !behind) continue;
    const MovedOperand operand = moved_operand(trace, call, before ? &joined.calls[*before] : nullptr,
                                               behind ? &joined.calls[*behind] : nullptr);
    const bool is_behind = operand == MovedOperand::kResult || !behind;
    const size_t of = is_behind ? before.value_or(i) : *behind;
    const OperandTexts texts = texts_of(operand);
    Inefficiency one;
    one.kind = InefficiencyKind::kExtraCall;
    one.trace_layer = call.layer;
    if (call.layer) one.layer = joined.layers[*call.layer].name;
    one.expected = texts.expected;
    one.seen = fmt::format(fmt::runtime(texts.seen), call.function);
    one.advice = texts.advice;
    one.is_kernel_time = call.kernel_ms.has_value() && work.has_device;
    one.time_ms = one.is_kernel_time ? *call.kernel_ms : call.host_ms;
    const std::string moved = movement_text(trace, call);
    one.evidence = fmt::format("call {} for call {} ({}){}{}", call.call_index, joined.calls[of].call_index,
                               joined.calls[of].function, moved.empty() ? "" : ": ", moved);
    LayerKind kind = work.calls[of].kind;
    if (kind == LayerKind::kOther && call.layer) kind = work.layer_kinds[*call.layer];
    folds.add(one, kind);
  }
  folds.move_to(found);
}

}  // namespace xsp::bound
