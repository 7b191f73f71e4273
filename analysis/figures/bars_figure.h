#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/figures/figure.h"

namespace xsp::analysis {

struct Bar {
  std::string label;  // as recorded
  double value = 0;
  size_t row = kOfNoRow;
  double low = kNoBound, high = kNoBound;
};

/// How the rest of many bars is shown.
enum class RemainingBars {
  kBar,   // one bar that adds them up
  kNote,  // mentioned only: as a bar it would be longer than all others
};

struct BarsSpec {
  std::string id;
  std::string title;
  std::string label;  // of the axis
  std::string unit;
  std::string noun;  // of a bar: "layer type"
  RemainingBars remainder = RemainingBars::kBar;
  bool sums = true;    // the values add up to a whole
  bool ranked = true;  // the longest first; else in the order given
};

inline constexpr size_t kMostBars = 24;

/// Horizontal bars, at most kMostBars and one for the rest. Nothing where there is none.
std::optional<Figure> bars_figure(const Table& table, const BarsSpec& spec, std::vector<Bar> bars);

/// Adds cumulative shares: how much of the whole a bar and those above it make up. `whole`: what is 100 %.
void add_cumulative_share(double whole, Figure* figure);

/// One bar a row with a number in `value_column`, named by the first of `name_columns` or all of them.
std::vector<Bar> bars_of(const Table& table, const std::vector<const ColumnFacts*>& name_columns,
                         const ColumnFacts& value_column, const ColumnFacts* low_column = nullptr,
                         const ColumnFacts* high_column = nullptr);

/// How many rows have no number in this column, as a note; empty: none.
std::string missing_note(const Table& table, const ColumnFacts& value_column, const std::string& noun);

}  // namespace xsp::analysis
