#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "bound/backends/cudnn_operation_graph.h"
#include "bound/records/measurement.h"

namespace xsp::bound::cudnn {

/// An engine with its knobs, as the library's heuristics propose it.
struct EngineConfig {
  std::shared_ptr<const OperationGraph> graph;
  Descriptor descriptor;
  int64_t engine = 0;
  std::vector<std::pair<int64_t, int64_t>> knobs;  // by number
  std::vector<int> notes;                          // NumericalNote

  bool has(NumericalNote note) const;
  /// "engine 35 knobs 4=2,13=1", behind the form of the graph where it has one.
  std::string name() const;
};

/// What notes mean for an engine that computes with sources of f32 (`has_single_precision`) or not.
struct EngineNumerics {
  Numerics numerics = Numerics::kExact;
  std::string math_mode;  // "tf32", "16-bit inputs", "reduced sums"
};
EngineNumerics numerics_of(const EngineConfig& config, bool has_single_precision);

/// Proposals of mode A, then those of the fallback that are not among them, in the library's order. An error where
/// there is none.
Status propose_engines(const Target& target, std::shared_ptr<const OperationGraph> graph,
                       std::vector<EngineConfig>* configs);

/// An engine made ready to run: compiled, where that is done at run time.
struct ExecutionPlan {
  Descriptor descriptor;
  uint64_t workspace_bytes = 0;
};
Status make_plan(const Target& target, const EngineConfig& config, ExecutionPlan* plan);

}  // namespace xsp::bound::cudnn
