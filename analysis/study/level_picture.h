#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/study/level_profile.h"
#include "analysis/timeline/sequence_alignment.h"

namespace xsp::analysis {

/// An event of an evaluation as it is drawn: from when until when, inside what.
struct LevelBar {
  Level level = Level::kModel;
  uint32_t parent = kNoPlace;  // in LevelPicture::bars
  uint32_t layer = kNoPlace;   // ordinal of the layer that it is or lies in
  uint32_t name = 0;           // string id
  double begin_ns = 0;         // from the begin of the evaluation
  double latency_ns = 0;
};

/// What a level set saw of an evaluation: the model, its layers, their library calls, their kernels (paper, Figure 2).
/// Every begin and latency is the statistic over the evaluations that have the event. A kernel is drawn when it ran,
/// which may be behind the layer that launched it.
struct LevelPicture {
  std::vector<LevelBar> bars;            // parents before children, those of one parent in order of begin
  Level left_out = Level::kUnspecified;  // events from this level on were too many to draw
  size_t diverging = 0;                  // evaluations with other calls or kernels
};

/// At most `most` bars, by leaving out the deepest levels whole.
LevelPicture picture_of(const Study& study, const LevelProfile& profile, size_t most);

}  // namespace xsp::analysis
