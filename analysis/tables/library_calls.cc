#include "analysis/tables/library_calls.h"

#include "analysis/study/study.h"
#include "analysis/tables/table.h"
#include "analysis/timeline/library_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/tables/call_tables.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/trace/call_arguments.h"
#include "analysis/work/execution_plan.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

void add_row(const Study& study, const LibraryCalls& all, const JoinedCalls& joined, size_t index, PlanTexts* plans,
             Table* table) {
  const Trace& trace = study.trace;
  const JoinedCall& joined_call = joined.calls[index];
  const LibraryCall& call = all.calls[joined_call.call];
  const CallArguments arguments(trace, call.row);
  std::string status = arguments.status();
  if (status.empty() && joined_call.failed > 0) status = "failed";
  const uint32_t layer = study.layer_index(call.layer);
  const auto name = [&](uint32_t id) { return text_cell(trace.text(id)); };
  TableRow row = table->add_row();
  row.set(kC1.call_index, count_cell(index));
  row.set(kC1.library, name(trace.spans.type[call.row]));
  row.set(kC1.function, name(trace.spans.name[call.row]));
  if (layer != UINT32_MAX) row.set(kC1.layer_index, count_cell(layer));
  if (call.layer != kNoRow) row.set(kC1.layer_name, name(trace.layer_name(call.layer)));
  row.set(kC1.thread, count_cell(trace.tracks[trace.spans.track[call.row]].thread));
  row.set(kC1.arguments, text_cell(arguments.display([&](uint32_t id) { return plans->text(id); })));
  row.set(kC1.status, text_cell(std::move(status)));
  row.set(kC1.host_ms, cell(joined_call.host_ns / kNsPerMs));
  if (all.has_kernels()) {
    row.set(kC1.kernel_ms, cell(joined_call.kernel_ns / kNsPerMs));
    row.set(kC1.kernel_count, mean_count(joined_call.kernel_count));
  }
  if (joined_call.enclosing != kNoCall) row.set(kC1.nested_in, count_cell(joined_call.enclosing));
  row.set(kC1.self_ms, cell(joined_call.self_ns / kNsPerMs));
  row.set(kC1.n, count_cell(joined_call.n));
  row.set(kC1.spread, cell(joined_call.spread_ns / kNsPerMs));
}

/// The calls that the table shows, in order of execution: all, or the longest where there are too many to read.
std::vector<uint32_t> longest_calls(const JoinedCalls& joined) {
  constexpr size_t kMaxRows = 200'000;
  std::vector<uint32_t> shown(joined.calls.size());
  std::iota(shown.begin(), shown.end(), 0u);
  if (shown.size() <= kMaxRows) return shown;
  std::nth_element(shown.begin(), shown.begin() + kMaxRows, shown.end(), [&](uint32_t a, uint32_t b) {
    if (joined.calls[a].host_ns != joined.calls[b].host_ns) return joined.calls[a].host_ns > joined.calls[b].host_ns;
    return a < b;
  });
  shown.resize(kMaxRows);
  std::sort(shown.begin(), shown.end());
  return shown;
}

}  // namespace

Table library_calls(const Study& study) {
  Table table = make_table(kC1, study);
  // Calls of the CUDA runtime are no library calls, but are all that a program without libraries has.
  const bool runtime = study.library_calls.calls.empty() && !study.runtime_calls.calls.empty();
  const LibraryCalls& all = runtime ? study.runtime_calls : study.library_calls;
  const JoinedCalls& joined = runtime ? study.joined_runtime_calls : study.joined_library_calls;
  PlanTexts plans(study.trace);
  for (const uint32_t i : longest_calls(joined)) add_row(study, all, joined, i, &plans, &table);
  if (runtime)
    table.notes.emplace_back("no calls into a compute library: these are calls of the CUDA runtime and driver");
  finish_call_table(study, all, joined, &table);
  if (table.rows.size() < joined.calls.size()) {
    table.notes.push_back(fmt::format("the {} longest of {} calls", table.rows.size(), joined.calls.size()));
  }
  if (plans.unreadable() != 0) {
    table.notes.push_back(
        fmt::format("{} execution plan{} could not be read", plans.unreadable(), plans.unreadable() == 1 ? "" : "s"));
  }
  return table;
}

}  // namespace xsp::analysis
