#include "analysis/timeline/node_nesting.h"

#include <algorithm>
#include <tuple>

#include "analysis/timeline/parents.h"

namespace xsp::analysis {
namespace {

/// Control flow in control flow stays far below this; damaged input must not make the search slow.
constexpr size_t kMaxNesting = 64;

bool is_inside(const SpanTable& spans, Row inner, Row outer) {
  const bool before = spans.duration(inner) == 0 && spans.begin[inner] == spans.begin[outer];
  return !before && spans.begin[outer] <= spans.begin[inner] && spans.begin[inner] < spans.end[outer] &&
         spans.end[inner] <= spans.end[outer] + kScopeToleranceNs;
}

}  // namespace

void nest_nodes(const Trace& trace, std::vector<Row>* parents) {
  const SpanTable& spans = trace.spans;
  std::vector<Row> nodes;
  for (Row row = 0; row < spans.size(); ++row) {
    if (!is_node(spans, row) || spans.parent[row] != 0) continue;
    const Row run = (*parents)[row];
    if (run < spans.size() && spans.level[run] == Level::kModel) nodes.push_back(row);
  }
  const auto thread_of = [&](Row row) { return trace.tracks[spans.track[row]].thread; };
  // Outer before inner.
  const auto key = [&](Row row) {
    return std::tuple((*parents)[row], thread_of(row), spans.begin[row], -spans.end[row], -int64_t{row});
  };
  const auto before = [&](Row a, Row b) { return key(a) < key(b); };
  if (!std::is_sorted(nodes.begin(), nodes.end(), before)) std::sort(nodes.begin(), nodes.end(), before);

  std::vector<Row> open;
  Row run = kNoRow;
  uint32_t thread = 0;
  for (const Row node : nodes) {
    if ((*parents)[node] != run || thread_of(node) != thread) open.clear();
    run = (*parents)[node];
    thread = thread_of(node);
    while (!open.empty() && spans.end[open.back()] <= spans.begin[node]) open.pop_back();
    const auto outer =
        std::find_if(open.rbegin(), open.rend(), [&](Row candidate) { return is_inside(spans, node, candidate); });
    if (outer != open.rend()) (*parents)[node] = *outer;
    if (open.size() < kMaxNesting) open.push_back(node);
  }
}

}  // namespace xsp::analysis
