#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/families.h"
#include "analysis/tables/latency_by_layer_type.h"
#include "analysis/tables/library_functions.h"

namespace xsp::analysis {
namespace {

/// Of the time in libraries.
constexpr double kFunctionBottleneckPct = 50;
/// Of the step, or of the time in layers where there is none.
constexpr double kWorthCallPct = 5;

/// Calls of the CUDA API only start and await work that the tables of kernels show; copies have findings of their own.
bool computes(const std::string& library) {
  return library != "cudart" && library != "cuda" && library != "device memory";
}

/// Whether the function, or another one of its file, was told to be slow.
bool is_told_slow(const TableCells& calls, size_t row, const std::vector<Finding>& findings) {
  const auto slow =
      std::find_if(findings.begin(), findings.end(), [](const Finding& f) { return f.id == "slow-library"; });
  if (slow == findings.end()) return false;
  for (size_t i = 0; i < calls.rows(); ++i) {
    if (calls.text(i, kC2.function) == slow->key) return calls.text(i, kC2.file) == calls.text(row, kC2.file);
  }
  return false;
}

/// The layers that make these calls come first, as the time is the same.
bool is_told_by_layers(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.id == "bottleneck-layer-type" || f.id == "bottleneck-layer"; });
}

/// Whether a time is worth reporting; the whole that it is part of may be unknown.
bool is_worth(const Evidence& evidence, double ms) {
  const auto whole = evidence.step_ms() ? evidence.step_ms() : evidence.table(kA6).sum(kA6.latency_ms);
  return !whole || 100 * ms >= kWorthCallPct * *whole;
}

}  // namespace

void add_call_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  const TableCells calls = evidence.table(kC2);
  double total = 0;
  double most = 0;
  size_t functions = 0;
  size_t top = 0;
  for (size_t row = 0; row < calls.rows(); ++row) {
    const auto self = calls.number(row, kC2.self_ms);
    if (!self || !computes(calls.text(row, kC2.library))) continue;
    ++functions;
    total += *self;
    if (*self > most) {
      most = *self;
      top = row;
    }
  }
  // The host time of a call that starts kernels does not show where the time of the model goes.
  if (functions < 2 || !(100 * most / total >= kFunctionBottleneckPct) || !is_worth(evidence, most)) return;
  if (evidence.has_evaluations() && calls.number(top, kC2.kernel_ms).value_or(0) > 0) return;
  const double pct = 100 * most / total;
  const std::string function = calls.text(top, kC2.function);
  if (is_told_slow(calls, top, *findings) || is_told_by_layers(*findings)) return;
  findings->push_back(
      {.id = "bottleneck-function",
       .text = fmt::format("{} of {} takes {} of the time in libraries ({} in {})", name_in_sentence(function),
                           name_in_sentence(calls.text(top, kC2.library)), share_text(pct), short_time(most),
                           count_text(calls.number(top, kC2.count).value_or(0), "call")),
       .advice = {},
       .value = pct,
       .unit = "%",
       .table = std::string(kC2.id),
       .column = std::string(kC2.function.name),
       .key = function,
       .weight = evidence.has_evaluations() ? evidence.share_of_step(most) : pct / 100});
}

}  // namespace xsp::analysis
