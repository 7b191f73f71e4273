#include <fmt/format.h>

#include "analysis/study/analysed_trace.h"
#include "bound/advice/device_idleness.h"
#include "bound/advice/folded_inefficiencies.h"
#include "bound/advice/inefficiency_detectors.h"

namespace xsp::bound {
namespace {

/// Waiting for the input before all else and for the result after it is what every program does.
bool is_between(const RanRuntimeCall& call) {
  return call.blocks && !call.is_in_library_call && call.previous && call.next;
}

std::string place_between(const EvaluationWork& work, const RanRuntimeCall& call) {
  const auto name = [&](const ExpectedCall& expected) {
    return expected.layer ? work.trace->layers[*expected.layer].name : expected.name;
  };
  const std::string before = name(*call.previous), behind = name(*call.next);
  return before == behind ? before : fmt::format("{} to {}", before, behind);
}

}  // namespace

void find_calls_between(const EvaluationWork& work, const LayeredModel*, std::vector<Inefficiency>* found) {
  const analysis::Study& study = *work.trace->trace->study;
  std::vector<bool> wanted(study.joined_runtime_calls.calls.size(), false);
  for (const RanRuntimeCall& call : work.runtime_calls) wanted[call.row] = is_between(call);
  const std::vector<double> idle = idle_after_waits(study, wanted);
  FoldedInefficiencies folds;
  for (const RanRuntimeCall& call : work.runtime_calls) {
    if (!wanted[call.row]) continue;
    // What ran meanwhile had to run anyway: the wait costs what the device then stands still.
    const double cost_ms = idle.empty() ? call.host_ms : idle[call.row];
    if (!(cost_ms > 0)) continue;
    Inefficiency one;
    one.kind = InefficiencyKind::kBetweenCalls;
    one.trace_layer = call.next->layer;
    one.layer = place_between(work, call);
    one.expected = fmt::format("{} launched without waiting", call.next->name);
    one.seen = idle.empty() ? fmt::format("{} before it", call.function)
                            : fmt::format("{} before it, then an idle device", call.function);
    one.time_ms = cost_ms;
    one.is_kernel_time = !idle.empty();
    one.evidence = fmt::format("{} between {} and {}, {:.3g} ms on the host", call.function, call.previous->name,
                               call.next->name, call.host_ms);
    folds.add(one, call.next->kind);
  }
  folds.move_to(found);
}

}  // namespace xsp::bound
