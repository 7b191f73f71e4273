#include "bound/tables/bound_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/tables/table_cells.h"
#include "base/quantity_text.h"
#include "bound/tables/bound_tables.h"

namespace xsp::bound {
namespace {

using analysis::Finding;

constexpr double kNoisyShare = 0.1;      // of the layers with a time, before it is a finding
constexpr double kDearType = 0.3;        // of the bound
constexpr double kDearProblem = 0.1;     // of the bound
constexpr double kParallelGain = 0.03;   // of the sequential bound
constexpr double kMemoryCost = 0.1;      // of the bound
constexpr double kUnpricedFlops = 0.01;  // of the model's flops

std::string percent(double share) { return fmt::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0); }
std::string milliseconds(double ms) { return four_digits(ms) + " ms"; }

/// The model that findings are about.
const Bounds* largest(const BoundSubject& subject) {
  const auto found =
      std::max_element(subject.bounds.begin(), subject.bounds.end(),
                       [](const Bounds& a, const Bounds& b) { return a.sequential.bound_ms < b.sequential.bound_ms; });
  return found == subject.bounds.end() ? nullptr : &*found;
}

/// Layers that count and have no time, by type, most frequent first: "Erf (12), Gather (2)".
std::string missing_types(const Bounds& bounds) {
  constexpr size_t kNamed = 3;
  std::map<std::string, size_t> types;
  for (size_t index = 0; index < bounds.times.size(); ++index) {
    const LayerTime& time = bounds.times[index];
    if (time.counts && !time.bound_ms) ++types[bounds.model->layers[index].type];
  }
  std::vector<std::pair<std::string, size_t>> order(types.begin(), types.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < std::min(order.size(), kNamed); ++i) {
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", order[i].first, order[i].second);
  }
  if (order.size() > kNamed) text += fmt::format(" and {}", plural(order.size() - kNamed, "further type"));
  return text;
}

void find_missing(const BoundSubject& subject, const Bounds& bounds, std::vector<Finding>* found) {
  const SequentialBound& bound = bounds.sequential;
  if (bound.missing == 0) return;
  const double unpriced = bound.coverage_flops_pct ? 1 - *bound.coverage_flops_pct / 100 : 0;
  std::string text = fmt::format("{} of {} {} no time and {} out of the bound: {}", bound.missing,
                                 plural(bound.layers, "layer"), bound.missing == 1 ? "has" : "have",
                                 bound.missing == 1 ? "is left" : "are left", missing_types(bounds));
  if (unpriced >= kUnpricedFlops) text += fmt::format("; with {} of the flops", percent(unpriced));
  Finding& finding = found->emplace_back();
  finding.id = "bound-incomplete";
  finding.text = std::move(text);
  finding.advice = subject.source.is_given
                       ? "B2 tells which; the file of --times lacks them"
                       : "B2 tells why; install a library that computes them (pip install onnxruntime "
                         "prices every operator), then run again";
  finding.value = static_cast<double>(bound.missing);
  finding.unit = "layers";
  finding.table = "B2";
  finding.column = "type";
  finding.key = "all";
  finding.weight = 1;
}

void find_noise(const BoundSubject& subject, const Bounds& bounds, std::vector<Finding>* found) {
  const SequentialBound& bound = bounds.sequential;
  const size_t timed = bound.layers - bound.missing;
  if (subject.source.is_given || timed == 0) return;
  const double share = static_cast<double>(bound.noisy) / static_cast<double>(timed);
  if (share < kNoisyShare) return;
  Finding& finding = found->emplace_back();
  finding.id = "benchmarks-disturbed";
  finding.text = fmt::format(
      "The machine was busy while {} of {} layers were measured: their typical time is more than "
      "20 % above the least, which the bound takes",
      bound.noisy, timed);
  finding.advice = "close what else runs, then measure again: --refresh";
  finding.value = static_cast<double>(bound.noisy);
  finding.unit = "layers";
  finding.table = "B3";
  finding.weight = 1;
}

void find_dear_type(const Bounds& bounds, std::vector<Finding>* found) {
  struct Type {
    double ms = 0;
    size_t layers = 0;
  };
  std::map<std::string, Type> types;
  for (size_t index = 0; index < bounds.times.size(); ++index) {
    const LayerTime& time = bounds.times[index];
    if (!time.counts || !time.bound_ms) continue;
    Type& type = types[bounds.model->layers[index].type];
    type.ms += *time.bound_ms;
    ++type.layers;
  }
  const auto dearest = std::max_element(types.begin(), types.end(),
                                        [](const auto& a, const auto& b) { return a.second.ms < b.second.ms; });
  if (dearest == types.end() || types.size() < 2) return;
  const double share = dearest->second.ms / bounds.sequential.bound_ms;
  if (share < kDearType) return;
  Finding& finding = found->emplace_back();
  finding.id = "bound-layer-type";
  finding.text = fmt::format("{} layers are {} of the bound: {} in {}", dearest->first, percent(share),
                             milliseconds(dearest->second.ms), plural(dearest->second.layers, "layer"));
  finding.value = 100 * share;
  finding.unit = "%";
  finding.table = "B2";
  finding.column = "type";
  finding.key = dearest->first;
  finding.weight = share;
  finding.share_pct = 100 * share;
  finding.share_of = "bound";
}

void find_dear_problem(const Bounds& bounds, std::vector<Finding>* found) {
  struct Shared {
    double ms = 0;
    size_t layers = 0;
    size_t first = 0;
  };
  std::map<size_t, Shared> problems;
  for (size_t index = 0; index < bounds.times.size(); ++index) {
    const LayerTime& time = bounds.times[index];
    const size_t unique = bounds.model->layers[index].unique;
    if (!time.counts || !time.bound_ms || unique == kNoProblem) continue;
    Shared& shared = problems[unique];
    if (shared.layers++ == 0) shared.first = index;
    shared.ms += *time.bound_ms;
  }
  const auto dearest = std::max_element(problems.begin(), problems.end(),
                                        [](const auto& a, const auto& b) { return a.second.ms < b.second.ms; });
  if (dearest == problems.end() || problems.size() < 3) return;
  const double share = dearest->second.ms / bounds.sequential.bound_ms;
  if (share < kDearProblem) return;
  const Layer& layer = bounds.model->layers[dearest->second.first];
  const LayerTime& time = bounds.times[dearest->second.first];
  const std::string by = time.implementation.empty() ? "" : ", fastest by " + time.backend + " " + time.implementation;
  Finding& finding = found->emplace_back();
  finding.id = "bound-dearest-problem";
  finding.text = dearest->second.layers == 1
                     ? fmt::format("The layer {} ({}) alone is {} of the bound: {}{}", layer.name, layer.type,
                                   percent(share), milliseconds(dearest->second.ms), by)
                     : fmt::format("{} {} layers like {} compute the same problem and are {} of the bound: {}{}",
                                   dearest->second.layers, layer.type, layer.name, percent(share),
                                   milliseconds(dearest->second.ms), by);
  finding.advice = "a faster kernel for this one shape would lower the bound most";
  finding.value = 100 * share;
  finding.unit = "%";
  finding.table = "B1";
  finding.column = "name";
  finding.key = layer.name;
  finding.weight = share;
  finding.share_pct = 100 * share;
  finding.share_of = "bound";
}

void find_parallel_gain(const Bounds& bounds, std::vector<Finding>* found) {
  const double sequential = bounds.sequential.bound_ms;
  if (!(sequential > 0)) return;
  const double gain = sequential - bounds.parallel.bound_ms;
  Finding finding;
  finding.id = "parallel-branches";
  finding.value = gain;
  finding.unit = "ms";
  finding.table = "B4";
  if (gain / sequential >= kParallelGain) {
    finding.text = fmt::format("Independent branches at the same time could save {} at most ({} of the bound)",
                               milliseconds(gain), percent(gain / sequential));
    finding.advice = "only where cores or streams would be idle otherwise: branches that share them slow one another";
    finding.gain_ms = gain;
    finding.share_pct = 100 * gain / sequential;
    finding.share_of = "bound";
    finding.weight = gain / sequential;
  } else {
    finding.text = fmt::format("There is little to win from running branches at the same time: {} of {}",
                               gain > 0 ? milliseconds(gain) : "nothing", milliseconds(sequential));
    finding.is_note = true;
  }
  found->push_back(std::move(finding));
}

void find_memory_cost(const Bounds& bounds, std::vector<Finding>* found) {
  const SequentialBound& bound = bounds.sequential;
  if (!bound.expected_ms || !(bound.bound_ms > 0)) return;
  const double more = *bound.expected_ms - bound.bound_ms;
  if (more / bound.bound_ms < kMemoryCost) return;
  Finding& finding = found->emplace_back();
  finding.id = "operands-from-memory";
  finding.text =
      fmt::format("Operands that come from memory and not from the cache cost {} more: expect about {}, not {}",
                  percent(more / bound.bound_ms), milliseconds(*bound.expected_ms), milliseconds(bound.bound_ms));
  finding.advice = "smaller types, or a larger batch, make more of each byte";
  finding.value = more;
  finding.unit = "ms";
  finding.table = "B3";
  finding.weight = more / bound.bound_ms;
}

}  // namespace

