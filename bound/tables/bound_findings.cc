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

constexpr double kNoisyShare = 0.1;  // of the bound, as those below
constexpr double kDearType = 0.3;
constexpr double kDearProblem = 0.1;
constexpr double kFusibleShare = 0.05;
constexpr double kParallelGain = 0.03;
constexpr double kMemoryCost = 0.1;
constexpr double kUnusable = 0.5;        // disturbed
constexpr double kUnpricedFlops = 0.01;  // of the model's flops
constexpr std::string_view kFusibleKinds[] = {"eltwise ", "binary ", "batchnorm "};

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
  if (subject.source.is_given || !(bound.bound_ms > 0) || bound.noisy_ms < kNoisyShare * bound.bound_ms) return;
  Finding& finding = found->emplace_back();
  finding.id = "benchmarks-disturbed";
  finding.text = fmt::format(
      "{} of the {} rest on benchmarks that something disturbed ({}): their typical time is more than 20 % above the "
      "least, and even that may be too long",
      milliseconds(bound.noisy_ms), milliseconds(bound.bound_ms), plural(bound.noisy, "layer"));
  finding.advice = "close what else runs, then measure again: --refresh";
  finding.value = bound.noisy_ms;
  finding.unit = "ms";
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
  finding.value = 100 * share;
  finding.unit = "%";
  finding.table = "B1";
  finding.column = "name";
  finding.key = layer.name;
  finding.weight = share;
  finding.share_pct = 100 * share;
  finding.share_of = "bound";
}

/// Layers that runtimes write into their neighbours: the bound of each layer by itself is above what they can reach.
void find_fusible(const Bounds& bounds, std::vector<Finding>* found) {
  double ms = 0;
  size_t layers = 0;
  for (size_t index = 0; index < bounds.times.size(); ++index) {
    const LayerTime& time = bounds.times[index];
    const std::string& problem = bounds.model->layers[index].problem;
    const bool is_fusible = std::any_of(std::begin(kFusibleKinds), std::end(kFusibleKinds),
                                        [&](std::string_view kind) { return problem.starts_with(kind); });
    if (!time.counts || !time.bound_ms || !is_fusible) continue;
    ms += *time.bound_ms;
    ++layers;
  }
  const double share = ms / bounds.sequential.bound_ms;
  if (share < kFusibleShare || layers == bounds.sequential.layers) return;
  Finding& finding = found->emplace_back();
  finding.id = "fusible-layers";
  finding.text = fmt::format(
      "{} of the bound ({} in {}) are activations, additions and batch normalizations, which runtimes can fuse into "
      "the "
      "layer before: without them {}",
      percent(share), milliseconds(ms), plural(layers, "layer"), milliseconds(bounds.sequential.bound_ms - ms));
  finding.advice = "a runtime that fuses can be faster than this bound; one that does not pays for them in full";
  finding.value = ms;
  finding.unit = "ms";
  finding.table = "B2";
  finding.weight = share;
  finding.gain_ms = ms;
  finding.share_pct = 100 * share;
  finding.share_of = "bound";
}

void find_parallel_gain(const BoundSubject& subject, const Bounds& bounds, std::vector<Finding>* found) {
  const double sequential = bounds.sequential.bound_ms;
  const double gain = sequential - bounds.parallel.bound_ms;
  Finding finding;
  finding.id = "parallel-branches";
  finding.value = gain;
  finding.unit = "ms";
  finding.table = "B4";
  if (gain / sequential >= kParallelGain) {
    const bool one_core = subject.source.is_given || subject.source.threads == 1;
    finding.text = fmt::format(
        "Branches that do not need each other could save {} at most ({} of the bound), if each had {} of its "
        "own",
        milliseconds(gain), percent(gain / sequential),
        one_core ? std::string("a core") : fmt::format("{} cores", subject.source.threads));
    finding.gain_ms = gain;
    finding.share_pct = 100 * gain / sequential;
    finding.share_of = "bound";
    finding.weight = gain / sequential;
  } else {
    finding.text = gain > 0 ? fmt::format("Branches at the same time could save no more than {}", milliseconds(gain))
                            : "No layers take time beside one another: they are a chain";
    finding.is_note = true;
  }
  found->push_back(std::move(finding));
}

void find_memory_cost(const Bounds& bounds, std::vector<Finding>* found) {
  const SequentialBound& bound = bounds.sequential;
  if (!bound.expected_ms) return;
  const double more = *bound.expected_ms - bound.bound_ms;
  if (more / bound.bound_ms < kMemoryCost) return;
  Finding& finding = found->emplace_back();
  finding.id = "operands-from-memory";
  finding.text = fmt::format(
      "How much of the model stays in the cache decides between {} and {}: the longer time has all weights and "
      "activations in memory",
      milliseconds(bound.bound_ms), milliseconds(*bound.expected_ms));
  finding.advice = "weights that fit into the cache, smaller types and fused layers bring it nearer to the shorter one";
  finding.value = more;
  finding.unit = "ms";
  finding.table = "B3";
  finding.weight = more / *bound.expected_ms;
  finding.share_pct = 100 * more / *bound.expected_ms;
  finding.share_of = "expected time";
}

void note_transforms(const BoundSubject& subject, const Bounds& bounds, std::vector<Finding>* found) {
  const SequentialBound& bound = bounds.sequential;
  if (subject.source.is_given || bound.inexact == 0) return;
  Finding& finding = found->emplace_back();
  finding.id = "other-rounding";
  finding.text =
      fmt::format("{} ({}) {} fastest by Winograd or FFT, whose results are rounded otherwise",
                  plural(bound.inexact, "layer"), milliseconds(bound.inexact_ms), bound.inexact == 1 ? "is" : "are");
  finding.advice = "--exact leaves them out";
  finding.value = static_cast<double>(bound.inexact);
  finding.unit = "layers";
  finding.table = "B1";
  finding.is_note = true;
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
    find_fusible(*bounds, &found);
    find_memory_cost(*bounds, &found);
    find_parallel_gain(subject, *bounds, &found);
    note_transforms(subject, *bounds, &found);
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
  const bool is_usable = bound.noisy_ms <= kUnusable * bound.bound_ms;
  std::string text = fmt::format("{}: layer by layer {} {} a call", bounds->model->name,
                                 is_usable ? "at least" : "about", milliseconds(bound.bound_ms));
  if (!subject.source.is_given) text += fmt::format(" on {}", plural(subject.source.threads, "thread"));
  if (!is_usable) text += " (most benchmarks were disturbed: measure again)";
  if (bound.expected_ms) {
    text += fmt::format(" · up to about {} with operands from memory", milliseconds(*bound.expected_ms));
  }
  if (bound.missing != 0)
    text += fmt::format(" · {} of {} without a time", bound.missing, plural(bound.layers, "layer"));
  return text;
}

}  // namespace xsp::bound
