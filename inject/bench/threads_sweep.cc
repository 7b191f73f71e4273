#include "inject/bench/threads_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/processors.h"
#include "base/quantity_text.h"
#include "inject/bench/thread_counts.h"
#include "inject/launch/concurrency/report_table.h"
#include "inject/launch/concurrency/thread_variables.h"
#include "proto/report_columns.h"

namespace xsp::bench {
namespace {

namespace curves = report_columns::thread_curves;

class ThreadSweepRuns {
 public:
  ThreadSweepRuns(const Options& options, const launch::RunPlan& plan, const ThreadRange& range,
                  const SetReport& report, SweepRuns* runs)
      : options_(options), plan_(plan), range_(range), report_(report), runs_(runs) {}

  Status run() {
    const size_t stages = std::max<size_t>(range_.climbed.size(), 2) - 1;
    for (size_t stage = 0; stage < stages; ++stage) {
      if (!measure(stage_counts(range_, stage))) return {};
      if (options_.validate || stage + 1 == stages) continue;
      bool ended = false;
      if (Status status = ask(&ended); !status.ok() || ended) return status;
      if (!runs_->stopped_by().empty()) return {};
    }
    return {};
  }

 private:
  launch::RunPoint point_of(uint32_t count) const {
    launch::RunPoint point = run_point(options_, {{options_.parameters[0].name, std::to_string(count)}});
    const auto kind = options_.inter ? launch::ThreadKind::kInter : launch::ThreadKind::kIntra;
    point.variables = count == range_.own ? launch::own_thread_variables() : launch::thread_variables(count, kind);
    return point;
  }

  /// False: the sweep ends here, for whatever reason the user has been told.
  bool measure(const std::vector<uint32_t>& counts) {
    std::vector<launch::RunPoint> points;
    launch::RunPlan plan = plan_;
    for (const uint32_t count : counts) points.push_back(point_of(count));
    std::vector<launch::PlannedRun> runs = launch::planned_runs(plan, points);
    // Only the first runs of a point are preceded by its warm-ups, and its repetitions are counted through.
    std::erase_if(runs, [&](const launch::PlannedRun& run) {
      return run.purpose == launch::RunPurpose::kWarmUp && stages_[run.parameters] > 0;
    });
    for (launch::PlannedRun& run : runs) {
      if (run.purpose == launch::RunPurpose::kLatencies) run.repetition += stages_[run.parameters] * plan.repetitions;
    }
    for (const launch::RunPoint& point : points) ++stages_[point.parameters];
    runs_->add(runs);
    if (!runs_->run_all()) return false;
    const bool given_up = std::any_of(points.begin(), points.end(), [&](const launch::RunPoint& point) {
      return runs_->was_given_up(point.parameters);
    });
    if (given_up) say(options_, "no larger number of threads is tried");
    return !given_up;
  }

  Status ask(bool* ended) {
    const auto json = report_.json(curves::kTable);
    if (runs_->was_interrupted()) return {};
    const auto told = json ? have_curves_ended(*json) : std::nullopt;
    if (!told) {
      return {"xsp-report shows no curve over numbers of threads, so that --threads does not know when to end",
              "xsp-run --check shows which frameworks are seen; --validate measures all numbers"};
    }
    *ended = *told;
    if (*ended) say(options_, "no layer gets faster with more threads: the numbers beyond are left out");
    return {};
  }

  const Options& options_;
  const launch::RunPlan& plan_;
  const ThreadRange& range_;
  const SetReport& report_;
  SweepRuns* runs_;
  std::map<launch::Parameters, uint32_t> stages_;  ///< that a point has had
};

}  // namespace

ThreadRange thread_range(const Options& options) {
  const ProcessorFacts processors = read_processors();
  ThreadRange range;
  range.usable = usable_cores(processors);
  range.last = options.most ? static_cast<uint32_t>(value_of(*options.most)) : range.usable;
  range.interval = options.interval != 0 ? options.interval : default_interval(range.last);
  // Sessions of ONNX Runtime run one operator at a time by themselves.
  range.own = options.inter ? 1 : own_threads(std::getenv("OMP_NUM_THREADS"), processors.allowed);
  range.climbed = counts_to_climb(range.last, options.validate ? 1 : range.interval);
  return range;
}

std::vector<std::string> report_choices(const Options& options, const ThreadRange& range) {
  std::vector<std::string> choices;
  if (range.last > range.usable) choices.insert(choices.end(), {"--cores", std::to_string(range.last)});
  if (options.validate) choices.insert(choices.end(), {"--interval", std::to_string(range.interval)});
  return choices;
}

Status run_threads(const Options& options, const launch::RunPlan& plan, const ThreadRange& range,
                   const SetReport& report, SweepRuns* runs) {
  return ThreadSweepRuns(options, plan, range, report, runs).run();
}

std::optional<bool> have_curves_ended(const std::string& json) {
  const auto table = launch::ReportTable::read(json, curves::kTable);
  if (!table || table->count() == 0) return std::nullopt;
  const auto ended = table->beside(curves::kEnded);
  if (!ended.is_boolean()) return std::nullopt;
  return ended.get<bool>();
}

std::vector<uint32_t> stage_counts(const ThreadRange& range, size_t stage) {
  std::vector<uint32_t> counts;
  const auto add = [&](uint32_t count) {
    if (count != 0 && std::find(counts.begin(), counts.end(), count) == counts.end()) counts.push_back(count);
  };
  for (size_t i = stage; i < range.climbed.size() && i < stage + 2; ++i) add(range.climbed[i]);
  add(range.own);
  return counts;
}

}  // namespace xsp::bench
