#include "analysis/study/thread_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analysis/study/merged_runs.h"
#include "analysis/study/sweep_points.h"
#include "analysis/timeline/run_processes.h"
#include "proto/environment.h"

namespace xsp::analysis {
namespace {

constexpr const char* kParameter = "threads";
constexpr uint32_t kMostThreads = 1 << 20;

using Setting = ThreadCountsSetting;

/// Whether both groups are evaluations of the same model with the same input.
bool is_same_work(const EvaluationGroup& a, const EvaluationGroup& b) {
  const bool is_same_instance = a.scope == b.scope || a.scope == 0 || b.scope == 0;
  return a.model == b.model && is_same_instance && a.input == b.input && a.kind == b.kind && a.phases == b.phases;
}

/// Points by their number of threads. Of two groups with the same one the program's own counts, then the larger.
class Points {
 public:
  explicit Points(const Study& study) : study_(study) {}

  void add(const ThreadPoint& point) {
    const auto [found, added] = points_.try_emplace(point.threads, point);
    if (!added && rank(point) > rank(found->second)) found->second = point;
  }

  std::vector<ThreadPoint> ascending() const {
    std::vector<ThreadPoint> points;
    for (const auto& [threads, point] : points_) points.push_back(point);
    return points;
  }

 private:
  std::pair<bool, double> rank(const ThreadPoint& point) const {
    return {point.is_own, study_.evaluations.groups[point.group].total_ns};
  }

  const Study& study_;
  std::map<uint32_t, ThreadPoint> points_;
};

ThreadGroups groups_of_process(const Study& study, const EvaluationGroup& subject) {
  ThreadGroups found{.in_process = true};
  Points points(study);
  bool is_advised = false;
  for (const uint32_t number : study.groups) {
    const EvaluationGroup& group = study.evaluations.groups[number];
    const Setting setting = group.threads.setting;
    if (setting == Setting::kUnspecified || group.process != subject.process || !is_same_work(group, subject)) continue;
    is_advised |= setting == Setting::kAdvised;
    if (setting != Setting::kProbe) found.blocks.push_back(number);
    if (setting == Setting::kAdvised || group.threads.threads == 0) continue;
    points.add({.threads = group.threads.threads, .is_own = setting == Setting::kOwn, .group = number});
  }
  if (!is_advised) found.blocks.clear();
  found.points = points.ascending();
  return found;
}

/// The number of threads of a point; nothing where the parameter is no such number.
std::optional<uint32_t> threads_of(const ExperimentRun* run) {
  const std::string* value = parameter_value(run, kParameter);
  const auto number = value == nullptr ? std::nullopt : parameter_number(*value);
  if (!number || *number < 1 || *number > kMostThreads || std::floor(*number) != *number) return {};
  return static_cast<uint32_t>(*number);
}

/// Whether a run is at the same point as another, but for the number of threads.
bool differs_by_threads_only(const ExperimentRun& a, const ExperimentRun& b) {
  const auto others = [](const ExperimentRun& run) {
    auto parameters = run.parameters;
    std::erase_if(parameters, [](const auto& parameter) { return parameter.first == kParameter; });
    return parameters;
  };
  return a.set == b.set && others(a) == others(b);
}

/// Whether a run of xsp-bench --threads left the numbers of threads to the program: it was only to tell them. A process
/// that does not say what it was asked for was not given a number in OMP_NUM_THREADS.
bool has_own_number(const Process& process) {
  const std::string* words = process.variable(variable::kConcurrency);
  return words != nullptr ? *words == "record" : process.variable("OMP_NUM_THREADS") == nullptr;
}

void find_own_point(const Study& study, std::vector<ThreadPoint>* points) {
  ThreadPoint* own = nullptr;
  size_t without = 0;
  for (ThreadPoint& point : *points) {
    const EvaluationGroup& group = study.evaluations.groups[point.group];
    if (!has_own_number(study.trace.processes[group.process])) continue;
    own = &point;
    ++without;
  }
  if (without == 1 && points->size() > 1) own->is_own = true;
}

ThreadGroups groups_of_set(const Study& study, const EvaluationGroup& subject) {
  ThreadGroups found;
  const ExperimentRun* own = run_of(study.trace, subject);
  if (own == nullptr || !threads_of(own)) return found;
  Points points(study);
  for (const uint32_t number : study.groups) {
    const EvaluationGroup& group = study.evaluations.groups[number];
    const ExperimentRun* run = run_of(study.trace, group);
    if (run == nullptr || !differs_by_threads_only(*run, *own) || !is_same_work(group, subject)) continue;
    const auto threads = threads_of(run);
    const Process& process = study.trace.processes[group.process];
    if (!threads || rank_of(process) != rank_of(study.trace.processes[subject.process])) continue;
    points.add({.threads = *threads, .group = number});
  }
  found.points = points.ascending();
  find_own_point(study, &found.points);
  return found;
}

}  // namespace

ThreadGroups find_thread_groups(const Study& study) {
  if (!study.subject || study.options.per_trace) return {};
  const EvaluationGroup& subject = study.evaluations.groups[*study.subject];
  ThreadGroups found;
  if (subject.threads.setting != Setting::kUnspecified) found = groups_of_process(study, subject);
  if (found.points.size() < 2 && found.blocks.empty()) found = groups_of_set(study, subject);
  if (found.points.size() < 2 && found.blocks.empty()) return {};
  return found;
}

}  // namespace xsp::analysis
