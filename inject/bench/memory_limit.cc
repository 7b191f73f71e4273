#include "inject/bench/memory_limit.h"

#include <algorithm>

#include "inject/bench/decimal.h"

namespace xsp::bench {

bool needs_as_much_memory(const launch::Parameters& point, const launch::Parameters& exhausted,
                          const std::vector<std::string>& sizes) {
  if (point.size() != exhausted.size()) return false;
  for (size_t i = 0; i < point.size(); ++i) {
    const auto& [name, value] = point[i];
    const auto& [other_name, other_value] = exhausted[i];
    if (name != other_name) return false;
    if (value == other_value) continue;
    if (std::find(sizes.begin(), sizes.end(), name) == sizes.end()) return false;
    const auto number = parse_decimal(value);
    const auto other_number = parse_decimal(other_value);
    if (!number || !other_number || number->billionths < other_number->billionths) return false;
  }
  return true;
}

}  // namespace xsp::bench
