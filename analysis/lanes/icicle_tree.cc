#include "analysis/lanes/icicle_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace xsp::analysis {
namespace {

using Part = IcicleNode::Kind;

double known(double value) { return std::isnan(value) ? 0 : value; }

/// The share of the whole that a node has by either measure, and never more than its parent.
std::vector<double> weights_of(const Icicle& icicle) {
  const auto& nodes = icicle.nodes;
  const double latency = known(nodes.front().latency_ms);
  const double kernels = known(nodes.front().kernel_ms);
  std::vector<double> weights(nodes.size(), 1);
  for (size_t i = 1; i < nodes.size(); ++i) {
    const double by_latency = latency > 0 ? known(nodes[i].latency_ms) / latency : 0;
    const double by_kernels = kernels > 0 ? known(nodes[i].kernel_ms) / kernels : 0;
    weights[i] = std::min(weights[nodes[i].parent], std::max(by_latency, by_kernels));
  }
  return weights;
}

/// Which nodes stay: the heaviest, which have their parents among them.
std::vector<bool> kept_nodes(size_t most, const Icicle& icicle) {
  std::vector<bool> kept(icicle.nodes.size(), true);
  if (icicle.nodes.size() <= most) return kept;
  const std::vector<double> weights = weights_of(icicle);
  std::vector<uint32_t> order(icicle.nodes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return weights[a] > weights[b]; });
  for (size_t i = most; i < order.size(); ++i) kept[order[i]] = false;
  return kept;
}

void add(double value, double* sum) {
  if (!std::isnan(value)) *sum = known(*sum) + value;
}

/// One node for all children of a parent that are left out.
void merge_children(const Icicle& icicle, const std::vector<uint32_t>& left_out, uint32_t parent, Icicle* pruned) {
  if (left_out.empty()) return;
  IcicleNode rest{.kind = Part::kRest, .parent = parent, .layer = pruned->nodes[parent].layer};
  for (const uint32_t i : left_out) {
    add(icicle.nodes[i].latency_ms, &rest.latency_ms);
    add(icicle.nodes[i].kernel_ms, &rest.kernel_ms);
  }
  rest.count = left_out.size();
  rest.name = fmt::format("{} more", left_out.size());
  pruned->nodes.push_back(std::move(rest));
}

}  // namespace

double time_of(const IcicleNode& node) { return known(std::isnan(node.latency_ms) ? node.kernel_ms : node.latency_ms); }

std::vector<std::vector<uint32_t>> children_of(const Icicle& icicle) {
  std::vector<std::vector<uint32_t>> children(icicle.nodes.size());
  for (uint32_t i = 1; i < icicle.nodes.size(); ++i) children[icicle.nodes[i].parent].push_back(i);
  return children;
}

void prune(size_t most, Icicle* icicle) {
  const std::vector<bool> kept = kept_nodes(std::max<size_t>(1, most), *icicle);
  const auto children = children_of(*icicle);
  Icicle pruned;
  pruned.nodes.push_back(icicle->nodes.front());
  std::vector<uint32_t> before = {0};  // by node of `pruned`: its number before; of merged ones none
  for (uint32_t i = 0; i < pruned.nodes.size(); ++i) {
    if (pruned.nodes[i].kind == Part::kRest) continue;
    std::vector<uint32_t> shown;
    std::vector<uint32_t> left_out;
    for (const uint32_t child : children[before[i]]) (kept[child] ? shown : left_out).push_back(child);
    std::stable_sort(shown.begin(), shown.end(),
                     [&](uint32_t a, uint32_t b) { return time_of(icicle->nodes[a]) > time_of(icicle->nodes[b]); });
    for (const uint32_t child : shown) {
      pruned.nodes.push_back(icicle->nodes[child]);
      pruned.nodes.back().parent = i;
      before.push_back(child);
    }
    merge_children(*icicle, left_out, i, &pruned);
    if (!left_out.empty()) before.push_back(IcicleNode::kNone);
  }
  const auto left_out = static_cast<size_t>(std::count(kept.begin(), kept.end(), false));
  if (left_out != 0) {
    icicle->notes.push_back(
        fmt::format("{} of {} parts (the shortest) are not drawn one by one: \"N more\" in "
                    "each parent stands for them",
                    left_out, icicle->nodes.size()));
  }
  icicle->nodes = std::move(pruned.nodes);
}

void note_overfull(Icicle* icicle) {
  constexpr double kTolerance = 1.0005;
  std::vector<double> latency(icicle->nodes.size());
  for (size_t i = 1; i < icicle->nodes.size(); ++i) {
    latency[icicle->nodes[i].parent] += known(icicle->nodes[i].latency_ms);
  }
  size_t overfull = 0;
  for (size_t i = 0; i < latency.size(); ++i) {
    const double own = icicle->nodes[i].latency_ms;
    overfull += !std::isnan(own) && latency[i] > kTolerance * own ? 1 : 0;
  }
  if (overfull == 0) return;
  icicle->notes.push_back(fmt::format(
      "By latency {} of {} parts have children that together take longer (at the same time, in other runs, or by a "
      "statistic that does not add up): these are drawn narrower than their time",
      overfull, icicle->nodes.size()));
}

}  // namespace xsp::analysis
