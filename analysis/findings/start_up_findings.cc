#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/families.h"
#include "analysis/steps/start_up.h"
#include "analysis/study/step_study.h"
#include "analysis/tables/latency_by_layer_type.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// Of what was recorded.
constexpr double kStartUpPct = 5;
/// Operators that are named.
constexpr size_t kNamed = 2;

/// "aten::to 24.6 s, aten::conv2d 15.6 s".
std::string longest(const Trace& trace, const StartUp& start_up) {
  std::string text;
  for (size_t i = 0; i < std::min(kNamed, start_up.calls.size()); ++i) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_in_sentence(trace.text(start_up.calls[i].name)),
                        short_time(static_cast<double>(start_up.calls[i].ns) / kNsPerMs));
  }
  return start_up.calls.size() > kNamed ? text + ", …" : text;
}

}  // namespace

void add_start_up(const Evidence& evidence, std::vector<Finding>* findings) {
  const Study& study = evidence.study;
  if (evidence.has_evaluations() || study.subject) return;
  const auto process = busiest_process_under_study(study);
  const auto step = evidence.step_ms();
  if (!process || !step) return;
  const StartUp start_up = find_start_up(study.trace, study.evaluations, *process);
  if (!start_up.is_known()) return;
  const double ms = static_cast<double>(length_of(start_up.intervals)) / kNsPerMs;
  const double recording_ms = static_cast<double>(recording_breakdown(study, *process).recorded_ns) / kNsPerMs;
  const double pct = 100 * ms / recording_ms;
  if (!(pct >= kStartUpPct)) return;
  const std::string type(study.trace.text(start_up.calls.front().name));
  findings->push_back({.id = "start-up",
                       .text = fmt::format("Start-up: first calls take {} of the {} recording ({}): {}", short_time(ms),
                                           short_time(recording_ms), share_text(pct), longest(study.trace, start_up)),
                       .advice = "first calls create the GPU context and library handles and load kernels: record "
                                 "after some warm-up; all other findings exclude start-up",
                       .value = pct,
                       .unit = "%",
                       .table = std::string(kA6.id),
                       .column = std::string(kA6.type.name),
                       .key = type,
                       // All other findings are about what is left: a reader has to know that first.
                       .weight = 1});
}

}  // namespace xsp::analysis
