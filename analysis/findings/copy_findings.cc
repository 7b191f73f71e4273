#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/findings/step_row.h"
#include "analysis/tables/kernels_by_model.h"
#include "analysis/tables/layer_information.h"
#include "analysis/tables/library_functions.h"

namespace xsp::analysis {
namespace {

/// From this part of the copies on, it is said that the host waits for them.
constexpr double kBlockingPart = 0.5;

struct CopyKind {
  std::string_view function;  // of C2 begins with it
  std::string_view advice;
};
constexpr std::array kCopyKinds = {
    CopyKind{"memcpy HtoD", "copy less: keep data that does not change on the GPU"},
    CopyKind{"memcpy DtoH", "copy less back to the host"},
    CopyKind{"memcpy DtoD", "avoid copies within the GPU: contiguous(), clone() and concatenations; write in place"},
    CopyKind{"memcpy PtoP", "exchange less between GPUs, or exchange while kernels run"},
};

/// Pinned memory needs no such advice, and copies that take far longer than all kernels cannot hide behind them.
std::string copy_advice(std::string_view function, double copies_ms, double kernels_ms) {
  const auto kind = std::find_if(kCopyKinds.begin(), kCopyKinds.end(),
                                 [&](const CopyKind& of) { return function.starts_with(of.function); });
  if (kind == kCopyKinds.end()) return "copy while kernels run";
  std::string advice(kind->advice);
  const bool to_device = function.find("HtoD") != std::string_view::npos;
  if (!to_device && function.find("DtoH") == std::string_view::npos) return advice;
  const bool is_pinned = function.find("Pinned") != std::string_view::npos;
  const std::string memory = is_pinned ? "" : to_device ? " from pinned memory" : " to pinned memory";
  if (copies_ms > 2 * kernels_ms) {
    if (!is_pinned) advice += ", and copy" + memory;
    return advice + fmt::format("; at most {} of it could overlap with kernels", short_time(kernels_ms));
  }
  return advice + fmt::format(", or copy{} while kernels run, on a stream of its own", memory);
}

/// The copies with most time: their direction decides what helps.
std::optional<size_t> longest_copies(const TableCells& calls) {
  std::optional<size_t> longest;
  double most = 0;
  for (size_t row = 0; row < calls.rows(); ++row) {
    if (calls.text(row, kC2.library) != "device memory") continue;
    const double ms = calls.number(row, kC2.kernel_ms).value_or(0);
    if (ms <= most) continue;
    most = ms;
    longest = row;
  }
  return longest;
}

/// " at 27.7 GB/s": for large copies only, because small ones take a fixed time.
std::string speed_text(const TableCells& calls, size_t row) {
  constexpr double kLeastBytes = 1e6;
  constexpr double kBytesPerMs = 1e6;  // of a GB/s
  const double bytes = calls.number(row, kC2.bytes).value_or(0);
  const double ms = calls.number(row, kC2.kernel_ms).value_or(0);
  const double count = calls.number(row, kC2.count).value_or(0);
  if (!(ms > 0) || !(count > 0) || bytes / count < kLeastBytes) return {};
  return fmt::format(" at {:.1f} GB/s", bytes / ms / kBytesPerMs);
}

}  // namespace

void add_copies(const Evidence& evidence, const StepRow& step, std::vector<Finding>* findings) {
  const double blocking = waits_for_copies(step) ? step.number(kA15.idle_sync_ms) : 0;
  const double idle = step.number(kA15.idle_copy_ms) + blocking;
  if (!(step.pct(idle) >= kWorthStepPct)) return;
  const TableCells calls = evidence.table(kC2);
  const auto longest = longest_copies(calls);
  const std::string function = longest ? calls.text(*longest, kC2.function) : "";
  std::string text = fmt::format("Copies while no kernel runs: {}", step.part(idle));
  if (longest) text += fmt::format(", mostly {}{}", name_in_sentence(function), speed_text(calls, *longest));
  if (blocking >= kBlockingPart * idle) {
    text += "; the CPU waits for them";
    if (const std::string layer = waiting_layer(evidence.table(kA2)); !layer.empty()) text += " in " + layer;
  }
  findings->push_back(
      step.finding("copies", std::move(text), copy_advice(function, idle, step.number(kA15.gpu_busy_ms)), idle, idle));
}

}  // namespace xsp::analysis
