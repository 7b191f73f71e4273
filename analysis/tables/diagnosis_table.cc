#include "analysis/tables/diagnosis_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/iterations/diagnosis.h"
#include "analysis/iterations/iteration_metrics.h"
#include "analysis/study/iteration_study.h"
#include "analysis/study/study.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {
namespace {

/// A cell with more numbers is no longer read.
constexpr size_t kMostNumbers = 10'000;

/// "6, 13, 20"; empty: all.
std::string numbers(const std::vector<uint32_t>& iterations) {
  const std::vector<uint32_t> first(
      iterations.begin(), iterations.begin() + static_cast<ptrdiff_t>(std::min(iterations.size(), kMostNumbers)));
  return fmt::format("{}{}", fmt::join(first, ", "), iterations.size() > kMostNumbers ? ", …" : "");
}

void add_row(uint32_t loop, const Diagnosis& check, Table* table) {
  TableRow row = table->add_row();
  row.set(kD4.diagnosis, std::string(check.id));
  if (check.has_value) {
    row.set(kD4.found, check.found);
    row.set(kD4.value, cell(check.value));
  }
  row.set(kD4.threshold, cell(check.threshold));
  row.set(kD4.unit, std::string(check.unit));
  row.set(kD4.evidence, check.evidence);
  if (!check.iterations.empty()) row.set(kD4.iterations, numbers(check.iterations));
  if (!check.advice.empty()) row.set(kD4.advice, check.advice);
  row.set(kD4.loop, count_cell(loop));
}

}  // namespace

Table diagnosis_table(const Study& study) {
  Table table = make_table(kD4, study);
  const FoundIterations* found = found_iterations(study);
  if (found == nullptr) {
    table.notes.push_back(no_operations_note(study));
    table.lacks_data = true;
    return table;
  }
  if (!found->outermost()) table.notes.push_back(no_loop_note(*found));
  bool any = false;
  bool is_checked = false;
  size_t loops = 0;
  for (const Loop& loop : found->loops.loops) loops += loop.level == 0;
  for (uint32_t loop = 0; loop < found->loops.loops.size(); ++loop) {
    if (found->loops.loops[loop].level != 0) continue;
    const std::vector<IterationMetrics>& metrics = metrics_of_loop(study, *found, loop);
    for (const Diagnosis& check : diagnose(study.trace, *found, loop, metrics)) {
      add_row(loop, check, &table);
      any |= check.found;
      is_checked |= check.has_value;
    }
  }
  if (loops != 0) {
    if (!any && is_checked) table.notes.emplace_back("nothing found");
    if (!is_checked) table.notes.emplace_back("not checked");
    table.notes.emplace_back("doc/iterations.md says what each check compares; iterations are numbered as in D1");
  }
  if (std::string note = iteration_process_note(study); !note.empty()) table.notes.push_back(std::move(note));
  for (std::string& note : loss_notes(study)) table.notes.push_back(std::move(note));
  return table;
}

}  // namespace xsp::analysis
