#include "analysis/experiment/merged_runs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/experiment/run_processes.h"

namespace xsp::analysis {
namespace {

/// What a process is in each run of a set: its rank, else its command; and which of those of a run that are alike and
/// have models, in order of start.
struct ProcessRole {
  std::string rank;
  std::vector<std::string> command;
  size_t place = 0;

  auto operator<=>(const ProcessRole&) const = default;
};

std::map<uint32_t, ProcessRole> roles_of_processes(const Trace& trace, const std::vector<EvaluationGroup>& groups) {
  std::map<uint32_t, ProcessRole> roles;
  std::map<std::pair<uint32_t, ProcessRole>, std::vector<uint32_t>> alike;
  for (const EvaluationGroup& group : groups) {
    if (run_of(trace, group) == nullptr) continue;
    const Process& process = trace.processes[group.process];
    ProcessRole role{.rank = rank_of(process)};
    if (role.rank.empty()) role.command = process.command;
    const auto [found, added] = roles.try_emplace(group.process, std::move(role));
    if (added) alike[{process.segment, found->second}].push_back(group.process);
  }
  for (auto& [role, processes] : alike) {
    std::stable_sort(processes.begin(), processes.end(),
                     [&](uint32_t a, uint32_t b) { return trace.processes[a].start_ns < trace.processes[b].start_ns; });
    for (size_t i = 0; i < processes.size(); ++i) roles[processes[i]].place = i;
  }
  return roles;
}

class Merge {
 public:
  Merge(const Trace& trace, const std::vector<EvaluationGroup>& groups)
      : trace_(trace), roles_(roles_of_processes(trace, groups)) {
    for (const EvaluationGroup& group : groups) {
      if (run_of(trace, group) != nullptr && group.scope != 0) scopes_[key_of(group, 0)].insert(group.scope);
    }
  }

  void add(const EvaluationGroup& group) {
    const ExperimentRun* run = run_of(trace_, group);
    if (run == nullptr) {
      merged_.push_back(group);
      return;
    }
    // The same run given twice, by itself and in its folder, counts once.
    const uint32_t segment = trace_.processes[group.process].segment;
    if (segments_.try_emplace({run->set, run->index}, segment).first->second != segment) return;
    const uint32_t scope = scope_of(group);
    const auto [found, added] = numbers_.try_emplace(key_of(group, scope), merged_.size());
    if (added) {
      merged_.push_back(group);
      merged_.back().scope = scope;
      return;
    }
    EvaluationGroup& into = merged_[found->second];
    for (const GroupRun& of_group : group.runs) add_run(of_group, &into.runs);
    into.evaluations.insert(into.evaluations.end(), group.evaluations.begin(), group.evaluations.end());
    into.total_ns += group.total_ns;
  }

  std::vector<EvaluationGroup> groups() {
    for (EvaluationGroup& group : merged_) {
      if (run_of(trace_, group) == nullptr) continue;
      std::sort(group.evaluations.begin(), group.evaluations.end());
      std::stable_sort(group.runs.begin(), group.runs.end(), [&](const GroupRun& a, const GroupRun& b) {
        return run_of(trace_, a.process)->index < run_of(trace_, b.process)->index;
      });
      group.process = group.runs.front().process;
    }
    return std::move(merged_);
  }

 private:
  using Parameters = std::vector<std::pair<std::string, std::string>>;
  using Key = std::tuple<std::string, Parameters, ProcessRole, uint32_t, uint32_t, uint32_t, Kind>;

  Key key_of(const EvaluationGroup& group, uint32_t scope) const {
    const ExperimentRun& run = *run_of(trace_, group);
    return {run.set, run.parameters, roles_.at(group.process), group.model, scope, group.input, group.kind};
  }

  static void add_run(const GroupRun& run, std::vector<GroupRun>* runs) {
    const auto own =
        std::find_if(runs->begin(), runs->end(), [&](const GroupRun& other) { return other.process == run.process; });
    if (own == runs->end()) {
      runs->push_back(run);
      return;
    }
    own->evaluations.insert(own->evaluations.end(), run.evaluations.begin(), run.evaluations.end());
    std::sort(own->evaluations.begin(), own->evaluations.end());
  }

  /// Runs that record nothing below the model do not tell instances apart. Where the others have only one, it is that.
  uint32_t scope_of(const EvaluationGroup& group) const {
    if (group.scope != 0) return group.scope;
    const auto known = scopes_.find(key_of(group, 0));
    return known == scopes_.end() || known->second.size() != 1 ? 0 : *known->second.begin();
  }

  const Trace& trace_;
  std::map<uint32_t, ProcessRole> roles_;
  std::map<Key, std::set<uint32_t>> scopes_;                       // by key without scope
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
  // Times of other runs stand for nothing, but are better than an empty report.
  if (std::any_of(groups.begin(), groups.end(), has_latencies)) {
    std::erase_if(groups, [&](const EvaluationGroup& group) { return !has_latencies(group); });
  }
  Merge merge(trace, groups);
  for (const EvaluationGroup& group : groups) merge.add(group);
  groups = merge.groups();
  std::map<uint32_t, std::set<uint32_t>> instances;  // scopes by name
  for (const EvaluationGroup& group : groups) instances[group.model].insert(group.scope);
  for (EvaluationGroup& group : groups) group.one_of_several = instances[group.model].size() > 1;
}

const ExperimentRun* run_of(const Trace& trace, const EvaluationGroup& group) { return run_of(trace, group.process); }

}  // namespace xsp::analysis
