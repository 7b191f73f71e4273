#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/table.h"

namespace xsp::analysis {

/// Why a row has no place in a log-log plot of throughput over intensity.
enum class Undrawn {
  kNot,        // it is drawn
  kNoFlops,    // its work is no floating-point operations: a place at 0
  kAuxiliary,  // its work is counted at another kernel of its operator
  kSplit,      // further kernels did a part of its work, so that it has no throughput
  kUnknown,    // its work is not known
};

/// A row of A9, A14, A15 or M1 as its cells have it; empty and nothing where they are null.
struct RooflineRow {
  size_t row = 0;
  double time = 0;  // ms
  std::optional<double> intensity;
  std::optional<double> throughput;  // TFLOPS
  std::string type;                  // "f32", "mixed (f32 80 %)"
  std::optional<double> peak;        // TFLOPS
  std::optional<double> bandwidth;   // GB/s
  std::string bound;                 // "memory", "compute"
  std::string source;
  std::optional<double> pct_of_roof;
  Undrawn undrawn = Undrawn::kNot;
};

/// All rows; `time` is the column of their time.
std::vector<RooflineRow> roofline_rows(const Table& table, const ColumnFacts& time);

}  // namespace xsp::analysis
