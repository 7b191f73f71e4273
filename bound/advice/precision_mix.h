#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bound/advice/value_flow.h"
#include "bound/bounds/bounds.h"
#include "bound/database/database.h"
#include "bound/model/precision_problem.h"

namespace xsp::bound {

/// A layer or a group in a precision.
struct TypedTime {
  PrecisionRole role = PrecisionRole::kStays;
  LayerTime time;  // without a bound where there is none; its reason says why
};

/// Times in a precision, by layer and by group.
struct TypedTimes {
  std::vector<TypedTime> layers;
  std::vector<TypedTime> groups;
};
TypedTimes look_up_typed_times(const Bounds& bounds, const std::string& precision, const Database& database,
                               const LookUp& look_up);

/// Where a value changes its type on the way to layers that compute in the other one.
struct TypeBorder {
  size_t value = 0;  // index in the model's values
  bool is_into = false;
  std::vector<size_t> waiting;  // the layers that read it in its other type
  bool is_output_late = false;  // and so does who takes an output of the model
};

/// A model of which a part computes in another precision.
struct PrecisionMix {
  std::vector<bool> is_typed;   // by layer: it computes in the precision
  Bounds bounds;                // of the times that layers and groups then have; `layers` and `fused`, without borders
  std::vector<size_t> unit_of;  // by layer: the last layer of the taken group that it belongs to, else itself
  std::vector<TypeBorder> borders;
};

/// All that can compute in the precision does, whether it gains or not. What only follows does so where what it reads
/// has the type; layers that have no work pass on what they read.
PrecisionMix mix_precision(const Bounds& bounds, const std::vector<FloatValue>& values, const std::string& precision,
                           const TypedTimes& times);

}  // namespace xsp::bound
