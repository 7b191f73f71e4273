#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/findings/families.h"
#include "analysis/findings/step_row.h"
#include "analysis/study/step_study.h"
#include "analysis/tables/kernel_waves.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/waves/kernel_kinds.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// Where waves are known for less of the time, the rest could say the opposite.
constexpr double kKnownWavesPct = 80;
/// Of kernel time and of the step: multiprocessors that have nothing to do in kernels of few blocks. Every program has
/// some small kernels.
constexpr double kWorthIdlePct = 5;
/// Of kernel time: what is unused in the last waves of one kernel.
constexpr double kWorthTailPct = 3;
/// Blocks of shorter kernels end too unevenly, and their launch takes too much of them, to speak of waves.
constexpr double kShortestWithTailMs = 0.02;
/// Beyond these waves the last one is a small part of the kernel, and blocks are out of step with one another.
constexpr double kMostWavesWithTail = 4;
/// From here on a last wave is as good as full, and so are multiprocessors whose blocks are spread evenly.
constexpr double kFullPct = 80;
/// Where more share a multiprocessor, those that are left in a last wave are faster and make up for its empty slots.
constexpr double kMostSharing = 2;

// Where the host decides how long a step takes, or there is too little to judge, no kernel is worth a change.
constexpr double kLeastBusyPart = 0.5;
constexpr double kMostHostIdlePart = 0.15;  // as gpu-idle and launch-bound
constexpr double kShortMeanMs = 0.005;      // a launch takes as long
constexpr double kLeastKernelMs = 1;
constexpr double kLeastKernels = 20;

/// R1's sums; 0 where there are none.
struct WaveShares {
  double kernel_ms = 0;
  double kernels = 0;
  double known_pct = 0;
  double few_blocks_pct = 0;
  double idle_sms_pct = 0;
  double communication_ms = 0;

  double known_ms() const { return known_pct / 100 * kernel_ms; }
};

WaveShares shares_of(const TableCells& waves) {
  WaveShares shares;
  if (waves.table() == nullptr) return shares;
  const std::map<std::string_view, double*> places = {
      {wave_extras::kKernelMs, &shares.kernel_ms},      {wave_extras::kKernels, &shares.kernels},
      {wave_extras::kKnownPct, &shares.known_pct},      {wave_extras::kFewBlocksPct, &shares.few_blocks_pct},
      {wave_extras::kIdleSmsPct, &shares.idle_sms_pct}, {wave_extras::kCommunicationMs, &shares.communication_ms},
  };
  for (const Extra& extra : waves.table()->extras) {
    if (extra.name != wave_extras::kSums) continue;
    for (const auto& [name, value] : extra.fields) {
      if (const auto place = places.find(name); place != places.end()) *place->second = number_of(value).value_or(0);
    }
  }
  return shares;
}

/// What the step of the subject is, whichever tables the report has.
class StepOfKernels {
 public:
  explicit StepOfKernels(const Evidence& evidence) : evidence_(evidence), study_(evidence.study) {
    if (evidence.has_evaluations()) {
      steps_ = subject_breakdown(study_);
      step_ms_ = step_ns(study_, study_.evaluations.groups[*study_.subject]) / kNsPerMs;
    } else if (const auto process = busiest_process_under_study(study_)) {
      steps_ = recording_breakdown(study_, *process);
      step_ms_ = static_cast<double>(steps_.windows_ns) / kNsPerMs;
    }
  }

  /// Whether kernels decide how long a step takes.
  bool is_of_kernels() const {
    if (!steps_.has_devices() || !(step_ms_ > 0) || steps_.share(steps_.busy_ns) < kLeastBusyPart) return false;
    return is_filtered(study_.trace) || steps_.share(steps_.idle_host_ns) < kMostHostIdlePart;
  }

  double pct(double ms) const { return 100 * ms / step_ms_; }

  void tell_share(double ms, Finding* finding) const {
    finding->weight = std::clamp(ms / step_ms_, 0.0, 0.99);
    if (!evidence_.has_evaluations()) return;
    finding->share_pct = pct(ms);
    finding->share_of = std::string(evidence_.step_word());
  }

  /// A batch is not made larger for a kernel of training: that changes what is learnt.
  bool is_training() const {
    return study_.subject && study_.evaluations.groups[*study_.subject].phases.mode == Mode::kTraining;
  }

 private:
  const Evidence& evidence_;
  const Study& study_;
  StepBreakdown steps_;
  double step_ms_ = 0;
};

/// Kernels of one name, or of one name and grid.
struct AlikeKernels {
  std::string name;
  double latency_ms = 0;
  double lost_ms = 0;
  size_t row = 0;  // the one that loses most
  double most_lost_ms = -1;

