#include "analysis/study/merged_runs.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/run_processes.h"

namespace xsp::analysis {
namespace {

/// What a group of a set's run belongs to.
struct RunFamily {
  uint32_t family = UINT32_MAX;  // groups that differ by run and instance only; UINT32_MAX: of no set
  uint32_t run = 0;
};

/// What the runs of a family that tell instances say.
struct KnownInstances {
  std::set<uint32_t> scopes;
  std::set<uint32_t> runs;                                 // that tell them
  uint32_t run = UINT32_MAX;                               // the first of them
  std::vector<std::pair<uint32_t, uint32_t>> evaluations;  // of that run: number, scope
};

std::map<uint32_t, KnownInstances> find_instances(const std::vector<RunFamily>& families,
                                                  const std::vector<EvaluationGroup>& groups) {
  std::map<uint32_t, KnownInstances> known;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (families[i].family == UINT32_MAX || groups[i].scope == 0) continue;
    KnownInstances& family = known[families[i].family];
    family.scopes.insert(groups[i].scope);
    family.runs.insert(families[i].run);
    if (family.run == UINT32_MAX) family.run = families[i].run;
    if (family.run != families[i].run) continue;
    for (const uint32_t evaluation : groups[i].evaluations)
      family.evaluations.emplace_back(evaluation, groups[i].scope);
  }
  for (auto& [number, family] : known) std::sort(family.evaluations.begin(), family.evaluations.end());
  return known;
}

/// One group for each instance, in order of their first evaluations.
std::vector<EvaluationGroup> split(const EvaluationGroup& group, const KnownInstances& known,
                                   const std::function<double(uint32_t)>& duration_ns) {
  std::vector<EvaluationGroup> parts;
  for (size_t place = 0; place < group.evaluations.size(); ++place) {
    const uint32_t scope = known.evaluations[place].second;
    auto part = std::find_if(parts.begin(), parts.end(), [&](const auto& other) { return other.scope == scope; });
    if (part == parts.end()) {
      part = parts.insert(parts.end(), group);
      part->scope = scope;
      part->evaluations.clear();
      part->runs = {{group.process, {}}};
      part->total_ns = 0;
    }
    part->evaluations.push_back(group.evaluations[place]);
    part->runs.front().evaluations.push_back(group.evaluations[place]);
    part->total_ns += duration_ns(group.evaluations[place]);
  }
  return parts;
}

/// Frameworks tell the instance of a model only if layers are recorded. Gives groups without an instance that of the
/// runs that tell it: the only one of their family or, of several, the one that the other run evaluated at the same
/// place. If the runs made different numbers of evaluations, nothing is known. `families` has an entry for each group.
void name_instances(const std::vector<RunFamily>& families, const std::function<double(uint32_t)>& duration_ns,
                    std::vector<EvaluationGroup>* groups) {
  const auto known = find_instances(families, *groups);
  std::vector<EvaluationGroup> named;
  named.reserve(groups->size());
  for (size_t i = 0; i < groups->size(); ++i) {
    EvaluationGroup& group = (*groups)[i];
    const auto family = known.find(families[i].family);
    const bool is_nameless =
        group.scope == 0 && family != known.end() && !family->second.runs.contains(families[i].run);
    const bool is_one = is_nameless && family->second.scopes.size() == 1;
    if (is_nameless && !is_one && family->second.evaluations.size() == group.evaluations.size()) {
      for (EvaluationGroup& part : split(group, family->second, duration_ns)) named.push_back(std::move(part));
      continue;
    }
    if (is_one) group.scope = *family->second.scopes.begin();
    named.push_back(std::move(group));
  }
  *groups = std::move(named);
}

/// Sets EvaluationGroup::one_of_several, which tells instances of one model apart.
void mark_instances(std::vector<EvaluationGroup>* groups) {
  std::map<uint32_t, std::set<uint32_t>> scopes;
  for (const EvaluationGroup& group : *groups) scopes[group.model].insert(group.scope);
  for (EvaluationGroup& group : *groups) group.one_of_several = scopes[group.model].size() > 1;
}

/// Of the processes that evaluate a model, in each run.
std::map<uint32_t, ProcessRole> roles_of_processes(const Trace& trace, const std::vector<EvaluationGroup>& groups) {
  std::map<uint32_t, std::set<uint32_t>> by_segment;
  for (const EvaluationGroup& group : groups) {
    if (run_of(trace, group) != nullptr) by_segment[trace.processes[group.process].segment].insert(group.process);
  }
  std::map<uint32_t, ProcessRole> roles;
  for (const auto& [segment, processes] : by_segment)
    roles.merge(roles_of(trace, {processes.begin(), processes.end()}));
  return roles;
}

using Parameters = std::vector<std::pair<std::string, std::string>>;

/// What the groups of a set's runs have in common that are the same instance of a model, or several.
using Family = std::tuple<std::string, Parameters, ProcessRole, uint32_t, uint32_t, Kind, EvaluationPhases::Kinds,
                          EvaluationThreads>;

Family family_of(const ExperimentRun& run, const ProcessRole& role, const EvaluationGroup& group) {
  return {run.set, run.parameters, role, group.model, group.input, group.kind, group.phases, group.threads};
}

std::vector<RunFamily> find_families(const Trace& trace, const std::map<uint32_t, ProcessRole>& roles,
                                     const std::vector<EvaluationGroup>& groups) {
  std::map<Family, uint32_t> numbers;
  std::vector<RunFamily> families(groups.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    const ExperimentRun* run = run_of(trace, groups[i]);
    if (run == nullptr) continue;
    const auto next = static_cast<uint32_t>(numbers.size());
    const auto found = numbers.try_emplace(family_of(*run, roles.at(groups[i].process), groups[i]), next).first;
    families[i] = {found->second, trace.processes[groups[i].process].segment};
  }
  return families;
}

class Merge {
 public:
  Merge(const Trace& trace, std::map<uint32_t, ProcessRole> roles) : trace_(trace), roles_(std::move(roles)) {}

