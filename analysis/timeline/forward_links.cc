#include "analysis/timeline/forward_links.h"

namespace xsp::analysis {

void link_forwards(const Trace& trace, const SpanIds& ids, Parents* parents) {
  const std::vector<uint64_t>& links = trace.spans.forward;
  if (links.empty()) return;
  parents->forward.assign(trace.spans.size(), kNoRow);
  for (Row row = 0; row < links.size(); ++row) {
    if (links[row] == 0) continue;
    const SpanReference reference{static_cast<uint32_t>(links[row] >> 32), static_cast<uint32_t>(links[row])};
    const Row forward = ids.find(trace.process_of(row), reference);
    if (forward != row) parents->forward[row] = forward;
  }
}

}  // namespace xsp::analysis
