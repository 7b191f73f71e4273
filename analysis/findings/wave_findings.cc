#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/findings/families.h"
#include "analysis/findings/step_row.h"
#include "analysis/tables/kernel_waves.h"

namespace xsp::analysis {
namespace {

/// Where waves are known for less of the time, the rest could say the opposite.
constexpr double kKnownWavesPct = 80;
/// Of kernel time: slots that stay empty in kernels below one wave. Every program has some small kernels.
constexpr double kWorthEmptyPct = 5;
/// Of kernel time: slots that stay empty in the last waves of one kernel.
constexpr double kWorthTailPct = 3;
/// Blocks of shorter kernels end too unevenly, and their launch takes too much of them, to speak of waves.
constexpr double kShortestWithTailMs = 0.02;
/// Beyond these waves the last one is a small part of the kernel, and blocks are out of step with one another.
constexpr double kMostWavesWithTail = 4;
/// From here on a last wave is as good as full.
constexpr double kFullPct = 80;

std::optional<double> sum_in(const TableCells& waves, std::string_view field) {
  if (waves.table() == nullptr) return {};
  for (const Extra& extra : waves.table()->extras) {
    if (extra.name != wave_extras::kSums) continue;
    for (const auto& [name, value] : extra.fields) {
      if (name == field) return number_of(value);
    }
  }
  return {};
}

/// Kernels of one name.
struct KernelsOfName {
  std::string name;
  double latency_ms = 0;
  double tail_ms = 0;
  double fewest_waves = 0;
  double most_waves = 0;
  size_t row = 0;  // with the longest tail
  double longest_tail_ms = -1;
};

/// Those that `is_meant` says, the longest tail first.
template <typename Meant>
std::vector<KernelsOfName> by_tail(const TableCells& cells, Meant is_meant) {
  std::map<std::string, KernelsOfName> found;
  for (size_t row = 0; row < cells.rows(); ++row) {
    const auto waves = cells.number(row, kR1.waves);
    if (!waves || !is_meant(row, *waves)) continue;
    const std::string name = cells.text(row, kR1.kernel_name);
    const auto [at, is_new] = found.try_emplace(name);
    KernelsOfName& of = at->second;
    const double tail = cells.number(row, kR1.tail_ms).value_or(0);
    of.name = name;
    of.latency_ms += cells.number(row, kR1.latency_ms).value_or(0);
    of.tail_ms += tail;
    of.fewest_waves = is_new ? *waves : std::min(of.fewest_waves, *waves);
    of.most_waves = is_new ? *waves : std::max(of.most_waves, *waves);
    if (tail <= of.longest_tail_ms) continue;
    of.longest_tail_ms = tail;
    of.row = row;
  }
  std::vector<KernelsOfName> names;
  for (auto& [name, of] : found) names.push_back(std::move(of));
  std::stable_sort(names.begin(), names.end(),
                   [](const KernelsOfName& a, const KernelsOfName& b) { return a.tail_ms > b.tail_ms; });
  return names;
}

void tell_share_of_step(const Evidence& evidence, double ms, Finding* finding) {
  const auto step = evidence.step_ms();
  if (!step || !evidence.has_evaluations()) return;
  finding->share_pct = 100 * ms / *step;
  finding->share_of = std::string(evidence.step_word());
}

bool is_worth_the_step(const Evidence& evidence, double ms) {
  const auto step = evidence.step_ms();
  return !step || 100 * ms / *step >= kWorthStepPct;
}

/// "0.31", "0.05 to 0.31", "less than 0.01".
std::string waves_text(const KernelsOfName& of) {
  constexpr double kLeast = 0.01;
  const auto text = [](double waves) { return fmt::format("{:.2f}", waves); };
  if (of.most_waves < kLeast) return fmt::format("less than {}", kLeast);
  const std::string fewest = text(std::max(of.fewest_waves, kLeast));
  const std::string most = text(std::min(of.most_waves, 0.99));
  return fewest == most ? most : fewest + " to " + most;
}

void add_small_kernels(const Evidence& evidence, double kernel_ms, std::vector<Finding>* findings) {
  const TableCells cells = evidence.table(kR1);
  const double pct = sum_in(cells, wave_extras::kBelowOnePct).value_or(0);
  const double ms = pct / 100 * kernel_ms;
  const std::vector<KernelsOfName> small = by_tail(cells, [](size_t, double waves) { return waves < 1; });
  double empty_ms = 0;
  for (const KernelsOfName& of : small) empty_ms += of.tail_ms;
  if (!(100 * empty_ms >= kWorthEmptyPct * kernel_ms) || !is_worth_the_step(evidence, ms)) return;
  constexpr size_t kMostNamed = 2;
  std::string named;
  for (size_t i = 0; i < std::min(small.size(), kMostNamed); ++i) {
    named += fmt::format("{}{} ({}, {} waves)", i == 0 ? "" : " and ", name_in_sentence(small[i].name),
                         short_time(small[i].latency_ms), waves_text(small[i]));
  }
  findings->push_back(
      {.id = "small-kernels",
       .text =
           fmt::format("{} of kernel time ({} of {}) runs in less than one wave: there are too few blocks to fill "
                       "the GPU, and {} of the slots stay empty meanwhile; most in {}",
                       share_text(pct), short_time(ms), short_time(kernel_ms), share_text(100 * empty_ms / ms), named),
       .advice = "batch more, fuse small kernels, or run kernels side by side (streams, branches of a CUDA graph)",
       .value = pct,
       .unit = "%",
       .table = std::string(kR1.id),
       .column = std::string(kR1.kernel_name.name),
       .key = small.front().name,
       .weight = std::min(0.99, evidence.share_of_step(ms))});
  tell_share_of_step(evidence, ms, &findings->back());
}

/// How full the last wave is, in %.
double last_wave_pct(double waves) {
  const double part = waves - std::floor(waves);
  return part == 0 ? 100 : 100 * part;
}

void add_tail(const Evidence& evidence, double kernel_ms, std::vector<Finding>* findings) {
  const TableCells cells = evidence.table(kR1);
  const std::vector<KernelsOfName> tails = by_tail(cells, [&](size_t row, double waves) {
    return waves > 1 && waves <= kMostWavesWithTail && last_wave_pct(waves) < kFullPct &&
           cells.number(row, kR1.latency_ms).value_or(0) >= kShortestWithTailMs;
  });
  if (tails.empty()) return;
  const KernelsOfName& worst = tails.front();
  if (!(100 * worst.tail_ms >= kWorthTailPct * kernel_ms) || !is_worth_the_step(evidence, worst.latency_ms)) return;
  const double waves = *cells.number(worst.row, kR1.waves);
  const double slots =
      cells.number(worst.row, kR1.sms).value_or(0) * cells.number(worst.row, kR1.blocks_per_sm).value_or(0);
  findings->push_back(
      {.id = "wave-tail",
       .text =
           fmt::format("The last wave of {} is {} full: its {:.0f} blocks are {:.2f} waves of {:.0f}, and {} of "
                       "the {} that it takes are slots that stay empty ({} of kernel time)",
                       name_in_sentence(worst.name), share_text(last_wave_pct(waves)),
                       cells.number(worst.row, kR1.grid_blocks).value_or(0), waves, slots, short_time(worst.tail_ms),
                       short_time(worst.latency_ms), share_text(100 * worst.tail_ms / kernel_ms)),
       .advice = "a batch size or tile size whose blocks fill whole waves does more in the same time",
       .value = last_wave_pct(waves),
       .unit = "%",
       .table = std::string(kR1.id),
       .column = std::string(kR1.kernel_name.name),
       .key = worst.name,
       .weight = std::min(0.99, evidence.share_of_step(worst.tail_ms))});
  tell_share_of_step(evidence, worst.tail_ms, &findings->back());
}

}  // namespace

void add_wave_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  const TableCells cells = evidence.table(kR1);
  const double all_ms = sum_in(cells, wave_extras::kKernelMs).value_or(0);
  const double known_pct = sum_in(cells, wave_extras::kKnownPct).value_or(0);
  if (!(all_ms > 0) || !(known_pct >= kKnownWavesPct)) return;
  // Kernels whose waves are not known are no part of the shares.
  const double known_ms = known_pct / 100 * all_ms;
  add_small_kernels(evidence, known_ms, findings);
  add_tail(evidence, known_ms, findings);
}

}  // namespace xsp::analysis
