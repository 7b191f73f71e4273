#include <fmt/format.h>

#include "analysis/findings/families.h"

namespace xsp::analysis {
namespace {

/// A device that is idle for less than a fifth is busy: the rest is the gaps of any real model.
constexpr double kIdlePct = 20;
/// A layer whose kernels run for less than half of its latency waits for the host longer than for the device.
constexpr double kLaunchBoundPct = 50;
/// Longer kernels hide a launch (5 to 10 µs of a framework's operator, and more where it is profiled).
constexpr double kShortKernelMs = 0.05;
/// Of the layer time; less is not what a reader should begin with.
constexpr double kWorthLayerPct = 25;
/// Copies of less than a tenth of the device's time are usual.
constexpr double kCopyPct = 10;

std::string size_text(double bytes) {
  constexpr double kKb = 1e3;
  constexpr double kMb = 1e6;
  constexpr double kGb = 1e9;
  if (bytes >= kGb) return fmt::format("{:.1f} GB", bytes / kGb);
  return bytes >= kMb ? fmt::format("{:.1f} MB", bytes / kMb) : fmt::format("{:.1f} kB", bytes / kKb);
}

void add_idle_device(const Evidence& evidence, std::vector<Finding>* findings) {
  const EvidenceTable models = evidence.table("A15");
  const auto row = evidence.subject_kernels();
  if (!row) return;
  const auto busy = models.number(*row, "gpu_busy_pct");
  const auto busy_ms = models.number(*row, "gpu_busy_ms");
  const auto model_ms = models.number(*row, "model_latency_ms");
  // Kernels that are known by their counters alone have no duration.
  if (!busy || !busy_ms || !model_ms || !(*busy_ms > 0) || !(100 - *busy >= kIdlePct)) return;
  const std::string model = models.text(*row, "model");
  findings->push_back(
      {.id = "gpu-idle",
       .text = fmt::format("no kernel runs in {} % of model latency: kernels take {} of {}", percent_text(100 - *busy),
                           time_text(*busy_ms), time_text(*model_ms)),
       .advice = "a larger batch, fewer launches, an input pipeline that runs ahead; A13 has it by layer, and "
                 "what recording costs the host is in it too",
       .value = 100 - *busy,
       .unit = "%",
       .table = "A15",
       .column = models.rows() == 1 ? "model" : "",
       .key = models.rows() == 1 ? model : "",
       .weight = (100 - *busy) / 100});
}

void add_launch_bound(const Evidence& evidence, std::vector<Finding>* findings) {
  if (!evidence.has_evaluations()) return;
  const EvidenceTable layers = evidence.table("A13");
  size_t bound = 0;
  size_t with_kernels = 0;
  double non_gpu_ms = 0;
  double bound_ms = 0;
  double kernel_ms = 0;
  double kernels = 0;
  double most = 0;
  std::string longest;
  for (size_t row = 0; row < layers.rows(); ++row) {
    const double count = layers.number(row, "kernel_count").value_or(0);
    const auto pct = layers.number(row, "gpu_pct");
    const auto latency = layers.number(row, "layer_latency_ms");
    const auto kernel = layers.number(row, "kernel_ms");
    if (!(count > 0) || !pct || !latency || !kernel) continue;
    ++with_kernels;
    if (*pct >= kLaunchBoundPct || *kernel / count >= kShortKernelMs) continue;
    ++bound;
    bound_ms += *latency;
    const double non_gpu = layers.number(row, "non_gpu_ms").value_or(0);
    non_gpu_ms += non_gpu;
    kernel_ms += *kernel;
    kernels += count;
    if (non_gpu > most) {
      most = non_gpu;
      longest = fmt::format("{:.0f}", layers.number(row, "layer_index").value_or(0));
    }
  }
  const auto total = layers.sum("layer_latency_ms");
  if (bound == 0 || !total || !(100 * bound_ms / *total >= kWorthLayerPct)) return;
  const double pct = 100 * bound_ms / *total;
  findings->push_back(
      {.id = "launch-bound",
       .text = fmt::format("launch-bound: {} of {} with kernels run them for less than half of their time "
                           "({} % of layer time); a kernel takes {} on average",
                           bound, count_text(static_cast<double>(with_kernels), "layer"), percent_text(pct),
                           time_text(kernel_ms / kernels)),
       .advice = "fewer and longer kernels: a larger batch, fused operators, CUDA graphs",
       .value = pct,
       .unit = "%",
       .table = "A13",
       .column = "layer_index",
       .key = longest,
       .weight = evidence.share_of_model(non_gpu_ms)});
}

void add_copies(const Evidence& evidence, std::vector<Finding>* findings) {
  const EvidenceTable calls = evidence.table("C2");
  const auto kernel_ms = evidence.table("A10").sum("latency_ms");
  double copy_ms = 0;
  double bytes = 0;
  double most = 0;
  std::string longest;
  for (size_t row = 0; row < calls.rows(); ++row) {
    const std::string function = calls.text(row, "function");
    if (calls.text(row, "library") != "device memory" || !function.starts_with("memcpy")) continue;
    const double ms = calls.number(row, "kernel_ms").value_or(0);
    copy_ms += ms;
    bytes += calls.number(row, "bytes").value_or(0);
    if (ms > most) {
      most = ms;
      longest = function;
    }
  }
  const double device_ms = copy_ms + kernel_ms.value_or(0);
  if (!(copy_ms > 0) || !kernel_ms || !(100 * copy_ms / device_ms >= kCopyPct)) return;
  const std::string size = bytes > 0 ? ", " + size_text(bytes) : "";
  findings->push_back(
      {.id = "copies",
       .text =
           fmt::format("copies take {} % of the device's time for kernels and copies ({}{}), most of it {}",
                       percent_text(100 * copy_ms / device_ms), time_text(copy_ms), size, name_in_sentence(longest)),
       .advice = "keep data on the device, copy from pinned memory while kernels run",
       .value = 100 * copy_ms / device_ms,
       .unit = "%",
       .table = "C2",
       .column = "function",
       .key = longest,
       .weight = evidence.has_evaluations() ? evidence.share_of_model(copy_ms) : copy_ms / device_ms});
}

}  // namespace

void add_device_findings(const Evidence& evidence, std::vector<Finding>* findings) {
  add_idle_device(evidence, findings);
  add_launch_bound(evidence, findings);
  add_copies(evidence, findings);
}

}  // namespace xsp::analysis
