#include "analysis/timeline/run_instances.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace xsp::analysis {
namespace {

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

}  // namespace

void name_instances(const std::vector<RunFamily>& families, const std::function<double(uint32_t)>& duration_ns,
                    std::vector<EvaluationGroup>* groups) {
  const auto known = find_instances(families, *groups);
  std::vector<EvaluationGroup> named;
  named.reserve(groups->size());
  for (size_t i = 0; i < groups->size(); ++i) {
    EvaluationGroup& group = (*groups)[i];
    const auto family = known.find(families[i].family);
    if (group.scope != 0 || family == known.end() || family->second.runs.contains(families[i].run)) {
      named.push_back(std::move(group));
    } else if (family->second.scopes.size() == 1) {
      group.scope = *family->second.scopes.begin();
      named.push_back(std::move(group));
    } else if (family->second.evaluations.size() == group.evaluations.size()) {
      for (EvaluationGroup& part : split(group, family->second, duration_ns)) named.push_back(std::move(part));
    } else {
      named.push_back(std::move(group));
    }
  }
  *groups = std::move(named);
}

void mark_instances(std::vector<EvaluationGroup>* groups) {
  std::map<uint32_t, std::set<uint32_t>> scopes;
  for (const EvaluationGroup& group : *groups) scopes[group.model].insert(group.scope);
  for (EvaluationGroup& group : *groups) group.one_of_several = scopes[group.model].size() > 1;
}

}  // namespace xsp::analysis
