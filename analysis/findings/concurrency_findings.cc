#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "analysis/findings/families.h"
#include "analysis/tables/concurrency_advice.h"
#include "base/quantity_text.h"

namespace xsp::analysis {
namespace {

namespace names = report_columns::thread_advice;

/// E2 by its rows and by the values beside them.
class ThreadAdviceTable {
 public:
  explicit ThreadAdviceTable(const Evidence& evidence) : cells_(evidence.table(kE2)) {}

  const TableCells& cells() const { return cells_; }

  /// The row of the whole run; nothing where there is none.
  std::optional<size_t> whole() const {
    for (size_t row = 0; row < cells_.rows(); ++row) {
      if (cells_.text(row, kE2.rule) == names::kOfWholeRun) return row;
    }
    return {};
  }

  /// Null where there is no such value.
  const Cell* beside(std::string_view extra, std::string_view field) const {
    if (cells_.table() == nullptr) return nullptr;
    for (const Extra& one : cells_.table()->extras) {
      if (one.name != extra) continue;
      for (const auto& [name, value] : one.fields) {
        if (name == field) return &value;
      }
    }
    return nullptr;
  }
  std::optional<double> number(std::string_view extra, std::string_view field) const {
    const Cell* cell = beside(extra, field);
    return cell == nullptr ? std::nullopt : number_of(*cell);
  }
  std::string text(std::string_view extra, std::string_view field) const {
    const Cell* cell = beside(extra, field);
    return cell == nullptr ? std::string() : words_of(*cell);
  }

