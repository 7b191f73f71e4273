#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bound/bounds/layer_times.h"
#include "bound/fusion/fused_group.h"
#include "bound/model/layer.h"

namespace xsp::bound {

inline constexpr size_t kNoGroup = SIZE_MAX;

/// Why a candidate is not computed at once.
enum class Refusal : uint8_t {
  kNone,         // it is
  kNotMeasured,  // LayerTime::reason of the group says why
  kSlower,       // its layers take no longer one by one
  kSmaller,      // nor in smaller groups
  kDelays,       // it would make the longer one of two branches wait
  kTaken,        // a group that is taken has one of its layers
  kNotClosed,    // layers outside it read what one within it writes
};

/// What became of a candidate.
struct GroupDecision {
  Refusal refusal = Refusal::kNone;
  double parts_ms = 0;       // its layers one by one; those without a time count as nothing
  size_t untimed_parts = 0;  // layers that count and have no time
  size_t rival = kNoGroup;   // kTaken: the group that has a layer of it

  bool is_taken() const { return refusal == Refusal::kNone; }
};

/// The groups that are computed at once; no layer is in two of them.
struct GroupChoice {
  std::vector<GroupDecision> decisions;  // by candidate
  std::vector<size_t> taken;             // candidates, in the order of their last layers
  std::vector<size_t> group_of;          // by layer; kNoGroup: computed by itself
};

/// In the order of first layers, of equal ones the longest first: a group is taken where it was measured, is faster
/// than its layers one by one and in smaller groups, and no layer of it is taken. One that joins two branches is taken
/// only for the branch that is ready last, in the times with all groups that join none.
///
/// Only the last layer of a taken group is read from outside (apart from what leads to no work). Such groups in the
/// order of their last layers follow all that they read, so what is condensed by them has no cycle.
GroupChoice choose_groups(std::span<const Layer> layers, std::span<const LayerTime> times,
                          std::span<const FusedGroup> groups, std::span<const LayerTime> group_times);

}  // namespace xsp::bound
