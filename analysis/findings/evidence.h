#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/study/study.h"
#include "analysis/tables/table_cells.h"

namespace xsp::analysis {

/// What findings are made of: the tables of the report. The study only tells what the tables are of.
struct Evidence {
  const Study& study;
  const std::vector<Table>& tables;

  /// Without rows where the report does not have that table.
  TableCells table(const TableDefinition& definition) const;

  /// Whether latencies are of evaluations of a model, not totals of the trace.
  bool has_evaluations() const;
  /// Part of the step that a time of the subject is, for weights: 1 where it is not known.
  double share_of_step(double ms) const;
  /// What a step of the subject takes, or, without evaluations, the recording of its device; nothing where neither is
  /// known.
  std::optional<double> step_ms() const;
  /// What sentences call that: "step", "iteration", "block", "call", "recording".
  std::string_view step_word() const;
  /// What stands before its time: "every"; "the" where there is one, "a" for a recording.
  std::string_view each_step() const;
  /// "70.3 ms of every 177 ms step (40 %)"; of a step whose time is known.
  std::string part_of_step(double ms) const;
  /// The row of A15 whose kernels those of A8 to A11 are.
  std::optional<size_t> subject_kernels() const;
};

/// A name of the trace as a sentence takes it: short, and without control characters.
std::string name_in_sentence(std::string_view name);

/// "86.2".
std::string percent_text(double pct);

/// "40 %", "2.3 %", "0.4 %": of a step.
std::string share_text(double pct);

/// "7.894 ms", "6.1 µs".
std::string time_text(double ms);

/// The same as headlines have it, in three digits: "12.4 s", "7.89 ms", "812 µs".
std::string short_time(double ms);

/// "once", "48 times".
std::string times_text(double count);

/// "1 kernel", "3 kernels".
std::string count_text(double count, std::string_view noun);

}  // namespace xsp::analysis
