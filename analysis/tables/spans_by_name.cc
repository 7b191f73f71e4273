/// Q2: all that happened, by name, whether it is stored as spans or only counted.

#include "analysis/tables/spans_by_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/iterations/kind_names.h"
#include "analysis/study/study.h"
#include "analysis/tables/continuous_notes.h"
#include "analysis/tables/table.h"
#include "analysis/timeline/kernel_names.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

using NamedTotals = std::pair<SpanTotalsKey, SpanTotals>;

void add_row(const Study& study, const SpanTotalsKey& key, const SpanTotals& totals, KernelNames* kernels,
             Table* table) {
  const double count = static_cast<double>(totals.spans);
  const auto ms = [](double ns) { return cell(ns / kNsPerMs); };
  const auto text = [&](uint32_t id) {
    return id == 0 ? Cell() : Cell(key.level == Level::kDevice ? kernels->text(id) : std::string(study.trace.text(id)));
  };
  TableRow row = table->add_row();
  row.set(kQ2.name, text(key.name));
  row.set(kQ2.level, std::string(kLevelNames[static_cast<size_t>(key.level)]));
  row.set(kQ2.type, text(key.type));
  row.set(kQ2.count, count_cell(totals.spans));
  row.set(kQ2.total_ms, ms(static_cast<double>(totals.total_ns)));
  if (totals.spans != 0) {
    row.set(kQ2.stored_pct, cell(100 * static_cast<double>(std::min(totals.stored, totals.spans)) / count));
    row.set(kQ2.mean_ms, ms(static_cast<double>(totals.total_ns) / count));
  }
  row.set(kQ2.min_ms, ms(static_cast<double>(totals.min_ns)));
  row.set(kQ2.max_ms, ms(static_cast<double>(totals.max_ns)));
  if (!totals.buckets.empty()) {
    row.set(kQ2.p50_ms, ms(totals.quantile_ns(0.5)));
    row.set(kQ2.p90_ms, ms(totals.quantile_ns(0.9)));
    row.set(kQ2.p99_ms, ms(totals.quantile_ns(0.99)));
  }
  row.set(kQ2.failed, count_cell(totals.failed));
  row.set(kQ2.kind, std::string(kind_name(key.kind)));
}

std::string what_note(const Study& study, uint64_t processes, bool has_ended, int64_t begin, int64_t end) {
  std::string note = fmt::format("all spans of {}, stored or not, removed parts included",
                                 processes == 1 ? "1 process" : fmt::format("{} processes", processes));
  if (has_ended) note += ", and processes that ended before";
  if (end > begin) note += fmt::format(", over {:.4g} s", static_cast<double>(end - begin) / kNsPerSecond);
  if (processes > 1 && study.options.process.empty()) note += "; --process chooses";
  return note;
}

}  // namespace

bool has_aggregates(const Study& study) { return !study.trace.aggregates.empty(); }

Table spans_by_name(const Study& study) {
  Table table = make_table(kQ2, study);
  std::map<SpanTotalsKey, SpanTotals> sums;
  uint64_t processes = 0;
  bool has_ended = false;
  int64_t begin = INT64_MAX;
  int64_t end = 0;
  for (const auto& [process, aggregates] : study.trace.aggregates.processes) {
    if (!is_process_under_study(study, process)) continue;
    begin = std::min({begin, aggregates.begin, aggregates.before_begin});
    end = std::max(end, aggregates.end);
    // Number 0 has those that ended before the first part that is there.
    const bool is_of_ended = study.trace.processes[process].number == 0;
    processes += is_of_ended ? 0 : 1;
    for_each_total(study.trace, process, [&](const SpanTotalsKey& key, const SpanTotals& totals) {
      has_ended |= is_of_ended && totals.spans != 0;
      sums[key].add(totals);
    });
  }
  if (sums.empty()) {
    table.notes.emplace_back(
        "the trace has no counts by name: record with xsp-run --continuous, --max-size or --max-rate");
    table.lacks_data = true;
    return table;
  }
  std::vector<NamedTotals> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(), [](const NamedTotals& a, const NamedTotals& b) {
    if (a.first.level != b.first.level) return a.first.level < b.first.level;
    return a.second.total_ns > b.second.total_ns;
  });
  KernelNames kernels(study.trace);
  bool has_others = false;
  for (const auto& [key, totals] : rows) {
    has_others |= key.name == 0;
    add_row(study, key, totals, &kernels, &table);
  }
  table.notes.push_back(what_note(study, processes, has_ended, begin, end));
  table.notes.emplace_back(
      "p50, p90 and p99 are within 3.2 % (histograms with 16 buckets per octave); count, total, mean, minimum and "
      "maximum are exact");
  table.notes.emplace_back("levels are nested: totals of different levels do not add up");
  if (has_others)
    table.notes.emplace_back("a row without a name holds spans that have none, or whose name had no room");
  return table;
}

}  // namespace xsp::analysis
