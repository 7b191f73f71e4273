#include "analysis/timeline/surroundings.h"

namespace xsp::analysis {
const Surroundings& SurroundingsSearch::of(Row span) {
  if (span != last_) found_ = find(span);
  last_ = span;
  return found_;
}

void SurroundingsSearch::walk(Row span, Surroundings* found, Row* outermost_model, Row* forward) const {
  for (int depth = 0; span != kNoRow && depth < kMaxDepth; ++depth, span = parents_.of[span]) {
    const Level level = spans_.level[span];
    if (is_library_call(spans_, span)) found->library_call = span;
    if (spans_.kind[span] == Kind::kOperator && found->operator_row == kNoRow) found->operator_row = span;
    // Containers are in no table and have no number.
    if (level == Level::kLayer && found->layer == kNoRow && evaluations_.number[span] != kNoNumber) found->layer = span;
    if (level == Level::kModel) *outermost_model = span;
    if (*forward == kNoRow) *forward = parents_.forward_of(span);
  }
}

Surroundings SurroundingsSearch::find(Row span) const {
  Surroundings found;
  Row outermost_model = kNoRow;
  Row forward = kNoRow;
  walk(span, &found, &outermost_model, &forward);
  found.backward = forward != kNoRow;
  // The gradient of a gradient leads over the first backward pass to the forward span.
  constexpr int kMaxPasses = 4;
  for (int pass = 0; pass < kMaxPasses && forward < kUnknownForward; ++pass) {
    if (found.layer != kNoRow && outermost_model != kNoRow) break;
    Surroundings around;
    Row its_model = kNoRow;
    Row next = kNoRow;
    walk(forward, &around, &its_model, &next);
    if (found.layer == kNoRow) found.layer = around.layer;
    if (outermost_model == kNoRow) outermost_model = its_model;
    forward = next;
  }
  if (outermost_model != kNoRow && evaluations_.number[outermost_model] != kNoNumber) {
    found.evaluation = evaluations_.number[outermost_model];
  }
  if (found.layer == kNoRow || found.evaluation == kNoEvaluation) return found;
  const size_t number = evaluations_.number[found.layer];
  const size_t first = evaluations_.first_layer[found.evaluation];
  if (number < first || number >= evaluations_.first_layer[found.evaluation + 1]) {
    found.layer = kNoRow;
  } else {
    found.layer_ordinal = static_cast<uint32_t>(number - first);
  }
  return found;
}

}  // namespace xsp::analysis
