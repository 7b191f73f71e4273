#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/database/database.h"
#include "bound/database/given_times.h"
#include "bound/fusion/fused_group.h"
#include "bound/model/layer.h"

namespace xsp::bound {

/// The least time that a layer takes by itself.
struct LayerTime {
  std::optional<double> bound_ms;     // the quickest benchmark, hot or cold; 0 for layers without work
  std::optional<double> expected_ms;  // the cold benchmark of the same implementation
  std::string library;                // with its version: "onednn 3.2.0"
  std::string implementation;
  bool is_noisy = false;
  std::optional<double> exact_ms;  // bound_ms of exact implementations alone, where that is another one
  bool is_exact = true;            // else it rounds otherwise than the plain algorithm does (Winograd)
  std::string reason;              // why there is no bound; else empty
  /// Whether it counts in coverages: it has work, or a time was given for it.
  bool counts = false;
};

/// By layer of the model, from the database.
std::vector<LayerTime> look_up_times(const LayeredModel& model, const Database& database, const LookUp& look_up);

/// By group.
std::vector<LayerTime> look_up_group_times(const std::vector<FusedGroup>& groups, const Database& database,
                                           const LookUp& look_up);

/// By layer of the model, from --times alone. An error (exit code 3): a time of a layer that the model lacks.
Status take_given_times(const LayeredModel& model, const GivenTimes& given, std::vector<LayerTime>* times);

}  // namespace xsp::bound
