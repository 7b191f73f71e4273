#include "analysis/concurrency/thread_advice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "analysis/concurrency/latency_difference.h"

namespace xsp::analysis {
namespace {

const CurvePoint* measured_at(const ThreadCurve& curve, uint32_t threads) {
  const auto found = std::lower_bound(curve.begin(), curve.end(), threads,
                                      [](const CurvePoint& point, uint32_t number) { return point.threads < number; });
  return found == curve.end() || found->threads != threads ? nullptr : &*found;
}

/// The number that is best for a curve.
struct Best {
  uint32_t threads = 0;  // 0: nothing was measured
  size_t of = 0;         // so many others than the own number were tried
};

/// What climbing finds, or the own number where that is faster.
Best best_of(const ThreadCurve& curve, uint32_t own, const ClimbOptions& options) {
  const Climb found = climb(curve, options);
  if (found.probes.empty()) return {};
  const CurvePoint& point = curve[found.best];
  const auto own_ns = own != 0 ? latency_at(curve, own) : std::nullopt;
  Best best;
  best.threads = own_ns && *own_ns <= point.latency_ns ? own : point.threads;
  best.of = static_cast<size_t>(std::count_if(found.probes.begin(), found.probes.end(),
                                              [&](size_t probe) { return curve[probe].threads != own; }));
  return best;
}

/// Latency, and its values where they are those of one measurement.
struct Timed {
  std::optional<double> ns;
  RunValues values;
};

Timed timed_at(const ThreadCurve& curve, uint32_t threads) {
  if (const CurvePoint* point = measured_at(curve, threads)) return {point->latency_ns, point->values};
  return {latency_at(curve, threads), {}};
}

/// Adds values of the same evaluations. False where they are of others.
bool add_values(const RunValues& values, RunValues* sum) {
  if (values.size() != sum->size()) return false;
  for (size_t run = 0; run < values.size(); ++run) {
    if (values[run].size() != (*sum)[run].size()) return false;
  }
  for (size_t run = 0; run < values.size(); ++run) {
    for (size_t i = 0; i < values[run].size(); ++i) (*sum)[run][i] += values[run][i];
  }
  return true;
}

/// Layers that change from one number of threads to another together.
class Change {
 public:
  Change(uint32_t now, const Best& best, const ClimbOptions& options)
      : now_(now), best_(best.threads), tried_(best.of), options_(options) {}

  void add(const ThreadCurve& curve) {
    const Timed now = timed_at(curve, now_);
    const Timed best = timed_at(curve, best_);
    is_exact_ &= now.values.empty() && best.values.empty();
    add_to(now.ns, &now_ns_);
    add_to(best.ns, &best_ns_);
    const Interval own = latency_difference(options_.statistic, best.values, now.values);
    // Layers vary together, so that their intervals are added as they are where evaluations cannot be.
    separate_ = count_ == 0 ? own : Interval{separate_.low + own.low, separate_.high + own.high};
    if (count_ == 0) {
      now_values_ = now.values;
      best_values_ = best.values;
    } else {
      is_joined_ = is_joined_ && add_values(now.values, &now_values_) && add_values(best.values, &best_values_);
    }
    ++count_;
  }

  void judge(bool is_busy, ThreadAdvice* advice) const {
    advice->now = now_;
    advice->best = best_;
    advice->now_ns = now_ns_;
    advice->best_ns = best_ns_;
    if (now_ns_ && best_ns_) advice->gain_ns = *now_ns_ - *best_ns_;
    if (now_ != best_ && count_ > 0) {
      advice->gain = is_joined_ ? latency_difference(options_.statistic, best_values_, now_values_) : separate_;
      if (advice->gain_ns) advice->gain = widened(advice->gain, *advice->gain_ns, tried_);
    }
    if (advice->switches.ns && advice->gain_ns) advice->net_ns = *advice->gain_ns - *advice->switches.ns;
    advice->verdict = verdict(is_busy, *advice);
  }

 private:
  void add_to(const std::optional<double>& ns, std::optional<double>* sum) const {
    if (count_ == 0) {
      *sum = ns;
    } else if (*sum) {
      *sum = ns ? std::optional(**sum + *ns) : std::nullopt;
    }
  }

  std::optional<AdviceVerdict> verdict(bool is_busy, const ThreadAdvice& advice) const {
    if (!advice.gain_ns || now_ == 0 || best_ == 0) return {};
    if (is_busy) return AdviceVerdict::kMachineBusy;
    if (now_ == best_ || *advice.gain_ns <= 0) return AdviceVerdict::kKeep;
    const bool is_sure = options_.paper || is_exact_ || advice.gain.low > 0;
    if (!is_sure) return AdviceVerdict::kWithinNoise;
    if (!advice.net_ns) return {};
    return *advice.net_ns > 0 ? AdviceVerdict::kChange : AdviceVerdict::kKeep;
  }

