#include "analysis/trace/untimed_segments.h"

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
  keep(wanted, &spans->shallow);
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

bool is_counted(const Segment& segment) {
  return segment.counted || (segment.run && segment.run->purpose == RunPurpose::kCounters);
}

bool is_serialised(const Segment& segment) { return segment.run && segment.run->purpose == RunPurpose::kSerialised; }

std::vector<Row> leave_out_spans(const std::function<bool(const Segment&)>& untimed, Trace* trace) {
  std::vector<bool> left_out;
  for (const Segment& segment : trace->segments) left_out.push_back(untimed(segment));
  if (std::find(left_out.begin(), left_out.end(), true) == left_out.end()) return {};
  const size_t rows = trace->spans.size();
  std::vector<bool> wanted(rows);
  std::vector<Row> new_row(rows);
  Row next = 0;
  for (Row row = 0; row < rows; ++row) {
    wanted[row] = !left_out[trace->processes[trace->process_of(row)].segment];
    new_row[row] = next;
    if (wanted[row]) ++next;
  }
  if (next == 0 || next == rows) return {};
  if (trace->executions.size() != 0) keep_executions(wanted, new_row, &trace->executions);
  keep_spans(wanted, &trace->spans);
  for (Row row = 0; row < rows; ++row) {
    if (!wanted[row]) new_row[row] = kNoRow;
  }
  return new_row;
}

}  // namespace xsp::analysis