  void add(const EvaluationGroup& group) {
    const ExperimentRun* run = run_of(trace_, group);
    if (run == nullptr) {
      merged_.push_back(group);
      return;
    }
    // The same run given twice, by itself and in its folder, counts once.
    const uint32_t segment = trace_.processes[group.process].segment;
    if (segments_.try_emplace({run->set, run->index}, segment).first->second != segment) return;
    const Key key(family_of(*run, roles_[group.process], group), group.scope);
    const auto [found, added] = numbers_.try_emplace(key, merged_.size());
    if (added) {
      merged_.push_back(group);
      return;
    }
    EvaluationGroup& into = merged_[found->second];
    into.runs.insert(into.runs.end(), group.runs.begin(), group.runs.end());
    into.evaluations.insert(into.evaluations.end(), group.evaluations.begin(), group.evaluations.end());
    into.total_ns += group.total_ns;
  }

  std::vector<EvaluationGroup> groups() {
    for (EvaluationGroup& group : merged_) {
      if (group.runs.size() < 2) continue;
      std::sort(group.evaluations.begin(), group.evaluations.end());
      std::stable_sort(group.runs.begin(), group.runs.end(), [&](const GroupRun& a, const GroupRun& b) {
        return run_of(trace_, a.process)->index < run_of(trace_, b.process)->index;
      });
      group.process = group.runs.front().process;
    }
    return std::move(merged_);
  }

 private:
  using Key = std::pair<Family, uint32_t>;  // and the instance

  const Trace& trace_;
  std::map<uint32_t, ProcessRole> roles_;
  std::map<std::pair<std::string, uint32_t>, uint32_t> segments_;  // by set and index of the run
  std::map<Key, size_t> numbers_;                                  // in merged_
  std::vector<EvaluationGroup> merged_;
};

}  // namespace

void merge_runs(const Trace& trace, Evaluations* evaluations) {
  auto& groups = evaluations->groups;
  if (std::none_of(trace.segments.begin(), trace.segments.end(), [](const Segment& s) { return s.run.has_value(); })) {
    return;
  }
  const auto has_latencies = [&](const EvaluationGroup& group) {
    const ExperimentRun* run = run_of(trace, group);
    return run == nullptr || run->purpose == RunPurpose::kLatencies;
  };
  // Times of other runs are meaningless, but better than an empty report.
  if (std::any_of(groups.begin(), groups.end(), has_latencies)) {
    std::erase_if(groups, [&](const EvaluationGroup& group) { return !has_latencies(group); });
  }
  std::map<uint32_t, ProcessRole> roles = roles_of_processes(trace, groups);
  const auto duration_ns = [&](uint32_t evaluation) {
    return static_cast<double>(trace.spans.duration(evaluations->root[evaluation]));
  };
  // Groups merge by their instance too, so that those without one get it first.
  name_instances(find_families(trace, roles, groups), duration_ns, &groups);
  Merge merge(trace, std::move(roles));
  for (const EvaluationGroup& group : groups) merge.add(group);
  groups = merge.groups();
  // What was one group in each of several runs is one instance: they are counted only now.
  mark_instances(&groups);
}

const ExperimentRun* run_of(const Trace& trace, const EvaluationGroup& group) { return run_of(trace, group.process); }

}  // namespace xsp::analysis