  uint32_t now_;
  uint32_t best_;
  size_t tried_;
  const ClimbOptions& options_;
  size_t count_ = 0;
  std::optional<double> now_ns_, best_ns_;
  RunValues now_values_, best_values_;
  bool is_joined_ = true;  // the values are of the same evaluations
  bool is_exact_ = true;   // only latencies are known
  Interval separate_;
};

/// Which layers have a curve and type; the type's layer with the largest input, which has most time of those.
struct LayersOfType {
  std::string type;
  std::vector<size_t> layers;
};

std::vector<LayersOfType> layers_by_type(const ModelCurves& curves) {
  std::vector<LayersOfType> types;
  std::map<std::string_view, size_t> numbers;
  for (size_t i = 0; i < curves.layers.size(); ++i) {
    const LayerCurve& layer = curves.layers[i];
    if (layer.curve.empty() || layer.type.empty()) continue;
    const auto [found, is_new] = numbers.try_emplace(layer.type, types.size());
    if (is_new) types.push_back({layer.type, {}});
    types[found->second].layers.push_back(i);
  }
  return types;
}

double slowest_ns(const ThreadCurve& curve) {
  double slowest = 0;
  for (const CurvePoint& point : curve) slowest = std::max(slowest, point.latency_ns);
  return slowest;
}

size_t largest_of(const ModelCurves& curves, const std::vector<size_t>& layers) {
  const auto time_of = [&](const LayerCurve& layer) {
    const auto own_ns = curves.own != 0 ? latency_at(layer.curve, curves.own) : std::nullopt;
    return own_ns ? *own_ns : slowest_ns(layer.curve);
  };
  return *std::max_element(layers.begin(), layers.end(), [&](size_t a, size_t b) {
    const double first = curves.layers[a].input_elements.value_or(0);
    const double second = curves.layers[b].input_elements.value_or(0);
    return first != second ? first < second : time_of(curves.layers[a]) < time_of(curves.layers[b]);
  });
}

/// The switches where these layers alone, ascending, have another number.
Switches switches_of(const ModelCurves& curves, const std::vector<size_t>& layers, uint32_t threads) {
  std::vector<uint32_t> order;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (i != 0 && layers[i] != layers[i - 1] + 1) order.push_back(curves.own);
    order.push_back(threads);
  }
  return switches_along(order, curves.own, curves.switches);
}

ThreadAdvice advice_for(const ModelCurves& curves, const std::vector<size_t>& layers, const Best& best,
                        const ClimbOptions& options) {
  ThreadAdvice advice;
  if (curves.own != 0) advice.switches = switches_of(curves, layers, best.threads);
  Change change(curves.own, best, options);
  for (const size_t layer : layers) change.add(curves.layers[layer].curve);
  change.judge(curves.is_busy, &advice);
  return advice;
}

}  // namespace

Advices advise(const ModelCurves& curves, const ClimbOptions& options) {
  Advices advices;
  if (const Best best = best_of(curves.model, curves.own, options); best.threads != 0) {
    ThreadAdvice& whole = advices.whole.emplace();
    whole.switches.ns = 0;
    Change change(curves.own, best, options);
    change.add(curves.model);
    change.judge(curves.is_busy, &whole);
  }
  std::vector<Best> bests;
  for (size_t i = 0; i < curves.layers.size(); ++i) {
    const Best& best = bests.emplace_back(best_of(curves.layers[i].curve, curves.own, options));
    if (best.threads == 0) continue;
    ThreadAdvice& advice = advices.layers.emplace_back(advice_for(curves, {i}, best, options));
    advice.rule = AdviceRule::kLayer;
    advice.layer = i;
  }
  for (const LayersOfType& of : layers_by_type(curves)) {
    const Best& best = bests[largest_of(curves, of.layers)];
    if (best.threads == 0) continue;
    ThreadAdvice& advice = advices.types.emplace_back(advice_for(curves, of.layers, best, options));
    advice.rule = AdviceRule::kType;
    advice.type = of.type;
  }
  return advices;
}

std::optional<double> gain_pct(const std::optional<double>& now_ns, const std::optional<double>& other_ns) {
  if (!now_ns || !other_ns || !(*now_ns > 0) || !(*other_ns > 0)) return {};
  return 100 * (*now_ns / *other_ns - 1);
}

std::optional<double> latency_at(const ThreadCurve& curve, uint32_t threads) {
  std::vector<size_t> all(curve.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return interpolated(curve, all, threads);
}

}  // namespace xsp::analysis
