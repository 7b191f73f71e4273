#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/findings/evidence.h"
#include "analysis/steps/step_breakdown.h"

namespace xsp::analysis {

/// Share of the step below which a reader should not begin with a finding.
inline constexpr double kWorthStepPct = 5;
/// Communication that takes this share of the time in which kernels run, or of a step without a device, is reported
/// even if it is hidden.
inline constexpr double kCommunicationPct = 20;

/// The row of A15 of the subject, and sentences about parts of its step.
class StepRow {
 public:
  explicit StepRow(const Evidence& evidence);

  bool is_known() const { return step_ms_ > 0; }
  double ms() const { return step_ms_; }
  /// 0 where there is no value.
  double number(const ColumnDefinition& column) const { return models_.number(*row_, column).value_or(0); }
  double pct(double ms) const { return 100 * ms / step_ms_; }

  /// What the row was made of.
  StepBreakdown breakdown() const;

  /// "70.3 ms of every 177 ms step (40 %)".
  std::string part(double ms) const;

  /// About `ms` of the step, of which `gain_ms` could be won.
  Finding finding(std::string id, std::string text, std::string advice, double ms, double gain_ms) const;

 private:
  const Evidence& evidence_;
  TableCells models_;
  std::optional<size_t> row_;
  double step_ms_ = 0;
  bool has_start_up_ = false;
};

/// Whether what the host waits for, while no kernel runs, is mostly copies: then those are the cause.
bool waits_for_copies(const StepRow& step);

/// The layer of A2 in which the host waits for the device, if nearly all of its waiting is in one; else nothing: no
/// cell tells which of several waits costs time.
std::string waiting_layer(const TableCells& layers);

/// How few of all steps account for nearly all of the waiting, by the wait of each in ns.
struct FewSteps {
  size_t few = 0;  // these have four fifths of it; 0: it is spread over more
  size_t all = 0;
};
FewSteps few_steps_of(std::vector<double> waits);

/// "Each 177 ms step waits 70.3 ms (40 %) for its input".
std::string input_wait_text(const Evidence& evidence, double step_ms, double wait_ms, const FewSteps& few);

/// Said of communication: its time may be another rank's delay.
inline constexpr std::string_view kLateRank =
    "compare with other ranks: if one rank is late, the communication time of the others is waiting";

/// ", mostly in 3 of 23 steps"; empty where it is spread over more.
std::string few_steps_text(const Evidence& evidence, const FewSteps& of);

/// Advice for a program that waits for its next batch.
std::string input_advice(const Evidence& evidence, const FewSteps& of);

// Parts of add_step_findings; all but the last are for a step with a device.
void add_copies(const Evidence& evidence, const StepRow& step, std::vector<Finding>* findings);
void add_host_idle(const Evidence& evidence, const StepRow& step, std::vector<Finding>* findings);
void add_waits_of_host(const Evidence& evidence, std::vector<Finding>* findings);

}  // namespace xsp::analysis
