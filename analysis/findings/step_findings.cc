#include <fmt/format.h>

#include <string>
#include <utility>

#include "analysis/findings/families.h"
#include "analysis/findings/step_row.h"
#include "analysis/study/step_study.h"
#include "analysis/tables/kernels_by_model.h"
#include "analysis/tables/layer_information.h"

namespace xsp::analysis {
namespace {

void add_input_wait(const Evidence& evidence, const StepRow& step, std::vector<Finding>* findings) {
  const double wait = step.number(kA15.input_wait_ms);
  const double idle = step.number(kA15.idle_input_ms);
  // A device that keeps computing meanwhile loses nothing.
  if (!(step.pct(idle) >= kWorthStepPct)) return;
  const FewSteps few = few_steps_of(step.breakdown().input_ns);
  findings->push_back(step.finding("input-wait",
                                   fmt::format("{}; the GPU is idle for {} of that",
                                               input_wait_text(evidence, step.ms(), wait, few), short_time(idle)),
                                   input_advice(evidence, few), wait, idle));
}

void add_synchronisation(const Evidence& evidence, const StepRow& step, std::vector<Finding>* findings) {
  const double idle = step.number(kA15.idle_sync_ms);
  if (!(step.pct(idle) >= kWorthStepPct) || waits_for_copies(step)) return;
  const std::string layer = waiting_layer(evidence.table(kA2));
  findings->push_back(
      step.finding("sync-wait",
                   fmt::format("Blocked in synchronisation: the CPU waits while no kernel runs for {}{}",
                               step.part(idle), layer.empty() ? "" : ", in " + layer),
                   "do not wait for the GPU in each step: read values (item(), cpu()) rarely and late", idle, idle));
}

void add_communication(const StepRow& step, std::vector<Finding>* findings) {
  const double all = step.number(kA15.communication_ms);
  const double exposed = step.number(kA15.exposed_communication_ms);
  const double busy = step.number(kA15.gpu_busy_ms);
  if (!(all > 0) || !(busy > 0)) return;
  const double of_kernels = 100 * all / busy;
  if (!(step.pct(exposed) >= kWorthStepPct) && !(of_kernels >= kCommunicationPct)) return;
  findings->push_back(step.finding("communication",
                                   fmt::format("Communication between ranks takes {}, or {} of the time in which "
                                               "kernels run; {} of it is exposed (no other kernel runs)",
                                               step.part(all), share_text(of_kernels), short_time(exposed)),
                                   fmt::format("overlap it with computation (buckets, prefetching), and {}", kLateRank),
                                   all, exposed));
}

}  // namespace

void add_step_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  const StepRow step(evidence);
  if (!step.is_known()) {
    add_waits_of_host(evidence, findings);
    return;
  }
  if (!evidence.has_evaluations() &&
      !has_enough_kernels(step.number(kA15.step_kernels), step.number(kA15.step_kernel_ms))) {
    return;
  }
  add_input_wait(evidence, step, findings);
  add_synchronisation(evidence, step, findings);
  add_copies(evidence, step, findings);
  add_communication(step, findings);
  add_host_idle(evidence, step, findings);
}

}  // namespace xsp::analysis