std::vector<Finding> bound_findings(const BoundSubject& subject, const std::vector<analysis::Table>& tables) {
  const Bounds* bounds = largest(subject);
  if (bounds == nullptr) return {};
  std::vector<Finding> found;
  find_missing(subject, *bounds, &found);
  find_noise(subject, *bounds, &found);
  if (bounds->sequential.bound_ms > 0) {
    find_dear_type(*bounds, &found);
    find_dear_problem(*bounds, &found);
    find_memory_cost(*bounds, &found);
    find_parallel_gain(*bounds, &found);
  }
  std::stable_partition(found.begin(), found.end(), [](const Finding& finding) { return !finding.is_note; });
  for (Finding& finding : found) {
    if (subject.has_several()) finding.text = bounds->model->name + ": " + finding.text;
    const auto table =
        std::find_if(tables.begin(), tables.end(), [&](const analysis::Table& one) { return one.id == finding.table; });
    if (table == tables.end() || finding.column.empty()) continue;
    const auto column = analysis::find_column(*table, finding.column);
    for (size_t row = 0; column && row < table->rows.size() && !finding.row; ++row) {
      if (analysis::words_of(table->rows[row][*column]) == finding.key) finding.row = row;
    }
  }
  return found;
}

std::string bound_verdict(const BoundSubject& subject) {
  const Bounds* bounds = largest(subject);
  if (bounds == nullptr) return "";
  const SequentialBound& bound = bounds->sequential;
  if (bound.layers != 0 && bound.missing == bound.layers) {
    return fmt::format("{}: no bound, none of its {} has a time", bounds->model->name, plural(bound.layers, "layer"));
  }
  std::string text =
      fmt::format("{}: layer by layer at least {} a call", bounds->model->name, milliseconds(bound.bound_ms));
  if (!subject.source.is_given) text += fmt::format(" on {}", plural(subject.source.threads, "thread"));
  if (bound.expected_ms) text += fmt::format(" · about {} expected", milliseconds(*bound.expected_ms));
  if (bounds->parallel.bound_ms < bound.bound_ms) {
    text += fmt::format(" · {} with parallel branches", milliseconds(bounds->parallel.bound_ms));
  }
  if (bound.missing != 0)
    text += fmt::format(" · {} of {} without a time", bound.missing, plural(bound.layers, "layer"));
  return text;
}

}  // namespace xsp::bound
