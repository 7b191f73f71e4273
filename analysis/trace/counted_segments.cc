#include "analysis/trace/counted_segments.h"

#include <algorithm>

namespace xsp::analysis {
namespace {

/// Keeps the elements whose index is wanted; a column may be shorter than the table.
template <typename Value>
void keep(const std::vector<bool>& wanted, std::vector<Value>* column) {
  size_t kept = 0;
  for (size_t i = 0; i < column->size(); ++i) {
    if (wanted[i]) (*column)[kept++] = (*column)[i];
  }
  column->resize(kept);
}

void keep_spans(const std::vector<bool>& wanted, SpanTable* spans) {
  keep(wanted, &spans->begin);
  keep(wanted, &spans->end);
  keep(wanted, &spans->bytes);
  for (auto* column : {&spans->name, &spans->type, &spans->shape, &spans->input, &spans->scope, &spans->track,
                       &spans->id, &spans->parent, &spans->arguments}) {
    keep(wanted, column);
  }
  keep(wanted, &spans->level);
  keep(wanted, &spans->kind);
  keep(wanted, &spans->failed);
  keep(wanted, &spans->correlation);
  keep(wanted, &spans->forward);
}

void keep_executions(const std::vector<bool>& wanted_span, const std::vector<Row>& new_row, ExecutionTable* table) {
  std::vector<bool> wanted(table->size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = wanted_span[table->row[i]];
    table->row[i] = new_row[table->row[i]];
  }
  keep(wanted, &table->row);
  keep(wanted, &table->queue);
  keep(wanted, &table->correlation);
  keep(wanted, &table->graph_node);
  keep(wanted, &table->graph);
  keep(wanted, &table->launch);
  keep(wanted, &table->capture);
}

}  // namespace

void leave_out_counted_spans(Trace* trace) {
  const auto is_counted = [](const Segment& segment) { return segment.counted; };
  const auto& segments = trace->segments;
  if (std::none_of(segments.begin(), segments.end(), is_counted) ||
      std::all_of(segments.begin(), segments.end(), is_counted)) {
    return;
  }
  const size_t rows = trace->spans.size();
  std::vector<bool> wanted(rows);
  std::vector<Row> new_row(rows);
  Row next = 0;
  for (Row row = 0; row < rows; ++row) {
    wanted[row] = !is_counted(segments[trace->processes[trace->process_of(row)].segment]);
    new_row[row] = next;
    if (wanted[row]) ++next;
  }
  if (trace->executions.size() != 0) keep_executions(wanted, new_row, &trace->executions);
  keep_spans(wanted, &trace->spans);
}

}  // namespace xsp::analysis
