#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/timeline/evaluation_phases.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Index of an evaluation in Evaluations; kNoEvaluation: none.
inline constexpr uint32_t kNoEvaluation = UINT32_MAX;

/// In Evaluations::number: neither the root of an evaluation nor a layer of the tables.
inline constexpr uint32_t kNoNumber = UINT32_MAX;

/// The evaluations of a group that one run gave, in order of begin; of a run that samples those recorded in full, or
/// the others.
struct GroupRun {
  uint32_t process = 0;
  std::vector<uint32_t> evaluations;
  bool shallow = false;  // those that were not sampled: nothing inside them is recorded
};

using wire::ThreadCountsSetting;

/// With how many threads an evaluation was computed, as xsp-run --concurrency tells.
struct EvaluationThreads {
  ThreadCountsSetting setting = ThreadCountsSetting::kUnspecified;
  uint32_t threads = 0;  // 0: not told

  auto operator<=>(const EvaluationThreads&) const = default;
};

/// Evaluations of one model (an instance: its scope) with one set of input shapes, the same phases and the same number
/// of threads in one process: a row of A1.
struct EvaluationGroup {
  uint32_t process = 0;
  uint32_t model = 0;                 // string id of the root's name
  uint32_t input = 0;                 // string id of the input shapes
  uint32_t scope = 0;                 // string id of the instance, such as "Sequential #2"; 0: not known
  Kind kind = Kind::kUnspecified;     // of the first root
  EvaluationPhases::Kinds phases;     // which they have
  EvaluationThreads threads;          // with which all of them were computed, where that was another number than the
                                      // program's own or was told on purpose
  bool one_of_several = false;        // another group has the same model name and another scope
  std::optional<int64_t> batch_size;  // first dimension of the first input
  std::vector<uint32_t> evaluations;  // in order of begin
  double total_ns = 0;
  std::vector<GroupRun> runs;  // in order of execution; a recording by itself has one
};

/// Every evaluation (an outermost model span that did not fail) of the input, and the layers in each.
struct Evaluations {
  std::vector<Row> root;                // by evaluation, in order of begin
  std::vector<EvaluationGroup> groups;  // in order of their first evaluation

  /// Layers of evaluation e in execution order: layers[first_layer[e]] up to first_layer[e + 1].
  std::vector<size_t> first_layer;
  std::vector<Row> layers;
  std::vector<Row> loose_layers;         // layers in no evaluation
  std::vector<Row> failed;               // outermost model spans that ended by an exception: no evaluations
  std::vector<Row> failed_layers;        // layers in those
  uint64_t layer_containers = 0;         // layer spans left out because they contain layers
  std::vector<EvaluationPhases> phases;  // by evaluation; empty: not known of any

  /// By row: of a root its evaluation, of a layer its index in `layers`, behind them loose_layers and failed_layers.
  std::vector<uint32_t> number;

  std::vector<const wire::ThreadCount*> threads;  // by evaluation, null: not told; empty: of none

  std::vector<Row> constructions;  // outermost modules that constructors called: no evaluations either

  size_t layer_count(uint32_t evaluation) const { return first_layer[evaluation + 1] - first_layer[evaluation]; }
  Row layer(uint32_t evaluation, size_t ordinal) const { return layers[first_layer[evaluation] + ordinal]; }
};

Evaluations find_evaluations(const Trace& trace, const Parents& parents, const PhasesByModel& phases = {});

/// What tells a group's instance from others of its name: "Sequential #2", "resnet.onnx (session 3)"; without a scope
/// the name.
std::string instance_label(const Trace& trace, const EvaluationGroup& group);

/// What a reader sees: the name, or the instance where the name alone is not enough.
std::string model_label(const Trace& trace, const EvaluationGroup& group);

/// The shapes without their leading dimensions, "[N,3,224,224];[N,77]": what groups of one sweep of batch sizes share.
std::string shapes_of_any_batch(std::string_view shapes);

/// First dimension of "[8,3,224,224];[8,77]": 8. Nothing when it is no number.
std::optional<int64_t> leading_dimension(std::string_view shapes);

}  // namespace xsp::analysis
