#include "analysis/tables/analyses.h"
#include "analysis/tables/call_tables.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/units.h"

namespace xsp::analysis {
namespace {

void add_rows(const Study& study, const LibraryCalls& all, const JoinedCalls& joined, Table* table) {
  const Trace& trace = study.trace;
  const auto name = [&](uint32_t id) { return id == 0 ? Cell() : Cell(std::string(trace.text(id))); };
  for (const CalledFunction& function : called_functions(trace, all, joined)) {
    table->rows.push_back({name(function.library), name(function.function), count_cell(function.count),
                           cell(function.host_ns / kNsPerMs),
                           all.has_kernels() ? cell(function.kernel_ns / kNsPerMs) : Cell(),
                           all.has_kernels() ? percent(function.kernel_ns, joined.kernel_ns) : Cell(),
                           mean_count(function.failed), cell(function.self_ns / kNsPerMs)});
  }
}

}  // namespace

Table library_functions(const Study& study) {
  Table table;
  table.columns = {{"library", ""},     {"function", ""},    {"count", ""},  {"host_ms", "ms"},
                   {"kernel_ms", "ms"}, {"kernel_pct", "%"}, {"failed", ""}, {"self_ms", "ms"}};
  add_rows(study, study.library_calls, study.joined_library_calls, &table);
  add_rows(study, study.runtime_calls, study.joined_runtime_calls, &table);
  table.rank_by = 3;
  table.show_ranked = true;
  const bool runtime = study.library_calls.calls.empty();
  finish_call_table(study, runtime ? study.runtime_calls : study.library_calls,
                    runtime ? study.joined_runtime_calls : study.joined_library_calls, &table);
  if (!study.runtime_calls.calls.empty()) {
    table.notes.emplace_back("calls of the CUDA runtime stand behind the library calls; many are made inside those");
  }
  return table;
}

}  // namespace xsp::analysis
