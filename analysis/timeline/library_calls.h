#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/executions.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Index of a call in LibraryCalls; kNoCall: none.
inline constexpr uint32_t kNoCall = UINT32_MAX;

/// A span of the library or runtime level and where it belongs.
struct LibraryCall {
  Row row = kNoRow;
  Row layer = kNoRow;                   // the innermost layer of the tables around it
  uint32_t layer_ordinal = UINT32_MAX;  // in the evaluation; UINT32_MAX: in none
  uint32_t evaluation = kNoEvaluation;
  uint32_t enclosing = kNoCall;  // the innermost call of the same level around it
  bool backward = false;         // by backward work; `layer` is then that of the forward span
  int64_t self_ns = 0;           // host time without the calls of the same level inside it
};

/// The kernels that a call caused, those of enclosed calls included.
struct CalledKernels {
  int64_t ns = 0;  // sum
  uint32_t count = 0;
};

/// All calls of one level, in order of begin, enclosing before enclosed.
struct LibraryCalls {
  std::vector<LibraryCall> calls;
  std::vector<CalledKernels> kernels;  // by call; empty where the trace has no executions
  int64_t kernel_ns = 0;               // of all kernels
  std::vector<int64_t> kernel_ns_of;   // by evaluation, of its kernels; likewise empty

  bool has_kernels() const { return !kernels.empty(); }
  CalledKernels kernels_of(uint32_t call) const { return kernels.empty() ? CalledKernels{} : kernels[call]; }
};

/// A kernel of a graph counts for the calls around its capture, and at the runtime level for its launch. Unless
/// `across_evaluations`, a call captured in one evaluation has no kernels of the others that replay it.
LibraryCalls find_library_calls(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                                const Executions& executions, Level level, bool across_evaluations);

}  // namespace xsp::analysis