  std::string text() const { return name_in_sentence(bare_kernel_name(name)); }
};

/// Those of which `lost_ms` gives a time, alike in what `key` gives; that which loses most first.
template <typename Lost, typename Key>
std::vector<AlikeKernels> by_loss(const TableCells& cells, Lost lost_ms, Key key) {
  std::map<decltype(key(size_t{0})), AlikeKernels> found;
  for (size_t row = 0; row < cells.rows(); ++row) {
    if (!cells.text(row, kR1.kind).empty() || !cells.number(row, kR1.waves)) continue;
    const std::optional<double> lost = lost_ms(row);
    if (!lost) continue;
    AlikeKernels& of = found[key(row)];
    of.latency_ms += cells.number(row, kR1.latency_ms).value_or(0);
    of.lost_ms += *lost;
    if (*lost <= of.most_lost_ms) continue;
    of.most_lost_ms = *lost;
    of.row = row;
  }
  std::vector<AlikeKernels> kernels;
  for (auto& [same, of] : found) {
    of.name = cells.text(of.row, kR1.kernel_name);
    kernels.push_back(std::move(of));
  }
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const AlikeKernels& a, const AlikeKernels& b) { return a.lost_ms > b.lost_ms; });
  return kernels;
}

/// "1.85 ms of the 3.73 ms of kernel time (50 %)", "207 ms (68 %) of the 304 ms of kernel time whose launch is known
/// (97 %)".
std::string part_of_kernel_time(const WaveShares& shares, double ms) {
  constexpr double kAsGoodAsAll = 99.5;
  const std::string part = share_text(100 * ms / shares.known_ms());
  const std::string whole = fmt::format("the {} of kernel time{}", short_time(shares.known_ms()),
                                        shares.communication_ms > 0 ? " without communication" : "");
  if (shares.known_pct >= kAsGoodAsAll) return fmt::format("{} of {} ({})", short_time(ms), whole, part);
  return fmt::format("{} ({}) of {} whose launch is known ({})", short_time(ms), part, whole,
                     share_text(shares.known_pct));
}

constexpr std::string_view kAutotuning = "autotuning; in PyTorch torch.backends.cudnn.benchmark";

/// How a kernel of this name could have more blocks.
std::string more_blocks_advice(std::string_view name, bool is_training) {
  const KernelKind kind = kind_of_kernel(name);
  const std::string split = fmt::format("split-K or another algorithm ({}) has more blocks", kAutotuning);
  const std::string beside =
      "run it beside other kernels (streams, branches of a CUDA graph) if they do not depend on each other";
  const bool larger_batch_helps =
      !is_training && !is_backward_kernel(name) && (kind == KernelKind::kProduct || kind == KernelKind::kOther);
  const std::string batch = larger_batch_helps ? "use a larger batch; " : "";
  switch (kind) {
    case KernelKind::kChannelNormalization:
      return "its grid follows the channels: another layout (channels_last) or implementation has more blocks; " +
             beside;
    case KernelKind::kWeightGradient:
    case KernelKind::kProduct:
      return batch + split + "; " + beside;
    case KernelKind::kReduction:
    case KernelKind::kOther:
      return batch + "fuse it with its neighbours, or " + beside;
  }
  return {};
}

void add_small_kernels(const TableCells& cells, const WaveShares& shares, const StepOfKernels& step,
                       std::vector<Finding>* findings) {
  const double idle_ms = shares.idle_sms_pct / 100 * shares.known_ms();
  if (!(shares.idle_sms_pct >= kWorthIdlePct) || !(step.pct(idle_ms) >= kWorthIdlePct)) return;
  const std::vector<AlikeKernels> small = by_loss(
      cells,
      [&](size_t row) -> std::optional<double> {
        const double used = cells.number(row, kR1.sms_used_pct).value_or(100);
        if (!(used < 100)) return {};
        return cells.number(row, kR1.latency_ms).value_or(0) * (1 - used / 100);
      },
      [&](size_t row) { return cells.text(row, kR1.kernel_name); });
  if (small.empty()) return;
  constexpr size_t kMostNamed = 2;
  std::string named;
  for (size_t i = 0; i < std::min(small.size(), kMostNamed); ++i) {
    named += fmt::format("{}{} ({} of its {})", i == 0 ? "" : " and ", small[i].text(), short_time(small[i].lost_ms),
                         short_time(small[i].latency_ms));
  }
  const double ms = shares.few_blocks_pct / 100 * shares.known_ms();
  const AlikeKernels& worst = small.front();
  findings->push_back(
      {.id = "small-kernels",
       .text = fmt::format(
           "Kernels with fewer blocks than the GPU has multiprocessors take {}; on average {} of the multiprocessors "
           "have nothing to do in them; most in {}",
           part_of_kernel_time(shares, ms), share_text(100 * idle_ms / ms), named),
       .advice = fmt::format("{}: {}", worst.text(), more_blocks_advice(worst.name, step.is_training())),
       .value = shares.few_blocks_pct,
       .unit = "%",
       .table = std::string(kR1.id),
       .column = std::string(kR1.kernel_name.name),
       .key = worst.name});
  step.tell_share(ms, &findings->back());
}

