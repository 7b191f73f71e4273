#include "analysis/iterations/extra_operations.h"

#include <algorithm>
#include <map>

#include "analysis/iterations/what_differs.h"

namespace xsp::analysis {
namespace {

/// Three times in thirty iterations at even distances is a chance of just below this.
constexpr double kPeriodChance = 0.01;
constexpr size_t kLeastOccurrences = 3;

/// By symbol the iterations that have more of it than the pattern, ascending.
std::map<Symbol, std::vector<uint32_t>> iterations_with_more(const DiagnosedLoop& loop) {
  const Operations& operations = loop.found.operations;
  std::vector<uint32_t> expected(operations.alphabet.size());
  for (const Symbol symbol : loop.mined().pattern) ++expected[symbol];
  std::vector<uint32_t> count(expected.size());
  std::map<Symbol, std::vector<uint32_t>> more;
  for (uint32_t iteration = 0; iteration < loop.metrics.size(); ++iteration) {
    const auto [begin, end] = operations_with_rest(loop, iteration);
    for (uint32_t i = begin; i < end; ++i) {
      const Symbol symbol = operations.symbols[i];
      const bool is_more = ++count[symbol] == expected[symbol] + 1;
      if (is_more && iteration >= loop.warm_up && !loop.inputs().is_unusual(iteration)) {
        more[symbol].push_back(iteration);
      }
    }
    for (uint32_t i = begin; i < end; ++i) count[operations.symbols[i]] = 0;
  }
  return more;
}

}  // namespace

std::optional<RecurringOperations> recurring_operations(const DiagnosedLoop& loop) {
  const auto more = iterations_with_more(loop);
  std::map<std::vector<uint32_t>, std::vector<Symbol>> sets;
  for (const auto& [symbol, iterations] : more) {
    if (iterations.size() >= kLeastOccurrences) sets[iterations].push_back(symbol);
  }
  const auto first = static_cast<uint32_t>(loop.warm_up);
  const auto n = static_cast<uint32_t>(loop.metrics.size()) - first;
  std::optional<RecurringOperations> best;
  for (const auto& [iterations, symbols] : sets) {
    std::vector<uint32_t> places = iterations;
    for (uint32_t& place : places) place -= first;
    const auto when = periodicity_of(places, n, kPeriodChance / static_cast<double>(sets.size()));
    if (when && (!best || when->p_value < best->when.p_value)) best = {*when, symbols, iterations};
  }
  if (!best) return {};
  best->when.phase = (best->when.phase + first) % best->when.period;
  // Others that recur with it belong to it, even where each is now and then missing.
  for (const auto& [iterations, symbols] : sets) {
    if (iterations == best->iterations) continue;
    const auto with = static_cast<size_t>(
        std::count_if(iterations.begin(), iterations.end(), [&](uint32_t i) { return best->when.has(i); }));
    if (2 * with > iterations.size()) best->symbols.insert(best->symbols.end(), symbols.begin(), symbols.end());
  }
  return best;
}

}  // namespace xsp::analysis
