#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/experiment/sequence_alignment.h"
#include "analysis/tables/study.h"

namespace xsp::analysis {

/// Two inputs, analysed with the same options, and what of one is what of the other.
struct Comparison {
  const Study& base;
  const Study& fresh;

  std::vector<AlignedPlace> models;  // places in Study::groups: same, removed or added
  std::vector<AlignedPlace> layers;  // rows of A2
};

Comparison compare(const Study& base, const Study& fresh);

/// Places in Study::kernels, layer by layer in the order of `layers`: within a layer in order of launch. Another kernel
/// at the same place is renamed. What is in no layer comes last.
std::vector<AlignedPlace> match_kernels(const Comparison& comparison);

/// Whether A2 to A11 of both inputs are of the same model.
bool is_same_subject(const Comparison& comparison);

/// "same", "renamed", "moved", "removed" or "added".
std::string_view name_of(Alignment alignment);

}  // namespace xsp::analysis
