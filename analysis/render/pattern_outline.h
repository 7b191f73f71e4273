#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/tables/table.h"

namespace xsp::analysis {

/// A line of a folded pattern as people read it.
struct PatternLine {
  size_t depth = 0;
  uint64_t repeats = 1;
  uint64_t operations = 0;  // of one repeat
  bool is_block = false;    // what it consists of follows, one deeper
  std::string what;         // of an operation, of a kernel without its signature; of a block, where it has a name
  size_t left_out = 0;      // this line stands for so many, and for nothing else
};

/// The lines of D1's part `folded`, at most `most`: of operations that follow one another in a block the first are
/// there, and where that is not enough the outer blocks. Empty where the table is no pattern.
std::vector<PatternLine> pattern_outline(const Table& part, size_t most);

/// Of a block all of its line: "24 × 30 operations", "loop 1: 8 × 60 operations". Of an operation what stands before
/// its name: "2 × ", "" where it is there once. Printable.
std::string repeats_text(const PatternLine& line);

}  // namespace xsp::analysis
