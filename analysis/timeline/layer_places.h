#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/timeline/device_latencies.h"
#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/sequence_alignment.h"

namespace xsp::analysis {

/// Which layers of several evaluations are the same layer. Evaluations with equal sequences of (name, type) have the
/// same layer at each ordinal; others are aligned (merge_sequences). Where other threads than the caller's run layers,
/// each of which occurs once, evaluations that differ in their order alone have the same layers. Bookkeeping counts for
/// none of that: all of an evaluation is one layer, the last one.
struct LayerPlaces {
  size_t rows = 0;               // places below are layers of the tables: those that at least half have
  std::vector<size_t> n;         // by place: evaluations that have it; behind `rows` those of the others
  std::vector<uint32_t> joined;  // evaluations, in order
  std::vector<uint32_t> same;    // of these, those that differ from the most frequent one in nothing that takes time
  size_t without_layers = 0;     // evaluations left out because they have none
  size_t diverging = 0;          // left out because less than half of their layers are those of the others
  size_t not_aligned = 0;        // of these, left out because aligning all would take too long
  size_t first_difference = 0;   // ordinal, of the first evaluation that is left out or, if none is, that differs
  double left_out_ns = 0;        // of an evaluation on average: layers that fewer than half of `joined` have
  size_t left_out = 0;           // how many such layers there are

  /// Place of a layer by its evaluation and ordinal; kNoPlace where none is known.
  uint32_t of(uint32_t evaluation, size_t ordinal) const {
    const auto found = sequence_of.find(evaluation);
    if (found == sequence_of.end() || ordinal >= places[found->second].size()) return kNoPlace;
    return places[found->second][ordinal];
  }
  bool knows(uint32_t evaluation) const { return sequence_of.contains(evaluation); }

  std::unordered_map<uint32_t, uint32_t> sequence_of;  // by evaluation, in `places`
  std::vector<std::vector<uint32_t>> places;           // by different sequence and ordinal
};

/// Where a layer of the tables is: kNoEvaluation where it is in none.
struct LayerPosition {
  uint32_t evaluation = kNoEvaluation;
  uint32_t ordinal = UINT32_MAX;
};
LayerPosition position_of(const Evaluations& all, Row layer);

/// Whether a layer is bookkeeping of a framework, by its type.
bool is_bookkeeping(const Trace& trace, Row layer);

/// Finds the places of the layers of `evaluations`, and of `others` (warm-up), which have no say in what the places
/// are. An iteration may run through other modules of the same types than the one before, as those of a model's blocks:
/// of iterations the sequences are of types.
LayerPlaces find_layer_places(const Trace& trace, const Evaluations& all, const DeviceLatencies& latencies,
                              const std::vector<uint32_t>& evaluations, const std::vector<uint32_t>& others = {});

/// By place below `rows`: the sum of `value(index in Evaluations::layers)` over the layers of an evaluation that have
/// it; kAbsent where it has none.
template <typename Value>
void layer_values(const Evaluations& all, const LayerPlaces& places, uint32_t evaluation, Value&& value,
                  std::vector<double>* values) {
  values->assign(places.rows, kAbsent);
  const auto found = places.sequence_of.find(evaluation);
  if (found == places.sequence_of.end()) return;
  const std::vector<uint32_t>& of = places.places[found->second];
  const size_t first = all.first_layer[evaluation];
  for (size_t ordinal = 0; ordinal < of.size(); ++ordinal) {
    if (of[ordinal] >= places.rows) continue;
    double& sum = (*values)[of[ordinal]];
    const double own = static_cast<double>(value(first + ordinal));
    sum = sum == kAbsent ? own : sum + own;
  }
}

}  // namespace xsp::analysis
