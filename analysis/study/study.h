#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/concurrency/given_curves.h"
#include "analysis/concurrency/node_graph.h"
#include "analysis/iterations/found_iterations.h"
#include "analysis/iterations/iteration_metrics.h"
#include "analysis/statistics/statistic.h"
#include "analysis/steps/host_waits.h"
#include "analysis/steps/step_periods.h"
#include "analysis/study/divergence.h"
#include "analysis/study/evaluation_inputs.h"
#include "analysis/study/study_levels.h"
#include "analysis/timeline/backward_work.h"
#include "analysis/timeline/device_latencies.h"
#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/executions.h"
#include "analysis/timeline/joined_calls.h"
#include "analysis/timeline/joined_kernels.h"
#include "analysis/timeline/joined_layers.h"
#include "analysis/timeline/kernel_metrics.h"
#include "analysis/timeline/library_calls.h"
#include "analysis/timeline/parents.h"
#include "analysis/timeline/span_roles.h"
#include "analysis/trace/trace.h"
#include "analysis/work/counter_metrics.h"
#include "analysis/work/device_peaks.h"
#include "base/status.h"

namespace xsp::analysis {

class DeviceOrder;
struct StepBreakdown;
struct ThreadSweep;

/// How A1 names the best batch size.
struct OptimalBatch {
  enum class By { kRule, kMax, kLatency };

  By by = By::kRule;
  double latency_ms = 0;  // the limit of kLatency

  /// "rule", "max", "latency=MS"; nothing for another text.
  static std::optional<OptimalBatch> parse(std::string_view text);
};

/// A group of another trace: tables are of the same one in this trace, if it has it.
struct SubjectWish {
  std::string model;  // name of the root
  std::string input;  // its shapes
  std::string rank;   // empty: none
};

/// What the user says for E1 to E3 and R2.
struct ConcurrencyOptions {
  uint32_t cores = 0;                         // 0: as the trace tells
  uint32_t interval = 0;                      // between probes; 0: as they were measured
  bool paper = false;                         // any rise ends a climb
  std::shared_ptr<const NodeGraph> graph;     // of --graph; null: none
  std::string graph_file;                     // its name, for notes
  std::shared_ptr<const GivenCurves> curves;  // of --curves; null: none
};

struct StudyOptions {
  Statistic statistic;
  bool per_trace = false;
  std::optional<size_t> skip;       // warm-up evaluations of each run; default: as warm_up_length finds them
  std::string model;                // of A2 to A13; empty: the largest group
  std::string process;              // "4242" or "rank1"; empty: all
  std::optional<SubjectWish> like;  // of A2 to A13, before the largest one
  OptimalBatch optimal;
  std::string baseline;  // of M1; empty: none
  PeakOptions peaks;
  MiningOptions mining;  // of D1 to D4
  ConcurrencyOptions concurrency;
};

/// Everything the analyses read: the timeline, what is under study, and its joined layers. Each analysis is a pure
/// function of it.
struct Study {
  const Trace& trace;
  const Parents& parents;
  const Evaluations& evaluations;
  const Executions& executions;
  StudyOptions options;
  SpanRoles roles;  // what was taken for models and layers

  Metrics metrics;
  CounterJoin counters;  // how they met what was executed
  DeviceRoofs roofs;

  std::vector<EvaluationInputs> inputs;  // by group of `evaluations`

