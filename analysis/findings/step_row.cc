#include "analysis/findings/step_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "analysis/steps/start_up.h"
#include "analysis/study/step_study.h"
#include "analysis/tables/kernels_by_model.h"
#include "analysis/tables/layer_information.h"

namespace xsp::analysis {

StepRow::StepRow(const Evidence& evidence) : evidence_(evidence), models_(evidence.table(kA15)) {
  row_ = evidence.subject_kernels();
  if (row_) step_ms_ = number(kA15.step_ms);
  if (evidence.study.subject) return;
  const auto process = busiest_process_under_study(evidence.study);
  has_start_up_ = process && find_start_up(evidence.study.trace, evidence.study.evaluations, *process).is_known();
}

StepBreakdown StepRow::breakdown() const {
  const Study& study = evidence_.study;
  if (evidence_.has_evaluations()) return subject_breakdown(study);
  const auto process = busiest_process_under_study(study);
  return process ? recording_breakdown(study, *process) : StepBreakdown();
}

std::string StepRow::part(double ms) const {
  const std::string whole =
      has_start_up_ ? fmt::format("the {} after start-up", short_time(step_ms_))
                    : fmt::format("{} {} {}", evidence_.each_step(), short_time(step_ms_), evidence_.step_word());
  return fmt::format("{} of {} ({})", short_time(ms), whole, share_text(pct(ms)));
}

Finding StepRow::finding(std::string id, std::string text, std::string advice, double ms, double gain_ms) const {
  const bool alone = models_.rows() == 1;
  return {.id = std::move(id),
          .text = std::move(text),
          .advice = std::move(advice),
          .value = pct(ms),
          .unit = "%",
          .table = std::string(kA15.id),
          .column = alone ? std::string(kA15.model.name) : "",
          .key = alone ? models_.text(*row_, kA15.model) : "",
          .weight = std::min(0.99, ms / step_ms_),
          .gain_ms = gain_ms,
          .share_pct = pct(ms),
          .share_of = std::string(evidence_.step_word()),
          .row = *row_};
}

std::string waiting_layer(const TableCells& layers) {
  constexpr double kNearlyAll = 0.8;
  std::string name;
  double most = 0;
  double all = 0;
  for (size_t row = 0; row < layers.rows(); ++row) {
    const double wait = layers.number(row, kA2.wait_ms).value_or(0);
    if (layers.text(row, kA2.type) == "DataLoader") continue;
    all += wait;
    if (wait <= most) continue;
    most = wait;
    name = layers.text(row, kA2.name);
  }
  return most > kNearlyAll * all ? name_in_sentence(name) : std::string();
}

bool waits_for_copies(const StepRow& step) {
  constexpr double kCopyingPart = 0.5;
  return step.number(kA15.idle_sync_copy_ms) >= kCopyingPart * step.number(kA15.idle_sync_ms);
}

FewSteps few_steps_of(std::vector<double> waits) {
  constexpr size_t kLeastSteps = 8;
  constexpr double kNearlyAll = 0.8;
  constexpr size_t kFewest = 4;  // a quarter
  if (waits.size() < kLeastSteps) return {};
  std::sort(waits.begin(), waits.end(), std::greater<>());
  const double all = std::accumulate(waits.begin(), waits.end(), 0.0);
  double sum = 0;
  size_t few = 0;
  while (few < waits.size() && sum < kNearlyAll * all) sum += waits[few++];
  return {.few = kFewest * few <= waits.size() ? few : 0, .all = waits.size()};
}

std::string input_wait_text(const Evidence& evidence, double step_ms, double wait_ms, const FewSteps& few) {
  if (!evidence.has_evaluations()) {
    return fmt::format("The program waits {} ({}) of the {} recording for its input", short_time(wait_ms),
                       share_text(100 * wait_ms / step_ms), short_time(step_ms));
  }
  return fmt::format("{} {} {} waits {} ({}) for its input{}", evidence.each_step() == "the" ? "The" : "Each",
                     short_time(step_ms), evidence.step_word(), short_time(wait_ms),
                     share_text(100 * wait_ms / step_ms), few_steps_text(evidence, few));
}

std::string few_steps_text(const Evidence& evidence, const FewSteps& of) {
  if (of.few == 0) return {};
  return fmt::format(", mostly in {} of {} {}s", of.few, of.all, evidence.step_word());
}

/// The iterator's class tells whether the program has worker processes (torch/utils/data/dataloader.py).
std::string input_advice(const Evidence& evidence, const FewSteps& of) {
  const TableCells layers = evidence.table(kA2);
  for (size_t row = 0; row < layers.rows(); ++row) {
    if (layers.text(row, kA2.type) != "DataLoader") continue;
    if (!layers.text(row, kA2.name).starts_with("_SingleProcessDataLoaderIter.")) break;
    return "the DataLoader loads in the program's own process (num_workers=0): give it worker processes, or make "
           "loading one sample cheaper";
  }
  if (of.few != 0) {
    return "keep worker processes between epochs (DataLoader option persistent_workers), let them work further "
           "ahead (prefetch_factor), or make loading one sample cheaper";
  }
  return "load in more worker processes (DataLoader option num_workers), or make loading one sample cheaper";
}

}  // namespace xsp::analysis
