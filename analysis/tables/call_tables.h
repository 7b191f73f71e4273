#pragma once

#include <string>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// Sums over the calls of one function.
struct CalledFunction {
  uint32_t library = 0;  // string ids
  uint32_t function = 0;
  size_t count = 0;
  double host_ns = 0;
  double self_ns = 0;
  double kernel_ns = 0;
  double failed = 0;
};

/// By library and function, the longest in sum first.
std::vector<CalledFunction> called_functions(const Trace& trace, const LibraryCalls& all, const JoinedCalls& joined);

/// A mean of counts: an integer where it is one.
Cell mean_count(double value);

/// Adds what C1 and C2 say below the rows. `joined` are the calls shown, of `all`.
void finish_call_table(const Study& study, const LibraryCalls& all, const JoinedCalls& joined, Table* table);

/// Why the trace has no library calls, and what would give them.
std::string no_library_calls_note(const Study& study);

}  // namespace xsp::analysis
