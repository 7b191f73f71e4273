#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/statistics/statistic.h"
#include "analysis/timeline/library_calls.h"

namespace xsp::analysis {

/// The layer of a call as a place that is the same in all joined evaluations (LayerPlaces); its ordinal in the
/// evaluation without it.
using LayerOfCall = std::function<uint32_t(const LibraryCall&)>;

/// One row of C1: the calls of the same place in all joined evaluations, or one call.
struct JoinedCall {
  uint32_t call = kNoCall;       // the first one, in LibraryCalls
  uint32_t enclosing = kNoCall;  // index of the enclosing one in JoinedCalls
  uint32_t n = 1;                // evaluations that have it: the statistics are over these
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
  std::vector<uint32_t> same;    // of these, those with the most frequent sequence of (layer, library, function)
  size_t diverging = 0;          // left out because they have less than half in common with these
  size_t first_difference = 0;   // ordinal, of the first evaluation that is left out or, if none is, that differs
  size_t left_out = 0;           // calls that fewer than half of the joined evaluations have
  double left_out_ns = 0;        // of an evaluation on average: these, without the calls in them
  double kernel_ns = 0;          // of all kernels in the same evaluations, or of the trace

  /// By joined evaluation and place of a call in it: the index in `calls`; kNoPlace: it is left out.
  const std::vector<uint32_t>& rows_of(size_t evaluation) const { return rows[sequence_of[evaluation]]; }
  std::vector<uint32_t> sequence_of;
  std::vector<std::vector<uint32_t>> rows;  // by different sequence
};

/// Joins the calls of `evaluations` by their order in the evaluation. Where the sequences of (layer, library, function)
/// differ they are aligned (merge_sequences); what fewer than half of the evaluations have is left out.
JoinedCalls join_calls(const Trace& trace, const LibraryCalls& all, const std::vector<uint32_t>& evaluations,
                       const Statistic& statistic, const LayerOfCall& layer_of = {});

/// Gives calls the kernels of those that `partners` (by call of `to`; UINT32_MAX: none) names in other runs. What has
/// no partner has NaN.
void take_kernels(const JoinedCalls& from, const std::vector<uint32_t>& partners, JoinedCalls* to);

/// Every call that `wanted` (by index in LibraryCalls) has for itself.
JoinedCalls single_calls(const Trace& trace, const LibraryCalls& all, const std::vector<bool>& wanted);

}  // namespace xsp::analysis
