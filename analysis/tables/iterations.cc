#include "analysis/tables/iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "analysis/study/iteration_study.h"
#include "analysis/study/study.h"
#include "analysis/tables/folded_pattern_table.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/table.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// One iteration of one loop.
struct IterationPlace {
  uint32_t loop = 0;
  uint32_t iteration = 0;
};

class IterationRows {
 public:
  explicit IterationRows(const Study& study, const FoundIterations& found)
      : found_(found), loops_(found.loops.loops), begin_(study.trace.spans.begin[found.operations.row(0)]) {
    find_successors();
  }

  void add(const IterationPlace& place, Table* table) const {
    const Loop& loop = loops_[place.loop];
    const LoopIteration& iteration = loop.iterations[place.iteration];
    const IterationTime& time = found_.times[place.loop][place.iteration];
    const uint32_t parent = parent_of(loop, iteration);
    TableRow row = table->add_row();
    row.set(kD1.iteration, count_cell(place.iteration));
    row.set(kD1.start_ms, ms_cell(time.begin - begin_));
    row.set(kD1.end_ms, ms_cell(time.end - begin_));
    row.set(kD1.operations, count_cell(iteration.size()));
    row.set(kD1.deviations, count_cell(iteration.deviations()));
    row.set(kD1.level, count_cell(loop.level));
    row.set(kD1.loop, count_cell(place.loop));
    if (parent != kNoLoop) row.set(kD1.parent, count_cell(parent));
    row.set(kD1.inserted, count_cell(iteration.inserted));
    row.set(kD1.missing, count_cell(iteration.missing));
    row.set(kD1.duration_ms, ms_cell(time.end - time.begin));
    if (has_successor_[place.loop][place.iteration]) {
      row.set(kD1.period_ms, ms_cell(found_.times[place.loop][place.iteration + 1].begin - time.begin));
    }
  }

 private:
  /// The iteration of the enclosing loop; kNoLoop: none.
  uint32_t parent_of(const Loop& loop, const LoopIteration& iteration) const {
    if (loop.parent == kNoLoop) return kNoLoop;
    const auto& around = loops_[loop.parent].iterations;
    const auto after = std::upper_bound(around.begin(), around.end(), iteration.begin,
                                        [](uint32_t at, const LoopIteration& other) { return at < other.begin; });
    return after == around.begin() ? kNoLoop : static_cast<uint32_t>(after - around.begin() - 1);
  }

  /// An iteration has a period if the next one of its level is of the same loop, in the same iteration of the loop
  /// around.
  void find_successors() {
    std::vector<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>> order;
    for (uint32_t i = 0; i < loops_.size(); ++i) {
      const Loop& loop = loops_[i];
      has_successor_.emplace_back(loop.iterations.size());
      for (uint32_t k = 0; k < loop.iterations.size(); ++k) {
        order.emplace_back(loop.level, loop.iterations[k].begin, parent_of(loop, loop.iterations[k]), i, k);
      }
    }
    std::sort(order.begin(), order.end());
    for (size_t i = 1; i < order.size(); ++i) {
      const auto& [level, begin, parent, loop, iteration] = order[i - 1];
      const auto& [next_level, next_begin, next_parent, next_loop, next_iteration] = order[i];
      if (level == next_level && loop == next_loop && parent == next_parent) has_successor_[loop][iteration] = true;
    }
  }

  const FoundIterations& found_;
  const std::vector<Loop>& loops_;
  int64_t begin_ = 0;
  std::vector<std::vector<bool>> has_successor_;  // by loop, by iteration
};

/// "loop 0: 10 iterations of 288 operations, 96.6 % of all operations, 98.0 % of their time; confidence 0.99".
std::string describe(const FoundIterations& found, uint32_t number) {
  const Loop& loop = found.loops.loops[number];
  const bool is_inner = loop.parent != kNoLoop;
  std::string text = fmt::format(
      "loop {}{}: {} iterations of {} operations, {:.1f} % of {}{}; confidence {:.2f}", number,
      is_inner ? fmt::format(", in loop {}", loop.parent) : "", loop.iterations.size(), loop.pattern.size(),
      100 * loop.coverage, is_inner ? "those around" : "all operations",
      is_inner ? "" : fmt::format(", {:.1f} % of their time", 100 * found.time_coverage[number]), loop.confidence);
  if (!found.why_not_steps[number].empty()) text += "; " + found.why_not_steps[number];
  if (loop.is_cut_at_begin) text += "; the trace begins inside an iteration, which is left out";
  if (loop.is_cut_at_end) text += "; the trace ends inside an iteration, which is left out";
  return text;
}

Extra pattern_of(const FoundIterations* found) {
  const auto outermost = found == nullptr ? std::nullopt : found->outermost();
  if (!outermost)
    return {"pattern",
            {{"length", Cell()},
             {"count", count_cell(0)},
             {"confidence", Cell()},
             {"coverage", Cell()},
             {"time_coverage", Cell()}}};
  const Loop& loop = found->loops.loops[*outermost];
  return {"pattern",
          {{"length", count_cell(loop.pattern.size())},
           {"count", count_cell(loop.iterations.size())},
           {"confidence", cell(loop.confidence)},
           {"coverage", cell(loop.coverage)},
           {"time_coverage", cell(found->time_coverage[*outermost])}}};
}

void add_rows(const Study& study, const FoundIterations& found, Table* table) {
  const IterationRows rows(study, found);
  size_t all = 0;
  for (uint32_t loop = 0; loop < found.loops.loops.size(); ++loop) {
    const auto count = static_cast<uint32_t>(found.loops.loops[loop].iterations.size());
    all += count;
    for (uint32_t i = 0; i < count && table->rows.size() < kMostIterations; ++i) rows.add({loop, i}, table);
  }
  if (all > kMostIterations) table->notes.push_back(fmt::format("the first {} of {} iterations", kMostIterations, all));
}

}  // namespace

Table iterations(const Study& study) {
  Table table = make_table(kD1, study);
  const FoundIterations* found = found_iterations(study);
  table.extras.push_back(pattern_of(found));
  if (found == nullptr) {
    table.notes.push_back(no_operations_note(study));
    table.lacks_data = true;
    return table;
  }
  const auto& loops = found->loops.loops;
  if (loops.empty()) {
    table.notes.push_back(no_loop_note(*found));
  } else {
    add_rows(study, *found, &table);
    table.parts.push_back(folded_pattern_table(study.trace, *found));
    for (uint32_t i = 0; i < loops.size(); ++i) table.notes.push_back(describe(*found, i));
  }
  table.notes.insert(table.notes.end(), found->notes.begin(), found->notes.end());
  if (std::string note = iteration_process_note(study); !note.empty()) table.notes.push_back(std::move(note));
  for (std::string& note : loss_notes(study)) table.notes.push_back(std::move(note));
  return table;
}

}  // namespace xsp::analysis
