#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

inline constexpr size_t kMostFindings = 5;
inline constexpr size_t kMostNotes = 3;

/// One thing worth knowing first, in plain words with its number, and the row of a table that shows it.
struct Finding {
  std::string id;      // stable, for scripts: "bottleneck-layer-type", "memory-bound", "gpu-idle", "launch-bound", …
  std::string text;    // "Conv2d layers take 86.2 % of layer time (53 of 158 layers)"
  std::string advice;  // what to look at or to do; empty: nothing more to say
  double value = 0;    // the number of `text`
  std::string unit;
  std::string table;        // id of the table that is the evidence; always there
  std::string column, key;  // its row: the first whose `column` reads `key`; both empty: the table as a whole
  double weight = 0;        // share of the step that it is about, 0 to 1; what puts the reading in doubt has 1

  /// What could be won: ms of each step that would go if what is found were mended altogether. Nothing: not known.
  std::optional<double> gain_ms = {};
  /// Part of the step that it is about. Nothing of what puts the reading in doubt.
  std::optional<double> share_pct = {};
  std::string share_of = {};  // "step", "iteration", "block", "call", "recording"

  /// What a reader should know of the recording, not of the program: told behind the findings.
  bool is_note = false;

  /// Row of its table: the first whose `column` reads `key`; nothing of the table as a whole.
  std::optional<size_t> row = {};
};

/// What the tables show, at most kMostFindings: first what puts the reading in doubt, then by what could be won; behind
/// them at most kMostNotes notes. Each number is a cell of a table or made of its cells; nothing is found without them.
/// `tables`: those of the report; evidence is only sought there. One cause is one finding: where the steps tell why the
/// device idles (A15), the diagnosis of iterations (D4) does not tell it again.
std::vector<Finding> findings(const Study& study, const std::vector<Table>& tables);

}  // namespace xsp::analysis
