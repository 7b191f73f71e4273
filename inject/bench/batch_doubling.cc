#include "inject/bench/batch_doubling.h"

#include <fmt/format.h>

#include "inject/bench/measured_models.h"
#include "proto/report_columns.h"

namespace xsp::bench {
namespace {

// As that of A1 (analysis/tables/optimal_batch.cc): what the sweep stops at is the optimum that the report names.
constexpr double kWorthwhileRise = 1.05;
constexpr int64_t kLargest = 1'000'000'000'000'000'000;  // 10^9, in billionths

class Doubling {
 public:
  Doubling(const Options& options, const launch::RunPlan& plan, const SetReport& report, SweepRuns* runs)
      : options_(options), plan_(plan), report_(report), runs_(runs), name_(options.parameters[0].name) {}

  Status run() {
    std::optional<Decimal> value = parse_decimal(options_.parameters[0].values[0]);
    while (value) {
      const std::string text = measured_.empty() ? options_.parameters[0].values[0] : text_of(*value);
      const launch::Parameters point = {{name_, text}};
      runs_->add(launch::planned_runs(plan_, {run_point(options_, point)}));
      if (!runs_->run_all() || runs_->was_given_up(point)) return {};
      if (Status status = measure(text); !status.ok()) return status;
      if (!runs_->stopped_by().empty()) return {};
      const std::string end = end_by_rule(name_, measured_);
      if (!end.empty()) {
        say(options_, end);
        return {};
      }
      value = doubled(*value, options_.most);
    }
    say(options_, fmt::format("{}={} is the last one{}, and throughput still rose", name_, measured_.back().value,
                              options_.most ? " within --max" : ""));
    return {};
  }

 private:
  Status measure(const std::string& text) {
    const auto json = report_.json(report_columns::models::kTable);
    if (runs_->was_interrupted()) return {};
    const auto models = json ? read_models(*json, name_) : std::nullopt;
    if (!models) return {"xsp-report does not tell the throughput, so that --auto does not know when to end"};
    const MeasuredModel* model = chosen_model(*models, text, model_);
    if (model == nullptr) {
      return {fmt::format("no model call was recorded at {}={}", name_, text),
              "xsp-run --check shows which frameworks are seen"};
    }
    if (!model->throughput_per_s) {
      return {"how many inputs an evaluation has is not known, and so no throughput",
              fmt::format("--inputs N, or --inputs {{{}}}", name_)};
    }
    model_ = model->model;
    measured_.push_back({text, *model->throughput_per_s});
    return {};
  }

  const Options& options_;
  const launch::RunPlan& plan_;
  const SetReport& report_;
  SweepRuns* runs_;
  std::string name_;
  std::string model_;  ///< which one is followed
  std::vector<PointThroughput> measured_;
};

}  // namespace

std::string end_by_rule(const std::string& parameter, const std::vector<PointThroughput>& points) {
  if (points.size() < 2) return {};
  const PointThroughput& before = points[points.size() - 2];
  const PointThroughput& now = points.back();
  if (now.per_second > kWorthwhileRise * before.per_second) return {};
  return fmt::format("{0}={1} has {2:.4g} inputs/s, {3:+.1f} % over {0}={4}: no rise of more than 5 %", parameter,
                     now.value, now.per_second, (now.per_second / before.per_second - 1) * 100, before.value);
}

std::optional<Decimal> doubled(const Decimal& value, const std::optional<Decimal>& most) {
  if (value.billionths > kLargest / 2) return std::nullopt;
  const Decimal next = {2 * value.billionths, value.digits};
  if (most && next.billionths > most->billionths) return std::nullopt;
  return next;
}

Status run_doubling(const Options& options, const launch::RunPlan& plan, const SetReport& report, SweepRuns* runs) {
  return Doubling(options, plan, report, runs).run();
}

}  // namespace xsp::bench
