#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/timeline/sequence_alignment.h"

namespace xsp::analysis {

/// Two inputs, analysed with the same options, and how their parts correspond.
struct Comparison {
  const Study& base;
  const Study& fresh;

  std::vector<AlignedPlace> models;  // places in Study::groups: same, removed or added
  std::vector<AlignedPlace> layers;  // rows of A2
};

/// Models match by name, input shapes, point of the sweep and rank; of the rest, those that differ only in rank, then
/// those whose shapes one recording lacks, if the match is unambiguous.
Comparison compare(const Study& base, const Study& fresh);

/// Places in Study::kernels, layer by layer in the order of `layers`; within a layer in order of launch, by name.
/// Another version of a kernel (kernel_family.h) in the same place counts as renamed. Kernels in no layer come last.
std::vector<AlignedPlace> match_kernels(const Comparison& comparison);

/// The place in `models` that A2 to A11 of both inputs are of; SIZE_MAX: they are of different models.
size_t subject_place(const Comparison& comparison);

/// Whether A2 to A11 of both inputs are of the same model, or both of none.
bool is_same_subject(const Comparison& comparison);

/// How the models of a place differ although they match: "rank 0 of BASE compared with rank 1 of NEW"; empty: they do
/// not.
std::string difference_within(const Comparison& comparison, const AlignedPlace& model);

/// How the models under study differ if they do not match: "model (BASE Net; NEW Other), input shapes (…)". Empty if
/// one side has none.
std::string subject_difference(const Comparison& comparison);

/// The share of layers of the input with more layers that the other input has too; of kernels if there are no layers; 1
/// if there are neither.
double share_in_common(const Comparison& comparison);

/// "same", "renamed", "moved", "removed" or "added".
std::string_view name_of(Alignment alignment);

}  // namespace xsp::analysis
