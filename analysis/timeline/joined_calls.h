#pragma once

#include <cstdint>
#include <vector>

#include "analysis/statistics/statistic.h"
#include "analysis/timeline/library_calls.h"

namespace xsp::analysis {

/// One row of C1: the calls of the same place in all joined evaluations, or one call.
struct JoinedCall {
  uint32_t call = kNoCall;       // the first one, in LibraryCalls
  uint32_t enclosing = kNoCall;  // index of the enclosing one in JoinedCalls
  double host_ns = 0;
  double spread_ns = 0;  // NaN when unknown
  double self_ns = 0;
  double kernel_ns = 0;     // NaN when unknown, as kernel_count
  double kernel_count = 0;  // mean
  double failed = 0;        // mean
  bool arguments_vary = false;
};

/// The calls under study.
struct JoinedCalls {
  std::vector<JoinedCall> calls;
  size_t evaluations = 0;        // joined; 0: the calls stand for themselves
  std::vector<uint32_t> joined;  // which
  size_t diverging = 0;          // left out because their sequence of (layer, library, function) is another
  size_t first_difference = 0;   // ordinal, of the first evaluation that diverges
  double kernel_ns = 0;          // of all kernels in the same evaluations, or of the trace
};

/// Joins the calls of `evaluations` by their order in the evaluation. When the sequences of (layer ordinal, library,
/// function) differ, only those of the most frequent sequence are joined.
JoinedCalls join_calls(const Trace& trace, const LibraryCalls& all, const std::vector<uint32_t>& evaluations,
                       const Statistic& statistic);

/// Gives calls the kernels of those that `partners` (by call of `to`; UINT32_MAX: none) names in other runs. What has
/// no partner has NaN.
void take_kernels(const JoinedCalls& from, const std::vector<uint32_t>& partners, JoinedCalls* to);

/// Every call that `wanted` (by index in LibraryCalls) has for itself.
JoinedCalls single_calls(const Trace& trace, const LibraryCalls& all, const std::vector<bool>& wanted);

}  // namespace xsp::analysis