/// How full the last wave is, in %.
double last_wave_pct(double waves) {
  const double part = waves - std::floor(waves);
  return part == 0 ? 100 : 100 * part;
}

/// Of the multiprocessors with most blocks: how many the others have on average, in %. What is used if blocks that
/// share a multiprocessor slow each other down as much as they are.
double balance_pct(double blocks, double sms) { return 100 * blocks / sms / std::ceil(blocks / sms); }

/// Libraries choose among kernels that they bring; others are compiled for the program.
std::string tail_advice(std::string_view name, bool is_training) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  const std::string batch = is_training ? "" : "try another batch size, or ";
  if (has("triton") || (has("cutlass") && !has("cudnn") && !has("cublas"))) {
    return batch + "another tile size";
  }
  const KernelKind kind = kind_of_kernel(name);
  if (kind == KernelKind::kProduct || kind == KernelKind::kWeightGradient) {
    return fmt::format("{}let the library choose another kernel ({})", batch, kAutotuning);
  }
  return batch + "another tile size if the kernel is the program's own";
}

void add_tail(const TableCells& cells, const WaveShares& shares, const StepOfKernels& step,
              std::vector<Finding>* findings) {
  const auto number = [&](size_t row, const ColumnDefinition& column) { return cells.number(row, column).value_or(0); };
  const std::vector<AlikeKernels> tails = by_loss(
      cells,
      [&](size_t row) -> std::optional<double> {
        const double waves = number(row, kR1.waves);
        if (!(waves > 1) || waves > kMostWavesWithTail || last_wave_pct(waves) >= kFullPct) return {};
        if (number(row, kR1.latency_ms) < kShortestWithTailMs) return {};
        const bool is_uneven = balance_pct(number(row, kR1.grid_blocks), number(row, kR1.sms)) < kFullPct;
        if (number(row, kR1.blocks_per_sm) > kMostSharing && !is_uneven) return {};
        return number(row, kR1.tail_ms);
      },
      [&](size_t row) { return std::pair(cells.text(row, kR1.kernel_name), number(row, kR1.grid_blocks)); });
  if (tails.empty()) return;
  const AlikeKernels& worst = tails.front();
  if (!(100 * worst.lost_ms >= kWorthTailPct * shares.known_ms())) return;
  if (!(step.pct(worst.latency_ms) >= kWorthStepPct)) return;
  const double waves = number(worst.row, kR1.waves);
  const double blocks = number(worst.row, kR1.grid_blocks);
  const double sms = number(worst.row, kR1.sms);
  const double most_pct = 100 * worst.lost_ms / worst.latency_ms;
  const double least_pct = 100 - balance_pct(blocks, sms);
  std::string text = fmt::format(
      "The last wave of {} is {} full ({:.0f} blocks, {:.2f} waves of {:.0f}): up to {} of its time ({} of {}) is "
      "unused",
      worst.text(), share_text(last_wave_pct(waves)), blocks, waves, sms * number(worst.row, kR1.blocks_per_sm),
      share_text(most_pct), short_time(worst.lost_ms), short_time(worst.latency_ms));
  if (share_text(least_pct) != share_text(most_pct)) {
    text += fmt::format(", {} if blocks are faster where fewer share a multiprocessor", share_text(least_pct));
  }
  findings->push_back({.id = "wave-tail",
                       .text = std::move(text),
                       .advice = tail_advice(worst.name, step.is_training()),
                       .value = most_pct,
                       .unit = "%",
                       .table = std::string(kR1.id),
                       .column = std::string(kR1.kernel_name.name),
                       .key = worst.name,
                       .row = worst.row});
  step.tell_share(worst.lost_ms, &findings->back());
}

}  // namespace

void add_wave_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  const TableCells cells = evidence.table(kR1);
  const WaveShares shares = shares_of(cells);
  if (!(shares.known_pct >= kKnownWavesPct)) return;
  if (shares.kernel_ms < kLeastKernelMs || shares.kernels < kLeastKernels) return;
  if (shares.kernel_ms / shares.kernels < kShortMeanMs) return;
  const StepOfKernels step(evidence);
  if (!step.is_of_kernels()) return;
  add_small_kernels(cells, shares, step, findings);
  add_tail(cells, shares, step, findings);
}

}  // namespace xsp::analysis
