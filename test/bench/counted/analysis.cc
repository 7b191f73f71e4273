/// counted_analysis load|tables|periods|suffix-tree: a trace loaded, the tables A1 to A7 of a loaded one, and
/// iterations found in a sequence of operations.

#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include <unistd.h>

#include "analysis/mining/suffix_tree_mining.h"
#include "analysis/study/study.h"
#include "analysis/tables/registry.h"
#include "analysis/timeline/span_roles.h"
#include "analysis/trace/loader.h"
#include "analysis/work/metric_source.h"
#include "test/bench/counted/counted.h"
#include "test/bench/made_operations.h"
#include "test/bench/made_trace.h"

namespace {

using namespace xsp::analysis;

constexpr long kSpans = 20'000;
constexpr long kOperations = 20'000;

std::map<long, std::string>& files() {
  static std::map<long, std::string> all;
  return all;
}

/// A trace of so many spans in a file, made once.
const std::string& file_of(long spans) {
  std::string& path = files()[spans];
  if (path.empty()) {
    const char* folder = std::getenv("TMPDIR");
    path = std::string(folder == nullptr ? "/tmp" : folder) + "/counted-" + std::to_string(getpid()) + "-" +
           std::to_string(spans) + ".pb";
    xsp::bench::MadeTrace(path, xsp::bench::Content::kTorch).write(static_cast<uint64_t>(spans));
  }
  return path;
}

void load(long spans) {
  Trace trace;
  if (!load_path(file_of(spans), &trace).ok()) std::exit(1);
}

/// What the tables are made from, as xsp-report has it.
struct LoadedTrace {
  explicit LoadedTrace(long spans) {
    if (!load_path(file_of(spans), &trace).ok()) std::exit(1);
    parents = find_parents(trace);
    SpanRoles roles;
    if (!assign_span_roles({}, &parents, &trace, &roles).ok()) std::exit(1);
    evaluations = find_evaluations(trace, parents, roles.phases);
    executions = place_executions(trace, parents, evaluations);
    CounterJoin counters;
    Metrics metrics = make_metrics(trace, parents, executions, &counters);
    if (!make_study(trace, parents, evaluations, executions, {}, &study, std::move(metrics)).ok()) std::exit(1);
  }

  Trace trace;
  Parents parents;
  Evaluations evaluations;
  Executions executions;
  std::optional<Study> study;
};

const LoadedTrace& loaded(long spans) {
  static std::map<long, std::unique_ptr<LoadedTrace>> traces;
  auto& trace = traces[spans];
  if (trace == nullptr) trace = std::make_unique<LoadedTrace>(spans);
  return *trace;
}

void make_tables(long spans) {
  std::vector<const TableDefinition*> chosen;
  if (!choose_analyses({"A1", "A2", "A3", "A4", "A5", "A6", "A7"}, &chosen).ok()) std::exit(1);
  for (const TableDefinition* analysis : chosen) analysis->compute(*loaded(spans).study);
}

const xsp::bench::Workload& operations(long count) {
  static std::map<long, xsp::bench::Workload> workloads;
  auto& workload = workloads[count];
  if (workload.symbols.empty()) workload = xsp::bench::MadeOperations(0).run(static_cast<size_t>(count));
  return workload;
}

void mine_by_periods(long count) {
  const auto& workload = operations(count);
  mine_periods({.symbols = workload.symbols, .roles = workload.roles, .idle_before = {}});
}

void mine_by_suffix_tree(long count) {
  const auto& workload = operations(count);
  xsp::analysis::mine_by_suffix_tree(workload.symbols, {.counts = {workload.steps}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  // Made before anything is counted.
  if (std::strcmp(argv[1], "load") == 0) {
    file_of(kSpans), file_of(2 * kSpans);
    xsp_count_thrice(load, kSpans);
  } else if (std::strcmp(argv[1], "tables") == 0) {
    loaded(kSpans), loaded(2 * kSpans);
    xsp_count_thrice(make_tables, kSpans);
  } else if (std::strcmp(argv[1], "periods") == 0) {
    operations(kOperations), operations(2 * kOperations);
    xsp_count_thrice(mine_by_periods, kOperations);
  } else if (std::strcmp(argv[1], "suffix-tree") == 0) {
    operations(kOperations), operations(2 * kOperations);
    xsp_count_thrice(mine_by_suffix_tree, kOperations);
  } else {
    return 2;
  }
  for (const auto& [spans, path] : files()) unlink(path.c_str());
  return 0;
}