  std::vector<uint32_t> groups;     // rows of A1, after --process and --model; by point of a sweep
  std::optional<uint32_t> subject;  // the group of A2 to A13
  bool without_models = false;      // nothing under study is an evaluation: everything is as with --per trace
  std::vector<uint32_t> used;       // its evaluations without warm-up that time the model
  DeviceLatencies latencies;
  LeveledGroup levels;         // which of its evaluations time what; nothing with --per trace
  BackwardWork backward;       // of the whole trace
  HostWaits waits;             // likewise
  JoinedLayers joined;         // each value from the level set that times it
  LibraryCalls library_calls;  // of the whole trace
  LibraryCalls runtime_calls;
  JoinedCalls joined_library_calls;  // of C1 and C2
  JoinedCalls joined_runtime_calls;
  JoinedCalls library_calls_of_kernels;  // of a leveled set: the library calls in the runs that record kernels
  JoinedKernels kernels;                 // of A8, A10, A11 and the subject's row of A15
  JoinedKernels copies;                  // of C2
  double model_latency_ns = 0;           // of the subject; of all groups with --per trace
  double joined_latency_ns = 0;          // the same over the evaluations whose layers are joined
  std::vector<Divergence> divergences;   // of a set: where its runs are not alike

  /// What several tables of kernels say, found at its first use: each takes a walk over all kernels.
  mutable std::optional<std::string> kernel_contradiction;
  mutable std::optional<std::vector<std::string>> kernel_metric_notes;

  /// What launch_times_note says in every table of layers.
  mutable std::optional<std::string> launch_times;

  /// Where time goes, found at its first use (step_study.h).
  mutable std::map<const EvaluationGroup*, StepPeriod> step_periods;  // of groups of `evaluations`
  mutable std::shared_ptr<const DeviceOrder> device_order;
  mutable std::shared_ptr<const StepBreakdown> breakdown;  // of the subject

  /// Of E1 to E3, found at its first use (thread_sweep.h); an empty pointer inside: there is none.
  mutable std::optional<std::shared_ptr<const ThreadSweep>> thread_sweep;

  /// Of D1 to D4, found at their first use (iteration_study.h).
  mutable std::optional<std::optional<uint32_t>> iteration_process;
  mutable std::optional<FoundIterations> iterations;
  mutable std::map<uint32_t, std::vector<IterationMetrics>> iteration_metrics;  // by loop

  /// Index of A2 of a layer of an evaluation of the subject; kNoPlace: it has no such layer.
  uint32_t layer_index(Row layer) const { return analysis::layer_index(*this, levels, joined, layer); }

  /// C1, C2 and A8 have every call or kernel for itself: with --per trace, and where no model was called.
  bool has_single_calls() const { return options.per_trace || evaluations.root.empty(); }

  double layer_latency_ns() const;
  /// The part of the model latency that is in layers, of the joined evaluations; NaN when there is none.
  double coverage_pct() const;
};

/// Chooses what is under study and joins its layers. An error when --model or --process names what is not there.
Status make_study(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                  const Executions& executions, const StudyOptions& options, std::optional<Study>* study,
                  Metrics metrics = {});

/// The evaluations of a group that time events of `level`, without warm-up.
std::vector<uint32_t> used_evaluations(const Study& study, const EvaluationGroup& group, Level level = Level::kModel);

/// Whether --process and --model chose what happened in a process and an evaluation (kNoEvaluation: in none).
bool is_under_study(const Study& study, uint32_t process, uint32_t evaluation);

/// Whether --process chose it; without the option all are.
bool is_process_under_study(const Study& study, uint32_t process);

/// Latencies in ns of evaluations, as recorded: until the device is done, where the trace tells.
std::vector<double> evaluation_latencies(const Study& study, const std::vector<uint32_t>& evaluations);

/// Their sum over all evaluations of a group.
double total_latency_ns(const Study& study, const EvaluationGroup& group);

/// How long their calls took on the host.
std::vector<double> host_latencies(const Study& study, const std::vector<uint32_t>& evaluations);

/// Whether any of the input is the profile of another tool, which xsp-run cannot record again.
bool has_imports(const Trace& trace);
/// Whether a part of the trace was imported from this format: "kineto".
bool has_profile_of(const Trace& trace, std::string_view format);

/// Whether a segment is a run of a set whose other runs record events of `level`: it lacks them on purpose.
bool is_shallow_run(const Study& study, const Segment& segment, Level level);

}  // namespace xsp::analysis
