#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/timeline/sequence_alignment.h"

namespace xsp::analysis {

/// What tells a model from others. Instances and processes are told by their order, for their names are other ones in
/// another run.
struct ModelIdentity {
  std::string name;
  std::string input;  // shapes; empty: not recorded
  std::string point;  // of a sweep
  std::string rank;   // empty: none

  bool operator==(const ModelIdentity&) const = default;
};

/// Of a group of evaluations.
ModelIdentity identity_of(const Study& study, uint32_t group);

/// What the tables of another recording are to be of, so that those of this one can be compared with them: of several
/// ranks another one may be the largest there. Nothing where this one has no model.
std::optional<SubjectWish> same_subject(const Study& study);

/// Places in Study::groups: the same, removed or added. Equal models meet first, of several the n-th the n-th; of what
/// is left those that differ in their rank only, what A2 to A11 are of before others; then those of which one recording
/// lacks the shapes of its input, where no other could be meant.
std::vector<AlignedPlace> match_models(const Study& base, const Study& fresh);

}  // namespace xsp::analysis
