#include "analysis/tables/concurrency_advice.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "analysis/concurrency/thread_policy.h"
#include "analysis/tables/applied_advice.h"
#include "analysis/tables/thread_notes.h"

namespace xsp::analysis {
namespace {

namespace names = report_columns::thread_advice;
using Rule = ThreadPolicy::Rule;

constexpr std::array<std::string_view, 3> kRules = {names::kOfWholeRun, "layer", names::kOfType};
constexpr std::array<std::string_view, 4> kVerdicts = {names::kChange, "keep", names::kWithinNoise,
                                                       names::kMachineBusy};
constexpr std::array<std::string_view, 3> kPolicies = {"none", names::kOfWholeRun, names::kOfType};

Cell word_cell(std::string_view text) { return text.empty() ? Cell() : Cell(std::string(text)); }
Cell threads_cell(uint32_t threads) { return threads == 0 ? Cell() : count_cell(threads); }
Cell interval_cell(double ns) { return cell(ns / kNsPerMs); }

template <typename Words, typename Value>
Cell word_of(const Words& words, Value value) {
  return std::string(words[static_cast<size_t>(value)]);
}

void add_advice(const ModelCurves& curves, const ThreadAdvice& advice, Table* table) {
  TableRow row = table->add_row();
  if (advice.layer) {
    const LayerCurve& layer = curves.layers[*advice.layer];
    row.set(kE2.layer_index, count_cell(layer.index));
    row.set(kE2.name, word_cell(layer.name));
    row.set(kE2.type, word_cell(layer.type));
  } else {
    row.set(kE2.name, advice.rule == AdviceRule::kWholeRun ? word_cell(curves.name) : Cell());
    row.set(kE2.type, word_cell(advice.type));
  }
  row.set(kE2.threads_now, threads_cell(advice.now));
  row.set(kE2.threads_best, threads_cell(advice.best));
  row.set(kE2.latency_now_ms, ms_cell(advice.now_ns));
  row.set(kE2.latency_best_ms, ms_cell(advice.best_ns));
  row.set(kE2.gain_pct, cell(gain_pct(advice.now_ns, advice.best_ns)));
  row.set(kE2.gain_ms, ms_cell(advice.gain_ns));
  row.set(kE2.ci_low_ms, interval_cell(advice.gain.low));
  row.set(kE2.ci_high_ms, interval_cell(advice.gain.high));
  row.set(kE2.rule, word_of(kRules, advice.rule));
  if (advice.now != 0) {
    row.set(kE2.switches, count_cell(advice.switches.count));
    row.set(kE2.switch_ms, ms_cell(advice.switches.ns));
  }
  row.set(kE2.net_gain_ms, ms_cell(advice.net_ns));
  if (advice.verdict) row.set(kE2.verdict, word_of(kVerdicts, *advice.verdict));
}

/// The run that followed advice is one row.
void add_applied(const SweptCurves& swept, const AppliedAdvice& applied, Table* table) {
  TableRow row = table->add_row();
  row.set(kE2.name, word_cell(swept.curves.name));
  row.set(kE2.threads_now, threads_cell(swept.curves.own));
  row.set(kE2.threads_best, threads_cell(applied.advised));
  row.set(kE2.rule, word_of(kRules, AdviceRule::kWholeRun));
  if (!applied.gain) return;
  const AppliedGain& gain = *applied.gain;
  row.set(kE2.latency_now_ms, ms_cell(std::optional(gain.own_ns)));
  row.set(kE2.latency_best_ms, ms_cell(std::optional(gain.advised_ns)));
  row.set(kE2.gain_pct, cell(gain_pct(gain.own_ns, gain.advised_ns)));
  row.set(kE2.gain_ms, ms_cell(std::optional(gain.own_ns - gain.advised_ns)));
  row.set(kE2.measured_gain_pct, cell(gain.pct));
  if (applied.verdict) row.set(kE2.verdict, word_of(kVerdicts, *applied.verdict));
}

void add_applied_extra(const AppliedAdvice& applied, Table* table) {
  Extra extra{"applied"};
  const auto interval = applied.gain ? applied.gain->interval : Interval();
  extra.fields.emplace_back("pairs_of_blocks", count_cell(applied.gain ? applied.gain->pairs : 0));
  extra.fields.emplace_back(names::kMeasuredGainPct, applied.gain ? cell(applied.gain->pct) : Cell());
  extra.fields.emplace_back(names::kMeasuredLowPct, cell(interval.low));
  extra.fields.emplace_back(names::kMeasuredHighPct, cell(interval.high));
  extra.fields.emplace_back(names::kIsSwitchedOff, applied.is_switched_off);
  table->extras.push_back(std::move(extra));
  if (applied.is_switched_off) {
    table->notes.emplace_back("what was advised was slower, and was switched off");
  } else if (!applied.gain) {
    table->notes.emplace_back("the run ended before calls with and without the advice had taken turns");
  } else if (is_known(interval)) {
    table->notes.push_back(fmt::format(
        "measured_gain_pct is {:.2g} % ({:.2g} to {:.2g} %, 95 % confidence), of {} pairs of blocks that followed each "
        "other",
        applied.gain->pct, interval.low, interval.high, applied.gain->pairs));
  } else {
    table->notes.emplace_back("too few blocks for an interval: three pairs with and without the advice are needed");
  }
}

void add_machine(const SweptCurves& swept, Table* table) {
  Extra extra{"machine"};
  extra.fields.emplace_back(names::kCores, threads_cell(swept.cores));
  extra.fields.emplace_back(names::kOwn, threads_cell(swept.curves.own));
  if (swept.sweep != nullptr) {
    const MachineLoad& load = swept.sweep->load;
    extra.fields.emplace_back("online", threads_cell(load.online));
    extra.fields.emplace_back("runnable", cell(load.runnable));
    extra.fields.emplace_back("waited_pct", cell(load.waited_pct));
    extra.fields.emplace_back("is_busy", load.is_busy);
  }
  table->extras.push_back(std::move(extra));
}

/// What following all advice of one rule gains.
void add_strategy(const char* name, const ModelCurves& curves, const std::vector<ThreadAdvice>& advices, Table* table) {
  if (advices.empty()) return;
  const FollowedAdvice followed = follow(curves, advices);
  Extra extra{name};
  extra.fields.emplace_back("followed", count_cell(followed.followed));
  extra.fields.emplace_back(names::kGainMs, interval_cell(followed.gain_ns));
  extra.fields.emplace_back("switches", count_cell(followed.switches.count));
  extra.fields.emplace_back("switch_ms", ms_cell(followed.switches.ns));
  extra.fields.emplace_back(names::kNetGainMs, ms_cell(followed.net_ns));
  table->extras.push_back(std::move(extra));
}

void add_policy(const ThreadPolicy& policy, Table* table) {
  const bool is_any = policy.rule != Rule::kNone;
  Extra extra{names::kPolicy};
  extra.fields.emplace_back(names::kRule, word_of(kPolicies, policy.rule));
  extra.fields.emplace_back(names::kPolicyThreads, count_cell(policy.whole));
  extra.fields.emplace_back(names::kGainMs, is_any ? interval_cell(policy.gain_ns) : Cell());
  extra.fields.emplace_back("switches", is_any ? count_cell(policy.switches.count) : Cell());
  extra.fields.emplace_back("switch_ms", is_any ? ms_cell(policy.switches.ns) : Cell());
  extra.fields.emplace_back(names::kNetGainMs, is_any ? interval_cell(policy.net_ns) : Cell());
  table->extras.push_back(std::move(extra));
  if (policy.types.empty()) return;
  Extra types{names::kPolicyTypes};
  for (const auto& [type, threads] : policy.types) types.fields.emplace_back(type, count_cell(threads));
  table->extras.push_back(std::move(types));
}

}  // namespace

Table concurrency_advice(const SweptCurves& swept, const Statistic& statistic) {
  Table table = make_table(kE2);
  const ModelCurves& curves = swept.curves;
  const auto applied = applied_advice(swept, statistic);
  Advices advices;
  if (!applied && tells_of_threads(swept)) advices = advise(curves, swept.climb);
  const ThreadPolicy policy = choose_policy(curves, advices);
  table.notes = advice_notes(swept, advices, policy);
  if (applied) add_applied(swept, *applied, &table);
  if (advices.whole) add_advice(curves, *advices.whole, &table);
  for (const ThreadAdvice& advice : advices.layers) add_advice(curves, advice, &table);
  for (const ThreadAdvice& advice : advices.types) add_advice(curves, advice, &table);
  add_machine(swept, &table);
  if (applied) add_applied_extra(*applied, &table);
  if (applied) return table;
  add_strategy("strategy_1", curves, advices.layers, &table);
  add_strategy("strategy_2", curves, advices.types, &table);
  add_policy(policy, &table);
  return table;
}

Table concurrency_advice(const Study& study) {
  const auto swept = swept_curves(study);
  if (!swept) return without_sweep(kE2, study);
  Table table = concurrency_advice(*swept, study.options.statistic);
  for (std::string& note : device_notes(study, *swept)) table.notes.push_back(std::move(note));
  return table;
}

}  // namespace xsp::analysis
