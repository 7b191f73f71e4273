#include "analysis/concurrency/applied_gain.h"

#include <cmath>

namespace xsp::analysis {
namespace {

double percent_of(double logarithm) { return 100 * std::expm1(logarithm); }

}  // namespace

std::optional<AppliedGain> applied_gain(const std::vector<SettingBlock>& blocks, const Statistic& statistic) {
  const Statistic middle;
  std::vector<double> own;
  std::vector<double> advised;
  std::vector<double> ratios;  // logarithms
  for (size_t i = 0; i + 1 < blocks.size(); ++i) {
    if (blocks[i].is_advised == blocks[i + 1].is_advised) continue;
    const SettingBlock& without = blocks[i].is_advised ? blocks[i + 1] : blocks[i];
    const SettingBlock& with = blocks[i].is_advised ? blocks[i] : blocks[i + 1];
    std::vector<double> before = without.ns;
    std::vector<double> after = with.ns;
    const double ratio = evaluate(statistic, before) / evaluate(statistic, after);
    if (!std::isfinite(ratio) || !(ratio > 0)) continue;
    ratios.push_back(std::log(ratio));
    own.insert(own.end(), without.ns.begin(), without.ns.end());
    advised.insert(advised.end(), with.ns.begin(), with.ns.end());
    ++i;
  }
  if (ratios.empty()) return {};
  AppliedGain gain;
  gain.pairs = ratios.size();
  gain.own_ns = evaluate(statistic, own);
  gain.advised_ns = evaluate(statistic, advised);
  const Interval logarithms = bootstrap_interval(middle, {ratios});
  if (is_known(logarithms)) gain.interval = {percent_of(logarithms.low), percent_of(logarithms.high)};
  gain.pct = percent_of(evaluate(middle, ratios));
  return gain;
}

}  // namespace xsp::analysis
