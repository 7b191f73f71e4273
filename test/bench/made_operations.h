#pragma once

/// A made-up sequence of GPU operations: steps of a transformer, 24 equal blocks between a prologue and an epilogue,
/// 960 operations; a statistic every 10th step, five steps of evaluation every 50th, and what a program does before its
/// loop.

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "analysis/mining/loops.h"
#include "analysis/mining/period_mining.h"

namespace xsp::bench {

using analysis::Symbol;

struct Workload {
  std::vector<Symbol> symbols;
  std::vector<analysis::SymbolRole> roles;
  uint32_t steps = 0;        // training steps, whole ones
  uint32_t evaluations = 0;  // evaluation steps
};

class MadeOperations {
 public:
  explicit MadeOperations(uint32_t permille) : permille_(permille) {
    const std::vector<Symbol> block = operations(30);
    forward_ = operations(60);
    for (int i = 0; i < 24; ++i) forward_.insert(forward_.end(), block.begin(), block.end());
    step_ = forward_;
    const std::vector<Symbol> backward = operations(180);
    step_.insert(step_.end(), backward.begin(), backward.end());
    statistic_ = operations(37);
  }

  Workload run(size_t size) {
    Workload workload;
    std::vector<Symbol>* symbols = &workload.symbols;
    symbols->reserve(size + 8 * step_.size());
    for (size_t i = 0; i < size / 50; ++i) symbols->push_back(operation());
    for (uint32_t number = 1; symbols->size() < size; ++number) {
      const size_t begin = symbols->size();
      append(step_, symbols);
      if (number % 10 == 0) {
        symbols->insert(symbols->begin() + static_cast<std::ptrdiff_t>(begin + step_.size() / 2), statistic_.begin(),
                        statistic_.end());
      }
      workload.steps += symbols->size() <= size;
      if (number % 50 != 0) continue;
      for (int i = 0; i < 5; ++i, ++workload.evaluations) append(forward_, symbols);
    }
    symbols->resize(size);
    workload.roles.resize(kNames);
    return workload;
  }

 private:
  static constexpr uint32_t kNames = 400;

  Symbol operation() { return std::uniform_int_distribution<Symbol>(0, kNames - 1)(random_); }

  std::vector<Symbol> operations(size_t count) {
    std::vector<Symbol> result(count);
    std::generate(result.begin(), result.end(), [&] { return operation(); });
    return result;
  }

  void append(const std::vector<Symbol>& part, std::vector<Symbol>* symbols) {
    for (const Symbol symbol : part) symbols->push_back(random_() % 1000 < permille_ ? operation() : symbol);
  }

  uint32_t permille_;
  std::mt19937 random_{1};
  std::vector<Symbol> forward_;
  std::vector<Symbol> step_;
  std::vector<Symbol> statistic_;
};

}  // namespace xsp::bench
