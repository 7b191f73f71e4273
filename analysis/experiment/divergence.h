#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "analysis/experiment/sequence_alignment.h"
#include "analysis/timeline/evaluations.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

struct Study;

/// Where runs of a set are not alike.
struct Divergence {
  Level level = Level::kLayer;                           // of what differs; kModel: evaluations
  size_t places = 0;                                     // layers, calls, kernels, or runs
  double ns = std::numeric_limits<double>::quiet_NaN();  // the time that it touches; NaN: of none
  std::string text;                                      // what, where first, how much of the time
};

/// A place of a sequence that is compared, and the time it takes.
struct ComparedPlace {
  SequencePlace what;
  double ns = 0;
};

/// How sequence b differs from sequence a.
struct SequenceDifference {
  size_t renamed = 0;
  size_t moved = 0;
  size_t removed = 0;
  size_t added = 0;
  AlignedPlace first;  // the first place that is not the same
  double ns = 0;       // of all these places, in b where they are there

  size_t places() const { return renamed + moved + removed + added; }
};
SequenceDifference compare_sequences(std::span<const ComparedPlace> a, std::span<const ComparedPlace> b);

/// By library call in the order of Study::joined_library_calls: the same one of Study::library_calls_of_kernels, by
/// (layer, order, function); kNoPlace: none.
std::vector<uint32_t> align_calls(const Study& study);

/// What differs between the runs of the subject's set and between its level sets. Evaluations of one run that differ
/// are counted where they are joined; a run all of whose evaluations differ from the others of its level set is named.
std::vector<Divergence> find_divergences(const Study& study);

}  // namespace xsp::analysis
