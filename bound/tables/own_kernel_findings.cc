#include "bound/tables/own_kernel_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/quantity_text.h"
#include "bound/tables/finding_texts.h"
#include "bound/tables/shown_mode.h"

namespace xsp::bound {
namespace {

using analysis::Finding;

/// Of the kernels' own time, by which the quickest run of each layer may be above it and still be as fast.
constexpr double kAsFast = 0.1;
constexpr double kLeastKernelShare = 0.02;  // of the call

/// "mostly onednn 2.6.3": the library with most of the bound that is shown. Empty where it is the runtime's own.
std::string fastest_library(const Bounds& bounds) {
  std::map<std::string, double> libraries;
  const BoundMode& mode = shown_mode(bounds);
  for (size_t layer = 0; layer < bounds.times.size(); ++layer) {
    const size_t group = mode.group_of[layer];
    const LayerTime& time = group == kNoGroup ? bounds.times[layer] : bounds.group_times[group];
    libraries[time.library] += mode.weights_ms[layer];
  }
  const auto most = std::ranges::max_element(libraries, {}, [](const auto& library) { return library.second; });
  if (most == libraries.end() || most->first.empty() || most->first == bounds.own_kernels->library) return "";
  return percent(most->second / mode.sequential.bound_ms) + " of it with " + most->first;
}

}  // namespace

void find_own_kernels(const Bounds& bounds, std::vector<Finding>* found) {
  if (!bounds.own_kernels || !(bounds.own_kernels->bound.bound_ms > 0)) return;
  const OwnKernels& own = *bounds.own_kernels;
  const double kernels_ms = own.bound.bound_ms;
  const bool is_as_fast = own.least_ms <= (1 + kAsFast) * kernels_ms;
  // What the kernels of other libraries could save of the same layers.
  double fastest_ms = 0;
  const BoundMode& mode = shown_mode(bounds);
  for (const TraceLayer& layer : bounds.trace->layers) {
    fastest_ms += ran_bound_of(bounds, mode, layer).value_or(0);
  }
  const bool is_whole = own.bound.missing == 0;
  const double ms = is_as_fast ? (is_whole ? kernels_ms - fastest_ms : 0) : own.measured_ms - kernels_ms;
  Finding finding;
  finding.id = "own-kernels";
  finding.weight = std::clamp(ms / bounds.trace->measured_ms, 0.0, 1.0);
  finding.value = kernels_ms;
  finding.unit = "ms";
  finding.share_pct = 100 * finding.weight;
  finding.share_of = "call";
  finding.table = "B3";
  finding.column = "mode";
  finding.key = "own_kernels";
  finding.is_note = finding.weight < kLeastKernelShare;
  finding.text = fmt::format(
      "The kernels of {} by themselves need {} for {}, which took {} in the run, at their least {}: ", own.library,
      duration(kernels_ms),
      is_whole ? std::string("these layers")
               : fmt::format("{} of {}", own.bound.layers - own.bound.missing, plural(own.bound.layers, "layer")),
      duration(own.measured_ms), duration(own.least_ms));
  if (!is_as_fast) {
    finding.text += fmt::format("{} more than these kernels need", duration(ms));
    finding.advice = own.bound.expected_ms
                         ? fmt::format(
                               "with operands from memory instead of the cache they need {}; the rest is what "
                               "slows them in the run, as other programs do",
                               duration(*own.bound.expected_ms))
                         : "operands from memory and what runs beside them slow kernels in a run";
  } else {
    finding.text += "the run is as fast as they allow";
    if (is_whole && ms > 0) {
      finding.text += fmt::format("; only other kernels can save more: the fastest need {}", duration(fastest_ms));
      if (const std::string library = fastest_library(bounds); !library.empty()) finding.text += ", " + library;
      if (shown_mode(bounds).sequential.inexact != 0) finding.text += ", partly by Winograd or FFT";
    }
  }
  found->push_back(std::move(finding));
}

}  // namespace xsp::bound
