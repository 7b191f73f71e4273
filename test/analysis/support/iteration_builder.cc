#include "test/analysis/support/iteration_builder.h"

#include <algorithm>

namespace xsp::test {

using analysis::IterationTime;
using analysis::LoopIteration;
using analysis::SymbolRole;

namespace {

bool is_host_copy(SymbolRole role) { return role == SymbolRole::kToDevice || role == SymbolRole::kToHost; }

}  // namespace

void IterationBuilder::sort() {
  std::stable_sort(operations_.begin(), operations_.end(), [](const OperationSpec& a, const OperationSpec& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  const size_t n = operations_.size();
  trace_.spans.resize(n);
  found_.operations.source = analysis::OperationSource::kDevice;
  found_.operations.symbols.clear();
  found_.operations.rows.clear();
  for (size_t i = 0; i < n; ++i) {
    const OperationSpec& operation = operations_[i];
    trace_.spans.begin[i] = operation.begin;
    trace_.spans.end[i] = operation.end;
    trace_.spans.bytes[i] = operation.bytes;
    trace_.spans.level[i] = analysis::Level::kDevice;
    trace_.spans.kind[i] = is_host_copy(operation.role) ? analysis::Kind::kMemcpy : analysis::Kind::kKernel;
    trace_.spans.name[i] = trace_.strings.intern(operation.name);
    found_.operations.rows.push_back(static_cast<analysis::Row>(i));
    found_.operations.symbols.push_back(symbol_of(operation.name, operation.role));
  }
}

analysis::Symbol IterationBuilder::symbol_of(const std::string& name, SymbolRole role) {
  const auto [at, is_new] = symbols_.emplace(name, static_cast<analysis::Symbol>(symbols_.size()));
  if (is_new) {
    const auto kind = is_host_copy(role) ? analysis::Kind::kMemcpy : analysis::Kind::kKernel;
    found_.operations.alphabet.push_back({.name = trace_.strings.intern(name), .kind = kind});
    found_.operations.roles.push_back(role);
  }
  return at->second;
}

uint32_t IterationBuilder::add_loop(const std::vector<std::string>& pattern,
                                    const std::vector<LoopIteration>& iterations, uint32_t level, uint32_t parent) {
  analysis::Loop loop;
  for (const std::string& name : pattern) loop.pattern.push_back(symbol_of(name, SymbolRole::kWork));
  loop.iterations = iterations;
  loop.level = level;
  loop.parent = parent;
  loop.confidence = 1;
  std::vector<IterationTime> times;
  for (const LoopIteration& iteration : iterations) {
    IterationTime time{INT64_MAX, INT64_MIN};
    for (const bool copies : {false, true}) {
      for (uint32_t i = iteration.begin; i < iteration.end; ++i) {
        if (is_host_copy(operations_[i].role) != copies) continue;
        time.begin = std::min(time.begin, operations_[i].begin);
        time.end = std::max(time.end, operations_[i].end);
      }
      if (time.begin != INT64_MAX) break;
    }
    times.push_back(time);
  }
  found_.loops.loops.push_back(std::move(loop));
  found_.times.push_back(std::move(times));
  return static_cast<uint32_t>(found_.loops.loops.size() - 1);
}

analysis::FoundIterations IterationBuilder::found() { return found_; }

}  // namespace xsp::test
