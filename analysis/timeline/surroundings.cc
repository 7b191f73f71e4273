#include "analysis/timeline/surroundings.h"

namespace xsp::analysis {
namespace {

/// Damaged input could chain spans without end; real nesting stays far below this.
constexpr int kMaxDepth = 1000;

}  // namespace

const Surroundings& SurroundingsSearch::of(Row span) {
  if (span != last_) found_ = find(span);
  last_ = span;
  return found_;
}

Surroundings SurroundingsSearch::find(Row span) const {
  Surroundings found;
  Row outermost_model = kNoRow;
  for (int depth = 0; span != kNoRow && depth < kMaxDepth; ++depth, span = parents_.of[span]) {
    const Level level = spans_.level[span];
    if (level == Level::kLibrary) found.library_call = span;
    // Containers are in no table and have no number.
    if (level == Level::kLayer && found.layer == kNoRow && evaluations_.number[span] != kNoNumber) found.layer = span;
    if (level == Level::kModel) outermost_model = span;
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
