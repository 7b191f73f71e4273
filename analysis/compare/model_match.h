#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/timeline/sequence_alignment.h"

namespace xsp::analysis {

/// What distinguishes a model from others. Instances and processes are told apart by their order, because their names
/// change from run to run.
struct ModelIdentity {
  std::string name;
  std::string input;  // shapes; empty: not recorded
  std::string point;  // of a sweep
  std::string rank;   // empty: none

  bool operator==(const ModelIdentity&) const = default;
};

/// At which point of a sweep the evaluations of a group are, "threads=2", or with how many threads xsp-run
/// --concurrency had them computed, "2 threads"; empty: none.
std::string group_point(const Trace& trace, const EvaluationGroup& group);

/// Of a group of evaluations.
ModelIdentity identity_of(const Study& study, uint32_t group);

/// What the tables of another recording should be of, to be comparable with this one's: among several ranks, a
/// different one may be the largest there. Nothing if this recording has no model.
std::optional<SubjectWish> same_subject(const Study& study);

/// Places in Study::groups: the same, removed or added. Equal models match first, the n-th with the n-th; of the rest,
/// those that differ only in rank (the subject of A2 to A11 first); then those whose input shapes one recording lacks,
/// if the match is unambiguous.
std::vector<AlignedPlace> match_models(const Study& base, const Study& fresh);

}  // namespace xsp::analysis
