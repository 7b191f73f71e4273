#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/study/level_sets.h"
#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/joined_calls.h"
#include "analysis/timeline/joined_kernels.h"
#include "analysis/timeline/joined_layers.h"
#include "analysis/timeline/sequence_alignment.h"

namespace xsp::analysis {

struct Study;

/// The evaluations of a group that the events of one level are timed by: those of the level set whose deepest level is
/// theirs, without warm-up.
struct TimedLevel {
  std::string label;                          // of the level set
  std::vector<uint32_t> runs;                 // of the set, indices of EvaluationGroup::runs
  std::vector<std::vector<uint32_t>> by_run;  // evaluations of each
  std::vector<uint32_t> used;                 // of all of them, in order of begin
  size_t warm_up = 0;                         // left out
  std::vector<uint32_t> left_out;             // these
};

/// A group with each level timed by runs of its own. Where it has one level set all are the same.
struct LeveledGroup {
  bool leveled = false;  // several level sets
  TimedLevel model;
  TimedLevel layer;
  TimedLevel library;
  TimedLevel kernel;

  /// Of a leveled group, once its layers are joined: as the library set and the kernel set have them.
  JoinedLayers library_layers;
  JoinedLayers kernel_layers;
  /// By place of these: that of the layer set's layers (A2), kNoPlace: it has no such layer. Empty: the same.
  std::vector<uint32_t> library_ordinals;
  std::vector<uint32_t> kernel_ordinals;
  /// Executions outlast the calls of their layers, so that only runs that record them tell how long these take.
  bool layers_outlast_calls = false;

  /// The level whose evaluations give the latency of layers.
  const TimedLevel& of_layers() const { return layers_outlast_calls ? kernel : layer; }
};

/// A place in the layers of a set as an index of A2; kNoPlace where that has no such layer.
inline uint32_t layer_index_of(const std::vector<uint32_t>& ordinals, uint32_t ordinal) {
  if (ordinals.empty()) return ordinal;
  return ordinal < ordinals.size() ? ordinals[ordinal] : kNoPlace;
}

/// The level sets of a group that time it. Unsampled calls do not if there is only one of them, or if their time ends
/// before the device is done and that of the others does not.
std::vector<LevelSet> timing_sets(const Study& study, const EvaluationGroup& group);

/// The evaluations of some runs of a group without their warm-up, run by run: --skip N leaves out N of each,
/// --per trace none, else what warm_up_length finds in each.
std::vector<std::vector<uint32_t>> used_of_runs(const Study& study, const EvaluationGroup& group,
                                                const std::vector<uint32_t>& runs);

/// The evaluations of a group that time an event of `level`.
TimedLevel time_level(const Study& study, const EvaluationGroup& group, Level level);

/// Finds which evaluations of a group time what.
LeveledGroup time_levels(const Study& study, const EvaluationGroup& group);

/// Index in `layers`, as A2 has them, of a layer of an evaluation of the group of `levels`; kNoPlace where they do not
/// have it. Of a graph that another group captured, and where these evaluations have no layers of their own, the
/// ordinal in the evaluation that it is of.
uint32_t layer_index(const Study& study, const LeveledGroup& levels, const JoinedLayers& layers, Row layer);

/// Whether that is a row of `layers` for certain, which may go by another name than the layer in its evaluation.
bool is_row(const Study& study, const LeveledGroup& levels, const JoinedLayers& layers, Row layer);

/// The same in the layers of the evaluations that record kernels, those that are no rows behind those that are.
uint32_t kernel_place(const Study& study, const LeveledGroup& levels, const JoinedLayers& layers, Row layer);

/// Joins the layers of a group, as A2 has them, and of a leveled one as the other sets do.
JoinedLayers join_leveled_layers(const Study& study, LeveledGroup* levels);

/// By what join_kernels tells the layers of kernels. It refers to all three.
LayerOfKernel layers_of_kernels(const Study& study, const LeveledGroup& levels, const JoinedLayers& layers);

/// The same of calls in evaluations whose layers are `layers`.
LayerOfCall layers_of_calls(const Study& study, const JoinedLayers& layers);

/// Joins what was executed for a group, in the evaluations of its kernel level whose layers are joined, and in those
/// without layers: a replayed graph has the layers that captured it.
JoinedKernels join_executions(const Study& study, const LeveledGroup& levels, const JoinedLayers& layers,
                              Executed what);

/// The model latency of evaluations: the statistic over them.
double joined_model_latency(const Study& study, const std::vector<uint32_t>& evaluations);

}  // namespace xsp::analysis
