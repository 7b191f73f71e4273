#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/timeline/sequence_alignment.h"

namespace xsp::analysis {

/// Two inputs, analysed with the same options, and what of one is what of the other.
struct Comparison {
  const Study& base;
  const Study& fresh;

  std::vector<AlignedPlace> models;  // places in Study::groups: same, removed or added
  std::vector<AlignedPlace> layers;  // rows of A2
};

/// Models meet by name, input shapes, point of the sweep and rank; of what is left then, those that differ in their
/// rank only, and those of which one recording has no shapes, where no other could be meant.
Comparison compare(const Study& base, const Study& fresh);

/// Places in Study::kernels, layer by layer in the order of `layers`: within a layer in order of launch, by name. A
/// version of a kernel (kernel_family.h) at its place is renamed. What is in no layer comes last.
std::vector<AlignedPlace> match_kernels(const Comparison& comparison);

/// The place in `models` that A2 to A11 of both inputs are of; SIZE_MAX: they are of different models.
size_t subject_place(const Comparison& comparison);

/// Whether A2 to A11 of both inputs are of the same model, or both of none.
bool is_same_subject(const Comparison& comparison);

/// In what the models of a place differ although they meet: "rank 0 of BASE compared with rank 1 of NEW"; empty: in
/// nothing.
std::string difference_within(const Comparison& comparison, const AlignedPlace& model);

/// In what the models under study differ where they do not meet: "model (BASE Net; NEW Other), input shapes (…)". Empty
/// where one side has none.
std::string subject_difference(const Comparison& comparison);

/// Which share of the layers of the input that has more of them is in the other too, of kernels where there are no
/// layers; 1 where there is neither.
double share_in_common(const Comparison& comparison);

/// "same", "renamed", "moved", "removed" or "added".
std::string_view name_of(Alignment alignment);

}  // namespace xsp::analysis
