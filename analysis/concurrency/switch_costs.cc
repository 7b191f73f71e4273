#include "analysis/concurrency/switch_costs.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace xsp::analysis {
namespace {

double nearest_cost(uint32_t from, uint32_t to, const std::vector<SwitchCost>& costs) {
  const auto distance = [&](const SwitchCost& cost) {
    return std::llabs(int64_t{cost.from} - from) + std::llabs(int64_t{cost.to} - to);
  };
  return std::min_element(costs.begin(), costs.end(),
                          [&](const SwitchCost& a, const SwitchCost& b) { return distance(a) < distance(b); })
      ->ns;
}

}  // namespace

Switches switches_along(const std::vector<uint32_t>& threads, uint32_t own, const std::vector<SwitchCost>& costs) {
  Switches switches;
  std::map<std::pair<uint32_t, uint32_t>, size_t> changes;
  uint32_t before = own;
  const auto go_to = [&](uint32_t next) {
    if (next != before) ++changes[{before, next}];
    before = next;
  };
  for (const uint32_t next : threads) go_to(next);
  go_to(own);
  double ns = 0;
  for (const auto& [pair, count] : changes) {
    switches.count += count;
    if (!costs.empty()) ns += static_cast<double>(count) * nearest_cost(pair.first, pair.second, costs);
  }
  if (!costs.empty() || switches.count == 0) switches.ns = ns;
  return switches;
}

}  // namespace xsp::analysis
