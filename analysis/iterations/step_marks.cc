#include "analysis/iterations/step_marks.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/timeline/iteration_kind.h"
#include "analysis/timeline/model_spans.h"

namespace xsp::analysis {
namespace {

/// Steps that are no models, because others were chosen.
std::vector<Row> annotated_steps(const Trace& trace, uint32_t process) {
  const SpanTable& spans = trace.spans;
  std::vector<Row> steps;
  for (Row row = 0; row < spans.size(); ++row) {
    const bool may_be = spans.kind[row] == Kind::kAnnotation && spans.level[row] != Level::kDevice;
    if (may_be && is_step_name(trace.text(spans.name[row])) && trace.process_of(row) == process) steps.push_back(row);
  }
  return steps;
}

std::vector<Row> evaluations_of(const Trace& trace, const Evaluations& evaluations, uint32_t process) {
  std::vector<Row> roots;
  for (const Row root : evaluations.root) {
    if (trace.process_of(root) == process && trace.spans.kind[root] != kIterationKind) roots.push_back(root);
  }
  return roots;
}

/// Names that only count are one kind: ProfilerStep#5.
std::vector<uint32_t> kinds_of(const Trace& trace, const Evaluations& evaluations, const StepMarks& marks) {
  std::map<std::tuple<uint32_t, uint32_t>, uint32_t> kinds;
  std::vector<uint32_t> of_mark;
  for (const Row row : marks.rows) {
    const bool is_counted = is_step_name(trace.text(trace.spans.name[row]));
    const uint32_t number = evaluations.number.empty() ? kNoNumber : evaluations.number[row];
    const bool has_phases = number < evaluations.phases.size();
    const uint32_t mode = has_phases ? static_cast<uint32_t>(evaluations.phases[number].kinds.mode) + 1 : 0;
    const std::tuple key(is_counted ? 0 : trace.spans.name[row], mode);
    of_mark.push_back(kinds.try_emplace(key, static_cast<uint32_t>(kinds.size())).first->second);
  }
  return of_mark;
}

}  // namespace

StepMarks step_marks(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                     const Operations& operations) {
  const SpanTable& spans = trace.spans;
  StepMarks marks;
  marks.rows = annotated_steps(trace, operations.process);
  marks.are_steps = !marks.rows.empty();
  if (marks.rows.empty()) {
    marks.rows = evaluations_of(trace, evaluations, operations.process);
    marks.are_steps = !marks.rows.empty() && std::all_of(marks.rows.begin(), marks.rows.end(),
                                                         [&](Row row) { return spans.kind[row] == Kind::kAnnotation; });
  }
  std::sort(marks.rows.begin(), marks.rows.end(), [&](Row a, Row b) {
    return std::pair(spans.begin[a], spans.end[a]) < std::pair(spans.begin[b], spans.end[b]);
  });
  for (size_t i = 1; i < marks.rows.size(); ++i) {
    if (spans.begin[marks.rows[i]] < spans.end[marks.rows[i - 1]]) return {};
  }
  if (marks.empty()) return marks;
  marks.kinds = kinds_of(trace, evaluations, marks);
  marks.of_operation.assign(operations.size(), kNoMark);
  const bool is_device = operations.source == OperationSource::kDevice;
  for (size_t i = 0; i < operations.size(); ++i) {
    const Row host = is_device ? parents.of[operations.row(i)] : operations.row(i);
    if (host == kNoRow) continue;
    const auto after = std::upper_bound(marks.rows.begin(), marks.rows.end(), spans.begin[host],
                                        [&](int64_t at, Row row) { return at < spans.begin[row]; });
    if (after == marks.rows.begin() || spans.begin[host] > spans.end[*(after - 1)]) continue;
    marks.of_operation[i] = static_cast<uint32_t>(after - 1 - marks.rows.begin());
  }
  return marks;
}

}  // namespace xsp::analysis
