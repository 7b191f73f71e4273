#include <fmt/format.h>

#include "analysis/study/analysed_trace.h"
#include "bound/advice/folded_inefficiencies.h"
#include "bound/advice/inefficiency_detectors.h"

namespace xsp::bound {
namespace {

/// Whether as many calls of the model have it as are looked at, but for some.
bool is_in_every_call(size_t have_it, size_t evaluations) { return 10 * have_it >= 9 * evaluations; }

Inefficiency repeated(const std::string& function, std::string_view instead, double ms) {
  Inefficiency one;
  one.kind = InefficiencyKind::kRepeatedSetup;
  one.expected = instead;
  one.seen = fmt::format("{} in every call of the model", function);
  one.time_ms = ms;
  return one;
}

LayerKind kind_of(const EvaluationWork& work, std::optional<size_t> layer) {
  return layer ? work.layer_kinds[*layer] : LayerKind::kOther;
}

/// Whether a call that computes or sets up is around this one: what a library does inside its own calls is its own
/// affair.
bool is_in_other_call(const EvaluationWork& work, const TraceCall& call) {
  const auto& calls = work.trace->calls;
  std::optional<size_t> around = call.enclosing;
  for (size_t depth = 0; around && depth < calls.size(); ++depth) {
    if (*around >= calls.size()) return false;
    if (work.calls[*around].computes() || work.calls[*around].role == CallRole::kSetUp) return true;
    around = calls[*around].enclosing;
  }
  return false;
}

/// Whether a descriptor that is finalized has the operands of the execution that follows, which each one needs anew.
bool is_of_operands(const EvaluationWork& work, size_t finalized) {
  const auto& calls = work.trace->calls;
  if (calls[finalized].function != "cudnnBackendFinalize") return false;
  for (size_t i = finalized + 1; i < calls.size(); ++i) {
    if (calls[i].function == "cudnnBackendExecute") return true;
    if (calls[i].function == "cudnnBackendFinalize") return false;
  }
  return false;
}

void add_library_calls(const EvaluationWork& work, FoldedInefficiencies* folds) {
  const JoinedTrace& trace = *work.trace;
  const analysis::JoinedCalls& joined = trace.trace->study->joined_library_calls;
  if (joined.evaluations < 2) return;
  for (size_t i = 0; i < trace.calls.size(); ++i) {
    const TraceCall& call = trace.calls[i];
    if (work.calls[i].role != CallRole::kSetUp || call.call_index >= joined.calls.size()) continue;
    if (!is_in_every_call(joined.calls[call.call_index].n, joined.evaluations)) continue;
    if (is_in_other_call(work, call) || is_of_operands(work, i)) continue;
    Inefficiency one = repeated(call.function, work.calls[i].instead, call.host_ms);
    one.trace_layer = call.layer;
    if (call.layer) one.layer = trace.layers[*call.layer].name;
    one.evidence = fmt::format("call {}{}{}", call.call_index, call.layer ? " in " : "", one.layer);
    folds->add(one, kind_of(work, call.layer));
  }
}

void add_runtime_calls(const EvaluationWork& work, FoldedInefficiencies* folds) {
  const size_t evaluations = work.trace->trace->study->joined_runtime_calls.evaluations;
  if (evaluations < 2) return;
  for (const RanRuntimeCall& call : work.runtime_calls) {
    const CallMeaning meaning = meaning_of_runtime_call(call.function);
    if (meaning.role != CallRole::kSetUp || call.is_in_library_call) continue;
    if (!is_in_every_call(call.evaluations, evaluations)) continue;
    Inefficiency one = repeated(call.function, meaning.instead, call.host_ms);
    one.trace_layer = call.layer;
    if (call.layer) one.layer = work.trace->layers[*call.layer].name;
    one.evidence = call.function;
    if (call.next) one.evidence += " before " + call.next->name;
    folds->add(one, kind_of(work, call.layer));
  }
}

}  // namespace

void find_repeated_setup(const EvaluationWork& work, const LayeredModel*, std::vector<Inefficiency>* found) {
  FoldedInefficiencies folds;
  add_library_calls(work, &folds);
  add_runtime_calls(work, &folds);
  folds.move_to(found);
}

}  // namespace xsp::bound
