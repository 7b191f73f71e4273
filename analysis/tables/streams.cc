#include "analysis/tables/streams.h"

#include <algorithm>

#include "analysis/iterations/stream_classes.h"
#include "analysis/study/iteration_study.h"
#include "analysis/study/study.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/table.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

void add_row(const Trace& trace, const StreamContents& stream, Table* table) {
  const Queue& queue = trace.queues[stream.queue];
  const auto ms = [](int64_t ns) { return cell(static_cast<double>(ns) / kNsPerMs); };
  TableRow row = table->add_row();
  row.set(kD3.stream, count_cell(queue.stream));
  row.set(kD3.device, count_cell(queue.device));
  row.set(kD3.stream_class, std::string(stream_class_name(stream.stream_class)));
  row.set(kD3.kernels, count_cell(stream.kernels));
  row.set(kD3.copies_to_device, count_cell(stream.to_device));
  row.set(kD3.copies_to_host, count_cell(stream.to_host));
  row.set(kD3.other_copies, count_cell(stream.other_copies));
  row.set(kD3.memsets, count_cell(stream.memsets));
  row.set(kD3.kernel_ms, ms(stream.kernel_ns));
  row.set(kD3.copy_ms, ms(stream.copy_ns));
  row.set(kD3.busy_ms, ms(stream.busy_ns));
  row.set(kD3.bytes_to_device, count_cell(stream.bytes_to_device));
  row.set(kD3.bytes_to_host, count_cell(stream.bytes_to_host));
}

}  // namespace

Table streams(const Study& study) {
  Table table = make_table(kD3, study);
  if (const auto process = iteration_process(study)) {
    for (const StreamContents& stream : stream_contents(study.trace, *process)) {
      add_row(study.trace, stream, &table);
    }
    if (std::string note = iteration_process_note(study); !note.empty()) table.notes.push_back(std::move(note));
  }
  if (table.rows.empty()) {
    table.notes.emplace_back("the trace has no GPU activity: no kernel, copy or memset");
    table.lacks_data = true;
    return table;
  }
  table.notes.emplace_back(
      "main: at least 5 % of the process's kernels or of their time; copy: only copies; assist: all others; busy_ms is "
      "the time in which anything ran on the stream");
  for (std::string& note : loss_notes(study)) table.notes.push_back(std::move(note));
  return table;
}

}  // namespace xsp::analysis
