#include "analysis/tables/applied_advice.h"

#include <algorithm>

namespace xsp::analysis {
namespace {

std::optional<AdviceVerdict> verdict_of(const AppliedAdvice& applied, bool is_busy) {
  if (!applied.gain) return {};
  if (is_busy) return AdviceVerdict::kMachineBusy;
  if (applied.is_switched_off || applied.gain->interval.high < 0) return AdviceVerdict::kKeep;
  return applied.gain->interval.low > 0 ? AdviceVerdict::kChange : AdviceVerdict::kWithinNoise;
}

}  // namespace

std::optional<AppliedAdvice> applied_advice(const SweptCurves& swept, const Statistic& statistic) {
  const ThreadSweep* sweep = swept.sweep;
  if (sweep == nullptr || !sweep->is_applied) return {};
  AppliedAdvice applied;
  std::vector<SettingBlock> blocks;
  for (const ThreadBlock& block : sweep->blocks) {
    if (block.setting != ThreadSetting::kOwn && block.setting != ThreadSetting::kAdvised) continue;
    blocks.push_back({block.setting == ThreadSetting::kAdvised, block.model_ns});
  }
  applied.gain = applied_gain(blocks, statistic);
  applied.is_switched_off = sweep->ended == ThreadsEnded::kHarmful;
  for (const ThreadPoint& point : sweep->points) {
    if (!point.is_own && point.threads != swept.curves.own) applied.advised = point.threads;
  }
  applied.verdict = verdict_of(applied, swept.curves.is_busy);
  return applied;
}

}  // namespace xsp::analysis
