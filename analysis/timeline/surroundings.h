#pragma once

#include <cstdint>

#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What lies around a span, itself included.
struct Surroundings {
  Row library_call = kNoRow;            // the outermost one
  Row layer = kNoRow;                   // the innermost layer of the tables
  uint32_t layer_ordinal = UINT32_MAX;  // of `layer` in its evaluation; UINT32_MAX: in none
  uint32_t evaluation = kNoEvaluation;
  Row operator_row = kNoRow;  // the innermost operator of a framework
  bool backward = false;      // the span does backward work: layer and evaluation may be those of its forward span
};

/// Looks spans up one after another; what is around the last one is kept, for neighbours mostly share it.
class SurroundingsSearch {
 public:
  SurroundingsSearch(const Trace& trace, const Parents& parents, const Evaluations& evaluations)
      : spans_(trace.spans), parents_(parents), evaluations_(evaluations) {}

  /// Nothing for kNoRow. Valid until the next call.
  const Surroundings& of(Row span);

 private:
  Surroundings find(Row span) const;
  void walk(Row span, Surroundings* found, Row* outermost_model, Row* forward) const;

  const SpanTable& spans_;
  const Parents& parents_;
  const Evaluations& evaluations_;
  Row last_ = kNoRow;
  Surroundings found_;
};

}  // namespace xsp::analysis
