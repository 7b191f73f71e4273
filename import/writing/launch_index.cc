#include "import/writing/launch_index.h"

#include <algorithm>

namespace xsp {
namespace {

constexpr auto kBefore = [](const LaunchIndex::Launch& launch, uint32_t id) { return launch.correlation < id; };

}  // namespace

void LaunchIndex::finish() {
  std::sort(launches_.begin(), launches_.end(),
            [](const Launch& a, const Launch& b) { return a.correlation < b.correlation; });
}

bool LaunchIndex::has(uint32_t correlation) const {
  const auto found = std::lower_bound(launches_.begin(), launches_.end(), correlation, kBefore);
  return found != launches_.end() && found->correlation == correlation;
}

SpanReference LaunchIndex::find(uint32_t correlation) const {
  const auto found = std::lower_bound(launches_.begin(), launches_.end(), correlation, kBefore);
  if (found == launches_.end() || found->correlation != correlation) return {};
  const auto next = found + 1;
  return next != launches_.end() && next->correlation == correlation ? SpanReference{} : found->span;
}

}  // namespace xsp
