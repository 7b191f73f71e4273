#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Index of a call in LibraryCalls; kNoCall: none.
inline constexpr uint32_t kNoCall = UINT32_MAX;

/// A span of the library or runtime level and where it belongs.
struct LibraryCall {
  Row row = kNoRow;
  uint32_t evaluation = kNoEvaluation;
  Row layer = kNoRow;                   // the innermost layer of the tables around it
  uint32_t layer_ordinal = UINT32_MAX;  // in the evaluation; UINT32_MAX: in none
  uint32_t enclosing = kNoCall;         // the innermost call of the same level around it
  int64_t self_ns = 0;                  // host time without the calls of the same level inside it
  int64_t kernel_ns = 0;                // sum over the device spans below it, those of enclosed calls included
  uint32_t kernel_count = 0;
};

/// All calls of one level, in order of begin, enclosing before enclosed.
struct LibraryCalls {
  std::vector<LibraryCall> calls;
  bool has_kernels = false;                            // the trace has device spans at all
  int64_t kernel_ns = 0;                               // of all device spans
  std::unordered_map<uint32_t, int64_t> kernel_ns_of;  // of those in an evaluation
};

LibraryCalls find_library_calls(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                                Level level);

}  // namespace xsp::analysis
