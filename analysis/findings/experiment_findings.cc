#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/findings/families.h"
#include "analysis/tables/levels.h"
#include "analysis/tables/model_information.h"
#include "analysis/tables/optimal_batch.h"
#include "analysis/tables/trace_quality.h"

namespace xsp::analysis {
namespace {

/// Less than this is within what two recordings of one program differ by.
constexpr double kOverheadPct = 5;
/// A batch size is worth choosing where it gives a tenth more than the worst one measured.
constexpr double kWorthwhileRatio = 1.1;

/// What the deepest level set costs the model, over the shallowest: overheads add up over the sets between.
void add_level_overhead(const Evidence& evidence, std::vector<Finding>* findings) {
  const TableCells levels = evidence.table(kL1);
  double overhead = 0;
  double base = 0;
  bool significant = false;
  size_t last = SIZE_MAX;
  for (size_t row = 0; row < levels.rows(); ++row) {
    if (levels.text(row, kL1.event_level) != "model") continue;
    const auto latency = levels.number(row, kL1.latency_ms);
    const auto more = levels.number(row, kL1.overhead_ms);
    if (!more) {
      base = latency.value_or(0);
      continue;
    }
    overhead += *more;
    significant |= levels.truth(row, kL1.significant).value_or(false);
    last = row;
  }
  if (last == SIZE_MAX || !(base > 0) || !significant || !(100 * overhead / base >= kOverheadPct)) return;
  const double pct = 100 * overhead / base;
  const std::string set = levels.text(last, kL1.level_set);
  findings->push_back(
      {.id = "overhead",
       .text = fmt::format("Recording {} makes the model {} % slower than recording the model alone ({} to {})", set,
                           percent_text(pct), time_text(base), time_text(base + overhead)),
       .advice = "latencies here are from the shallowest recording; notes of the other tables name theirs",
       .value = pct,
       .unit = "%",
       .table = std::string(kL1.id),
       .column = std::string(kL1.level_set.name),
       .key = set,
       // Every level is timed by runs of its own, so the reading is not in doubt.
       .weight = 0.5 * std::min(1.0, pct / 100)});
}

void add_own_overhead(const Evidence& evidence, std::vector<Finding>* findings) {
  const TableCells quality = evidence.table(kQ1);
  for (size_t row = 0; row < quality.rows(); ++row) {
    if (quality.text(row, kQ1.quantity) != "overhead_pct") continue;
    const auto pct = quality.number(row, kQ1.value);
    if (!pct || !(*pct >= kOverheadPct)) return;
    const bool is_all = quality.text(row, kQ1.note).starts_with("self-measured");
    findings->push_back(
        {.id = "own-thread",
         .text = is_all ? fmt::format("XSP used {} % of the program's CPU time (self-measured)", percent_text(*pct))
                        : fmt::format("XSP's own thread used {} % of the program's time", percent_text(*pct)),
         .advice = is_all ? "record fewer calls (--sample) or levels (--level)"
                          : "record fewer levels (--level), or pin the program to other cores",
         .value = *pct,
         .unit = "%",
         .table = std::string(kQ1.id),
         .column = std::string(kQ1.quantity.name),
         .key = "overhead_pct",
         .weight = std::min(1.0, *pct / 100)});
    return;
  }
}

std::optional<double> field(const Extra& extra, std::string_view name) {
  for (const auto& [key, cell] : extra.fields) {
    if (key != name) continue;
    if (const auto* integer = std::get_if<int64_t>(&cell)) return static_cast<double>(*integer);
  }
  return {};
}

std::string text_field(const Extra& extra, std::string_view name) {
  for (const auto& [key, cell] : extra.fields) {
    if (const auto* text = std::get_if<std::string>(&cell); key == name && text != nullptr) return *text;
  }
  return {};
}

/// Whether two rows of A1 differ in latency of an input by more than their intervals; true where these are not known.
bool differ_surely(const TableCells& models, size_t faster, size_t slower) {
  const auto high = models.number(faster, kA1.ci_high_ms);
  const auto low = models.number(slower, kA1.ci_low_ms);
  if (!high || !low) return true;
  return *high / *models.number(faster, kA1.batch_size) < *low / *models.number(slower, kA1.batch_size);
}

/// Rows of A1 with the batch sizes of one model, all of the same phases: the mode that the optimum is for, with or
/// without an optimizer step as most of their evaluations are. A smaller batch that comes less than half as often as a
/// larger one is the end of an epoch, and no size that anybody chose.
std::vector<size_t> compared_batches(const TableCells& models, const std::string& mode) {
  std::map<bool, std::vector<size_t>> rows;  // by whether there is a step
  std::map<bool, double> counts;
  for (size_t row = 0; row < models.rows(); ++row) {
    if (models.text(row, kA1.mode) != mode) continue;
    const bool has_step = models.number(row, kA1.optimizer_ms).has_value();
    rows[has_step].push_back(row);
    counts[has_step] += models.number(row, kA1.n).value_or(1);
  }
  if (rows.empty()) return {};
  std::vector<size_t>& usual = rows[counts[true] > counts[false]];
  const std::vector<size_t> all = usual;
  std::erase_if(usual, [&](size_t row) {
    return std::any_of(all.begin(), all.end(), [&](size_t other) {
      return models.number(row, kA1.batch_size) < models.number(other, kA1.batch_size) &&
             2 * models.number(row, kA1.n).value_or(1) < models.number(other, kA1.n).value_or(1);
    });
  });
  return usual;
}

/// Of a sweep by itself; where there are several, A1's notes have each.
void add_optimal_batch(const Evidence& evidence, std::vector<Finding>* findings) {
  const TableCells models = evidence.table(kA1);
  if (models.table() == nullptr || models.rows() < 2) return;
  const auto& extras = models.table()->extras;
  if (extras.size() != 1 || extras.front().name != "optimal_batch") return;
  const auto chosen = field(extras.front(), "chosen");
  std::optional<size_t> best;
  std::optional<size_t> highest;
  size_t slowest = 0;
  double worst = 0;
  double largest_batch = 0;
  const std::string model = models.text(0, kA1.model);
  const std::vector<size_t> rows = compared_batches(models, text_field(extras.front(), "mode"));
  if (rows.size() < 2) return;
  for (const size_t row : rows) {
    const auto batch = models.number(row, kA1.batch_size);
    const auto throughput = models.number(row, kA1.throughput_per_s);
    if (!batch || !throughput || models.text(row, kA1.model) != model) return;
    if (chosen && *batch == *chosen) {
      if (best) return;  // several of one size: which one the optimum is of, the table does not say
      best = row;
    }
    if (!highest || *throughput > *models.number(*highest, kA1.throughput_per_s)) highest = row;
    if (worst == 0 || *throughput < worst) {
      worst = *throughput;
      slowest = row;
    }
    largest_batch = std::max(largest_batch, *batch);
  }
  if (!best || !(worst > 0)) return;
  const double throughput = *models.number(*best, kA1.throughput_per_s);
  if (!(throughput / worst >= kWorthwhileRatio) || !differ_surely(models, *best, slowest)) return;
  std::string more;
  if (const double most = *models.number(*highest, kA1.throughput_per_s); most > kWorthwhileRise * throughput) {
    more = fmt::format("; the maximum is {:.0f} at {:.0f}", most, *models.number(*highest, kA1.batch_size));
  }
  std::string latency;
  if (const auto ms = models.number(*best, kA1.latency_ms)) latency = ", " + time_text(*ms) + " a batch";
  findings->push_back(
      {.id = "optimal-batch",
       .text = fmt::format("Optimal batch size of {1}: {0:.0f}, with {2:.0f} inputs/s{3}, {4:.1f} times the slowest "
                           "batch size measured{5}",
                           *chosen, name_in_sentence(model), throughput, latency, throughput / worst, more),
       .advice = *chosen == largest_batch ? "this is the largest batch size measured: larger ones may be faster" : "",
       .value = *chosen,
       .unit = "",
       .table = std::string(kA1.id),
       .column = std::string(kA1.batch_size.name),
       .key = fmt::format("{:.0f}", *chosen),
       .weight = 1 - worst / throughput});
}

}  // namespace

void add_experiment_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  add_level_overhead(evidence, findings);
  add_own_overhead(evidence, findings);
  add_optimal_batch(evidence, findings);
}

}  // namespace xsp::analysis
