#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "bound/tables/bound_subject.h"

namespace xsp::bound {

/// The element type in which most of a run was computed, by its library calls or else the results of its layers,
/// where nothing in the model computes in it: "bf16". Nothing where it is one of the model's, or not known.
std::optional<std::string> other_type_of_run(const Bounds& bounds);

/// The type in which the model computes, by its layers with most flops.
std::string type_of_model(const Bounds& bounds);

/// Whether a run on the processor has layers so short that recording each takes a considerable part of the call.
bool is_mostly_recording(const Bounds& bounds);

/// Whether the trace is of another device than the benchmarks, or there are none of its device.
bool is_of_other_device(const TimesSource& source, const Bounds& bounds);

/// Whether a factor between what was measured and the bound would say anything.
bool can_compare(const TimesSource& source, const Bounds& bounds);

/// What puts a comparison with a trace in doubt: another type, another device, another number of threads, layers so
/// short that recording them changes the call, a run that was faster than the bound, layers that were not found in it.
void find_comparison_doubts(const TimesSource& source, const Bounds& bounds, std::vector<analysis::Finding>* found);

}  // namespace xsp::bound
