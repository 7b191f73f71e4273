#include "analysis/concurrency/thread_policy.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>

namespace xsp::analysis {
namespace {

bool is_change(const ThreadAdvice& advice) { return advice.verdict == AdviceVerdict::kChange; }

bool is_worthwhile(const ThreadAdvice& advice) { return is_change(advice) && advice.net_ns.value_or(0) > 0; }

/// More types than any model has; what gains least of them is left out.
constexpr size_t kMostTypes = 64;

/// Drops what costs more in switches than it gains, given the rest, worst first.
void drop_losses(const ModelCurves& curves, std::vector<ThreadAdvice>* chosen) {
  while (!chosen->empty()) {
    double most = follow(curves, *chosen).net_ns.value_or(0);
    std::optional<size_t> loss;
    for (size_t i = 0; i < chosen->size(); ++i) {
      std::vector<ThreadAdvice> others = *chosen;
      others.erase(others.begin() + static_cast<ptrdiff_t>(i));
      const double net = follow(curves, others).net_ns.value_or(0);
      if (net <= most) continue;
      most = net;
      loss = i;
    }
    if (!loss) return;
    chosen->erase(chosen->begin() + static_cast<ptrdiff_t>(*loss));
  }
}

}  // namespace

FollowedAdvice follow(const ModelCurves& curves, const std::vector<ThreadAdvice>& advices) {
  FollowedAdvice result;
  std::vector<uint32_t> order(curves.layers.size(), curves.own);
  std::unordered_map<std::string_view, uint32_t> types;
  for (const ThreadAdvice& advice : advices) {
    if (!is_change(advice)) continue;
    ++result.followed;
    result.gain_ns += advice.gain_ns.value_or(0);
    if (advice.layer) order[*advice.layer] = advice.best;
    if (advice.rule == AdviceRule::kType) types[advice.type] = advice.best;
  }
  for (size_t i = 0; i < order.size() && !types.empty(); ++i) {
    const auto found = types.find(curves.layers[i].type);
    if (found != types.end() && !curves.layers[i].curve.empty()) order[i] = found->second;
  }
  result.switches = switches_along(order, curves.own, curves.switches);
  if (result.switches.ns) result.net_ns = result.gain_ns - *result.switches.ns;
  return result;
}

ThreadPolicy choose_policy(const ModelCurves& curves, const Advices& advices) {
  ThreadPolicy policy;
  if (advices.whole && is_worthwhile(*advices.whole)) {
    policy.rule = ThreadPolicy::Rule::kWholeRun;
    policy.whole = advices.whole->best;
    policy.gain_ns = *advices.whole->gain_ns;
    policy.switches = advices.whole->switches;
    policy.net_ns = *advices.whole->net_ns;
  }
  std::vector<ThreadAdvice> types;
  std::copy_if(advices.types.begin(), advices.types.end(), std::back_inserter(types), is_worthwhile);
  std::stable_sort(types.begin(), types.end(),
                   [](const ThreadAdvice& a, const ThreadAdvice& b) { return *a.net_ns > *b.net_ns; });
  if (types.size() > kMostTypes) types.resize(kMostTypes);
  drop_losses(curves, &types);
  const FollowedAdvice followed = follow(curves, types);
  if (types.empty() || !followed.net_ns || !(*followed.net_ns > policy.net_ns)) return policy;
  policy = {.rule = ThreadPolicy::Rule::kType,
            .gain_ns = followed.gain_ns,
            .switches = followed.switches,
            .net_ns = *followed.net_ns};
  for (const ThreadAdvice& type : types) policy.types.emplace_back(type.type, type.best);
  return policy;
}

}  // namespace xsp::analysis