 private:
  TableCells cells_;
};

std::string percent_word(double pct) { return fmt::format("{:.{}f}", pct, std::fabs(pct) < 9.95 ? 1 : 0); }

/// " (9 to 19 %)"; empty where no interval is known.
std::string interval_text(const std::optional<double>& low, const std::optional<double>& high) {
  return low && high ? fmt::format(" ({} to {} %)", percent_word(*low), percent_word(*high)) : std::string();
}

std::string how_to_set(const Evidence& evidence, double threads) {
  const Study& study = evidence.study;
  const Kind kind = study.subject ? study.evaluations.groups[*study.subject].kind : Kind::kUnspecified;
  if (kind == Kind::kOrtRun) {
    return fmt::format(
        "xsp-run --concurrency apply=TRACE -- COMMAND tries it; SessionOptions.intra_op_num_threads = "
        "{:.0f} sets it for good",
        threads);
  }
  const bool is_torch = kind == Kind::kTorchRoot || kind == Kind::kTorchModule || kind == Kind::kTorchScript;
  return fmt::format("xsp-run --concurrency apply=TRACE -- COMMAND tries it; {} sets it for good",
                     is_torch ? fmt::format("torch.set_num_threads({:.0f})", threads)
                              : fmt::format("OMP_NUM_THREADS={:.0f}", threads));
}

Finding row_finding(const ThreadAdviceTable& advice, size_t row, std::string id, std::string text, std::string hint) {
  Finding finding;
  finding.id = std::move(id);
  finding.text = std::move(text);
  finding.advice = std::move(hint);
  finding.table = std::string(kE2.id);
  finding.column = std::string(kE2.rule.name);
  finding.key = advice.cells().text(row, kE2.rule);
  return finding;
}

/// What a gain is part of.
void set_gain(const Evidence& evidence, double gain_ms, Finding* finding) {
  const double share = evidence.share_of_step(gain_ms);
  finding->weight = std::min(share, 0.99);
  finding->gain_ms = gain_ms;
  finding->share_pct = 100 * share;
  finding->share_of = std::string(evidence.step_word());
}

void add_whole_run(const Evidence& evidence, const ThreadAdviceTable& advice, size_t row,
                   std::vector<Finding>* findings) {
  const TableCells& cells = advice.cells();
  const auto now = cells.number(row, kE2.threads_now);
  const auto best = cells.number(row, kE2.threads_best);
  const auto best_ms = cells.number(row, kE2.latency_best_ms);
  const auto gain = cells.number(row, kE2.gain_pct);
  const auto gain_ms = cells.number(row, kE2.gain_ms);
  if (!now || !best || !best_ms || !gain || !gain_ms || !(*gain_ms > 0)) return;
  const auto pct_of = [&](const std::optional<double>& ms) { return ms ? std::optional(100 * *ms / *best_ms) : ms; };
  Finding finding = row_finding(
      advice, row, "thread-count",
      fmt::format("{} instead of {:.0f} {} the model {} % faster{}", count_text(*best, "thread"), *now,
                  *best == 1 ? "makes" : "make", percent_word(*gain),
                  interval_text(pct_of(cells.number(row, kE2.ci_low_ms)), pct_of(cells.number(row, kE2.ci_high_ms)))),
      how_to_set(evidence, *best));
  finding.value = *gain;
  finding.unit = "%";
  set_gain(evidence, *gain_ms, &finding);
  findings->push_back(std::move(finding));
}

/// Types of layers with numbers of their own gain more than one number for all.
void add_types(const Evidence& evidence, const ThreadAdviceTable& advice, std::vector<Finding>* findings) {
  const auto net_ms = advice.number(names::kPolicy, names::kNetGainMs);
  const TableCells& cells = advice.cells();
  std::string types;
  std::optional<size_t> first;
  size_t count = 0;
  constexpr size_t kNamed = 2;
  constexpr double kWorthTypes = 0.01;  // of the call: less is no reason to change a program
  for (size_t row = 0; row < cells.rows(); ++row) {
    const std::string type = cells.text(row, kE2.type);
    if (cells.text(row, kE2.rule) != names::kOfType || !advice.number(names::kPolicyTypes, type)) continue;
    if (!first) first = row;
    if (++count > kNamed) continue;
    types += fmt::format("{}{} for {}", count == 1 ? "" : ", ",
                         plural(static_cast<size_t>(*advice.number(names::kPolicyTypes, type)), "thread"),
                         name_in_sentence(type));
  }
  if (!net_ms || !first || !(evidence.share_of_step(*net_ms) >= kWorthTypes)) return;
  if (count > kNamed) types += fmt::format(", and {}", plural(count - kNamed, "more type"));
  Finding finding = row_finding(
      advice, *first, "threads-by-type",
      fmt::format("Own numbers of threads for types of layers save {} of a model call, switches included: {}",
                  short_time(*net_ms), types),
      "xsp-run --concurrency apply=TRACE -- COMMAND follows them");
  finding.column = std::string(kE2.type.name);
  finding.key = cells.text(*first, kE2.type);
  finding.value = *net_ms;
  finding.unit = "ms";
  set_gain(evidence, *net_ms, &finding);
  findings->push_back(std::move(finding));
}

void add_busy(const ThreadAdviceTable& advice, size_t row, std::vector<Finding>* findings) {
  const auto runnable = advice.number("machine", "runnable");
  const auto online = advice.number("machine", "online");
  std::string text = "The machine was busy while numbers of threads were tried: none is advised";
  if (runnable && online && *runnable > *online) {
    text = fmt::format("The machine was busy: {:.3g} tasks wanted {}, so no number of threads is advised", *runnable,
                       plural(static_cast<size_t>(*online), "processor"));
  }
  Finding finding = row_finding(advice, row, "machine-busy", std::move(text),
                                "set OMP_WAIT_POLICY=passive, so that waiting threads do not take processors from "
                                "others; then measure again on an idle machine");
  finding.value = runnable.value_or(0);
  finding.unit = "tasks";
  finding.weight = 1;
  finding.is_note = true;
  findings->push_back(std::move(finding));
}

/// What a run that followed advice shows of it.
void add_applied(const ThreadAdviceTable& advice, size_t row, std::vector<Finding>* findings) {
  const auto gain = advice.cells().number(row, kE2.measured_gain_pct);
  const auto low = advice.number("applied", names::kMeasuredLowPct);
  const auto high = advice.number("applied", names::kMeasuredHighPct);
  const Cell* off = advice.beside("applied", names::kIsSwitchedOff);
  const bool is_off = off != nullptr && *off == Cell(true);
  if (!gain && !is_off) return;
  const bool is_gain = gain && low && *low > 0;
  Finding finding = row_finding(advice, row, is_gain ? "applied-advice" : "no-applied-gain", "", "");
  if (is_off) {
    finding.text = "The advised numbers of threads were slower than the program's own, and were switched off";
  } else if (is_gain) {
    finding.text = fmt::format("The applied advice gained {} %{}", percent_word(*gain), interval_text(low, high));
  } else {
    finding.text = fmt::format("No gain of the applied advice could be measured: {} %{}", percent_word(*gain),
                               interval_text(low, high));
    finding.advice = low && high ? "" : "more calls would tell: three turns with and without it are needed";
  }
  finding.value = gain.value_or(0);
  finding.unit = "%";
  finding.weight = 1;
  finding.is_note = true;
  findings->push_back(std::move(finding));
}

}  // namespace

void add_concurrency_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  const ThreadAdviceTable advice(evidence);
  const auto whole = advice.whole();
  if (!whole || !evidence.has_evaluations()) return;
  const std::string verdict = advice.cells().text(*whole, kE2.verdict);
  if (advice.beside("applied", names::kIsSwitchedOff) != nullptr) {
    if (verdict == names::kMachineBusy) add_busy(advice, *whole, findings);
    add_applied(advice, *whole, findings);
    return;
  }
  const std::string policy = advice.text(names::kPolicy, names::kRule);
  if (verdict == names::kMachineBusy) {
    add_busy(advice, *whole, findings);
  } else if (policy == names::kOfType) {
    add_types(evidence, advice, findings);
  } else if (policy == names::kOfWholeRun && verdict == names::kChange) {
    add_whole_run(evidence, advice, *whole, findings);
  }
}

}  // namespace xsp::analysis
