#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Index of an execution in Trace::executions; kNoExecution: none.
inline constexpr uint32_t kNoExecution = UINT32_MAX;

/// Where an execution belongs. Its launch and, of a graph's node, the span that captured it come from the trace.
struct PlacedExecution {
  Row launch = kNoRow;                  // the span of the runtime level that started it
  Row capture = kNoRow;                 // of a graph's node: the innermost span open when it was made
  Row library_call = kNoRow;            // the outermost call of a library around the capture, else around the launch
  Row layer = kNoRow;                   // the innermost layer of the tables, likewise; kNoRow: unattached
  uint32_t layer_ordinal = UINT32_MAX;  // of `layer` in its evaluation; UINT32_MAX: in none
  uint32_t evaluation = kNoEvaluation;  // that of the launch
  Row operator_row = kNoRow;            // the innermost operator of a framework around the launch or capture
  bool backward = false;                // launched by backward work; `layer` is then that of the forward span
};

/// Whether an execution is work that a call asked for: a kernel, a copy or a memset.
constexpr bool is_work(Kind kind) { return kind == Kind::kKernel || kind == Kind::kMemcpy || kind == Kind::kMemset; }

/// All spans of the device level, placed once for all analyses.
struct Executions {
  std::vector<PlacedExecution> placed;  // by index in Trace::executions

  /// Executions of evaluation e in order of their launches, those of one launch in order of begin:
  /// in_evaluation[first_of[e]] up to in_evaluation[first_of[e + 1]].
  std::vector<size_t> first_of;
  std::vector<uint32_t> in_evaluation;

  uint64_t without_launch = 0;  // kernels, copies and memsets

  // Launches of kernels and graphs that succeeded, where kernels were recorded:
  uint64_t launches = 0;
  uint64_t without_execution = 0;
  /// Those of them that the device had not reached when the recording ended: they begin behind the last launch of their
  /// process that has an execution, which itself waited about as long for its own.
  uint64_t ahead = 0;
  int64_t ahead_ns = 0;  // from that last launch to the last of them, of the process where it is longest
};

/// Places executions by their launches, which are their parents. Of a graph's node the library call and the layer are
/// those of the call that made it, unless that lies in neither.
Executions place_executions(const Trace& trace, const Parents& parents, const Evaluations& evaluations);

/// Places executions where evaluations are iterations (iterations/iteration_spans.h): the evaluation of each is
/// `iteration_of` it, the row of a root, or kNoRow; all else is as place_executions of the launches has it. Executions
/// of an evaluation in which the launch of any is not known stand in order of begin.
Executions place_executions(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                            const std::vector<Row>& iteration_of);

}  // namespace xsp::analysis
