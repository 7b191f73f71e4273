#include "bound/cli/benchmark_plan.h"

#include <fmt/format.h>

#include "base/log.h"
#include "bound/cli/bound_messages.h"
#include "bound/measure/benchmark_run.h"
#include "bound/measure/progress_line.h"
#include "bound/tables/source_notes.h"

namespace xsp::bound {
namespace {

std::vector<Benchmark> missing_benchmarks(const BoundOptions& options, const Choice& choice,
                                          const std::vector<WorkItem>& items, const Database& database) {
  std::vector<Benchmark> missing;
  for (const WorkItem& item : items) {
    for (const Library& library : choice.look_up.libraries) {
      const bool is_known =
          !options.refresh && database.has(choice.look_up.system_key, library, choice.look_up.threads, item.problem);
      if (!is_known) missing.push_back({&item, &library});
    }
  }
  return missing;
}

/// The quickest, or why there is none.
void log_rows(const Benchmark& benchmark, const std::vector<Measurement>& rows) {
  if (!log::writes(log::Level::kInfo)) return;
  const Measurement* best = nullptr;
  for (const Measurement& row : rows) {
    if (row.status != BenchmarkStatus::kOk || row.cold) continue;
    if (best == nullptr || row.best_ns() < best->best_ns()) best = &row;
  }
  log::info(fmt::format("{} with {} {}: {}", benchmark.item->problem, benchmark.library->name,
                        benchmark.library->version,
                        best != nullptr ? fmt::format("{:.0f} ns, {}", best->best_ns(), best->implementation)
                        : rows.empty()  ? std::string("nothing")
                                        : rows.front().message));
}

}  // namespace

Status measure_missing(const BoundOptions& options, const Choice& choice, const std::vector<WorkItem>& items,
                       Database* database, size_t* measured) {
  const std::vector<Benchmark> missing = missing_benchmarks(options, choice, items, *database);
  *measured = 0;
  if (missing.empty()) return {};
  log::info(fmt::format("measuring {} benchmarks with {}", missing.size(), library_list(choice.look_up.libraries)));
  const BenchmarkOptions run_options{.budget_ms = options.budget_ms,
                                     .threads = choice.look_up.threads,
                                     .time_limit_s = options.time_limit_s,
                                     .child_command = {"/proc/self/exe", kChildWord}};
  const auto commit = [&](const Benchmark& benchmark, const std::vector<Measurement>& rows) {
    log_rows(benchmark, rows);
    return database->add(choice.system, *benchmark.library, benchmark.item->problem, benchmark.item->flops,
                         benchmark.item->bytes, rows);
  };
  ProgressLine line(options.quiet);
  Status status = run_benchmarks(
      missing, run_options, commit, [&](const BenchmarkProgress& progress) { line.update(progress); }, measured);
  line.clear();
  if (!status.ok()) {
    if (status.exit_code == 0) status.exit_code = kNoOutput;
    if (status.hint.empty()) {
      status.hint = fmt::format("{} of {} benchmarks are in {}; run it again to go on", *measured, missing.size(),
                                options.database);
    }
  } else if (*measured < missing.size() && !options.quiet) {
    tell_note(fmt::format("{} of {} benchmarks were not begun before --time-limit; run it again to go on",
                          missing.size() - *measured, missing.size()));
  }
  return status;
}

}  // namespace xsp::bound
