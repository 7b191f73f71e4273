#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/timeline/joined_calls.h"
#include "analysis/timeline/joined_kernels.h"
#include "analysis/timeline/joined_layers.h"
#include "analysis/timeline/sequence_alignment.h"

namespace xsp::analysis {

struct Study;

/// A place of a sequence that is compared, and the time it takes.
struct ComparedPlace {
  SequencePlace what;
  double ns = 0;
};

/// How sequence b differs from sequence a, once aligned.
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

/// What was joined of some evaluations as a sequence, and how its places are told to a reader. It refers to the study
/// and to what was joined.
struct Sequence {
  std::vector<ComparedPlace> places;
  std::function<std::string(uint32_t)> name;
  std::function<std::string(uint32_t)> position;
};

/// The layers of evaluations, by name and type.
Sequence sequence_of(const Study& study, const JoinedLayers& joined);

/// Library calls by layer of A2, library and function.
Sequence sequence_of(const Study& study, const JoinedCalls& joined);

/// Kernels by layer, and in order of launch within it.
Sequence sequence_of(const Study& study, const JoinedKernels& joined);

/// By library call in the order of Study::joined_library_calls: the same one of Study::library_calls_of_kernels, by
/// (layer, order, function); kNoPlace: none.
std::vector<uint32_t> align_calls(const Study& study);

}  // namespace xsp::analysis
