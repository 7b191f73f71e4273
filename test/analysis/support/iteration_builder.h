#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/iterations/found_iterations.h"
#include "analysis/trace/trace.h"

namespace xsp::test {

/// An operation of a device as given by a test, in ns.
struct OperationSpec {
  std::string name;
  int64_t begin = 0;
  int64_t end = 0;
  analysis::SymbolRole role = analysis::SymbolRole::kWork;
  uint64_t bytes = 0;
};

/// A handwritten trace with its loops, to test statements about iterations without the miners. Operations come in any
/// order and are numbered by their begin once `sort` has been called.
class IterationBuilder {
 public:
  void add(const OperationSpec& operation) { operations_.push_back(operation); }
  void sort();

  const std::vector<OperationSpec>& operations() const { return operations_; }

  /// A loop of the iterations [begin, end) of operations; returns its index. `pattern`: names.
  uint32_t add_loop(const std::vector<std::string>& pattern, const std::vector<analysis::LoopIteration>& iterations,
                    uint32_t level = 0, uint32_t parent = analysis::kNoLoop);

  /// With times as given by find_iterations.
  analysis::FoundIterations found();
  analysis::Trace& trace() { return trace_; }

 private:
  analysis::Symbol symbol_of(const std::string& name, analysis::SymbolRole role);

  std::vector<OperationSpec> operations_;
  analysis::Trace trace_;
  analysis::FoundIterations found_;
  std::map<std::string, analysis::Symbol> symbols_;
};

}  // namespace xsp::test
