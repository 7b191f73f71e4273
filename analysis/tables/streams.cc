#include <algorithm>

#include "analysis/iterations/stream_classes.h"
#include "analysis/study/iteration_study.h"
#include "analysis/tables/analyses.h"
#include "analysis/tables/loss_notes.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

std::vector<Cell> row_of(const Trace& trace, const StreamContents& stream) {
  const Queue& queue = trace.queues[stream.queue];
  const auto ms = [](int64_t ns) { return cell(static_cast<double>(ns) / kNsPerMs); };
  return {count_cell(queue.stream),
          count_cell(queue.device),
          std::string(stream_class_name(stream.stream_class)),
          count_cell(stream.kernels),
          count_cell(stream.to_device),
          count_cell(stream.to_host),
          count_cell(stream.other_copies),
          count_cell(stream.memsets),
          ms(stream.kernel_ns),
          ms(stream.copy_ns),
          ms(stream.busy_ns),
          count_cell(stream.bytes_to_device),
          count_cell(stream.bytes_to_host)};
}

}  // namespace

Table streams(const Study& study) {
  Table table;
  table.columns = {{"stream", ""},           {"device", ""},         {"class", ""},        {"kernels", ""},
                   {"copies_to_device", ""}, {"copies_to_host", ""}, {"other_copies", ""}, {"memsets", ""},
                   {"kernel_ms", "ms"},      {"copy_ms", "ms"},      {"busy_ms", "ms"},    {"bytes_to_device", "B"},
                   {"bytes_to_host", "B"}};
  constexpr size_t kBusy = 10;
  table.rank_by = kBusy;
  if (const auto process = iteration_process(study)) {
    for (const StreamContents& stream : stream_contents(study.trace, *process)) {
      table.rows.push_back(row_of(study.trace, stream));
    }
    if (std::string note = iteration_process_note(study); !note.empty()) table.notes.push_back(std::move(note));
  }
  if (table.rows.empty()) {
    table.notes.emplace_back("nothing of a device is in the trace: no kernel, copy or memset");
    table.lacks_data = true;
    return table;
  }
  table.notes.emplace_back(
      "main: at least a twentieth of the process's kernels or of their time; copy: copies only; assist: all others; "
      "busy_ms is the union of all that ran on the stream");
  for (std::string& note : loss_notes(study)) table.notes.push_back(std::move(note));
  return table;
}

}  // namespace xsp::analysis
