#pragma once

#include <cstdint>
#include <vector>

#include "analysis/iterations/found_iterations.h"
#include "analysis/timeline/iteration_kind.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Which loops of level 0 are made evaluations: all (`--model-span iterations`), or those that say what the process
/// does (FoundIterations::has_steps).
enum class LoopChoice : uint8_t { kAll, kSteps };

/// Gives each iteration of the chosen loops a span of level model and kind kIterationKind on a track of its own, named
/// "iteration (288 operations)" (of several loops "iteration of loop 2 (16 operations)", of parts of a model "block of
/// encoder.block (78 operations)"), and makes it what the work of
/// the iteration lies in. Operations of the host stand for their own launches.
///
/// - the launches of its operations, and the outermost spans of the host around them, are its children;
/// - spans of the host around several iterations are no one's, their children count as outermost; a layer or call with
///   operations of two neighbours is of the first;
/// - other outermost spans of the host are children of the iteration whose launches they begin between;
/// - an execution belongs to its iteration also where its launch is not in the trace.
///
/// In processes with iterations spans that were models before are none any more. To be called before evaluations are
/// found.
class IterationSpans {
 public:
  /// Index of the iteration's span by execution; kNoRow: in none. As long as Trace::executions.
  std::vector<Row> of_execution;
  std::vector<Row> rows;  // of all iterations, by process in order of begin
};
IterationSpans add_iteration_spans(const std::vector<FoundIterations>& found, LoopChoice choice, Parents* parents,
                                   Trace* trace);

}  // namespace xsp::analysis
