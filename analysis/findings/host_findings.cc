#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/findings/step_row.h"
#include "analysis/study/step_study.h"
#include "analysis/tables/model_information.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// What a host without a device waits for: a row of A1.
Finding host_finding(const Evidence& evidence, std::string id, std::string text, std::string advice, double pct) {
  const TableCells models = evidence.table(kA1);
  const bool alone = models.rows() == 1;
  return {.id = std::move(id),
          .text = std::move(text),
          .advice = std::move(advice),
          .value = pct,
          .unit = "%",
          .table = std::string(kA1.id),
          .column = alone ? std::string(kA1.model.name) : "",
          .key = alone ? models.text(0, kA1.model) : "",
          .weight = std::min(0.99, pct / 100),
          .share_pct = pct,
          .share_of = std::string(evidence.step_word())};
}

}  // namespace

/// Without a device, all time in which the host waits for its next batch is lost; but other threads may exchange data
/// while it computes.
void add_waits_of_host(const Evidence& evidence, std::vector<Finding>* findings) {
  const auto step = evidence.step_ms();
  if (!evidence.has_evaluations() || !step || evidence.table(kA1).rows() == 0) return;
  const StepBreakdown& steps = subject_breakdown(evidence.study);
  const double wait = wait_of_step(evidence.study, steps.input_ns) / kNsPerMs;
  if (100 * wait / *step >= kWorthStepPct) {
    const FewSteps few = few_steps_of(steps.input_ns);
    findings->push_back(host_finding(evidence, "input-wait", input_wait_text(evidence, *step, wait, few),
                                     input_advice(evidence, few), 100 * wait / *step));
    findings->back().gain_ms = wait;
  }
  const double communication = wait_of_step(evidence.study, steps.host_communication_ns) / kNsPerMs;
  if (100 * communication / *step >= kCommunicationPct) {
    findings->push_back(
        host_finding(evidence, "communication",
                     "Communication between ranks on the CPU covers " + evidence.part_of_step(communication),
                     std::string(kLateRank), 100 * communication / *step));
  }
}

}  // namespace xsp::analysis
