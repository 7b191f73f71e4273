#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/steps/step_periods.h"
#include "analysis/study/study.h"
#include "analysis/tables/optimal_batch.h"

namespace xsp::analysis {

/// What A1 says of a group of evaluations.
struct GroupLatency {
  double ns = 0;
  double spread_ns = 0;
  size_t n = 0;
  StepPeriod period;

  /// What throughput is computed from: the period of steps, which is not known of fewer than three, else the latency.
  std::optional<double> throughput_ns() const {
    return period.of == ThroughputOf::kPeriod ? period.ns : std::optional(ns);
  }
  /// Inputs a second; nothing where they, or the period of steps, are not known.
  std::optional<double> throughput_per_s(const std::optional<double>& inputs) const;
};
GroupLatency latency_of(const Study& study, const EvaluationGroup& group);

/// Inputs of one evaluation of a group, as a cell; null where they are not known.
const EvaluationInputs& inputs_per_evaluation(const Study& study, const EvaluationGroup& group);
Cell batch_size_cell(const Study& study, const EvaluationGroup& group);

/// Inputs behind a latency: those of one evaluation, or of all with --per trace.
std::optional<double> inputs_of(const Study& study, const EvaluationGroup& group, size_t n);

/// The GPUs that evaluations of a group ran on, "NVIDIA H100, 2 × Tesla V100": by what executed for them, else those of
/// the process; empty where the trace tells of none.
std::string gpus_of(const Study& study, const EvaluationGroup& group);

/// The same model (for PyTorch, whose names are classes, one instance) on one system and rank, with inputs of the same
/// shapes but for their first dimensions: one row of M1. Of a sweep over several parameters all but the batch size are
/// the same too.
struct ModelSweep {
  std::string name;
  std::string system;            // its GPUs; empty: not known
  std::string rank;              // empty: none
  std::string source;            // the profile's format, or "xsp"
  std::string input;             // with N for the batch
  std::string point;             // of a sweep, without the batch size: "threads=4"; of xsp-run --concurrency
                                 // "4 threads"; empty: none
  std::string set;               // of a sweep; empty: none
  Mode mode = Mode::kUnknown;    // training and inference are separate sweeps
  std::vector<uint32_t> groups;  // in order of A1
};

/// All groups under study, in order of A1.
std::vector<ModelSweep> model_sweeps(const Study& study);

/// Whether two sweeps differ in their point only.
bool is_at_another_point(const ModelSweep& a, const ModelSweep& b);

/// Whether two sweeps differ in their mode at most.
bool is_of_same_model(const ModelSweep& a, const ModelSweep& b);

/// Whether all runs of a group failed, as the index of their set says.
bool has_failed(const Trace& trace, const EvaluationGroup& group);

/// What a sweep is of, for a note: "Net, input [N,3,224,224], threads=4".
std::string sweep_label(const ModelSweep& sweep);

/// Throughput by batch size, ascending: of evaluations with the phases that most of the sweep have, for one with a step
/// of an optimizer is not as fast as one without. Of several groups with one batch size the largest counts; those of
/// runs that failed do not.
struct SweptBatch {
  BatchThroughput throughput;
  uint32_t group = 0;
  size_t n = 0;
};
std::vector<SweptBatch> swept_batches(const Study& study, const ModelSweep& sweep);

}  // namespace xsp::analysis
