#include "analysis/tables/kernel_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/units.h"

namespace xsp::analysis {
namespace {

/// From this share of the flops on a type stands for all.
constexpr double kDominant = 0.95;

double sum_of(const std::array<double, kDataTypes>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double positive(double value) { return value > 0 ? value : kUnknownValue; }

/// The type with most flops; without flops that of the kernels.
DataType main_type(const KernelWork& work) {
  const auto most = std::max_element(work.flops_of.begin(), work.flops_of.end());
  return *most > 0 ? static_cast<DataType>(most - work.flops_of.begin()) : work.type;
}

/// Name and peak of the work's type, or types.
void find_compute_roof(const KernelWork& work, RooflinePoint* point) {
  const DataType type = main_type(work);
  const auto index = static_cast<size_t>(type);
  const double flops = work.flops_of[index];
  const double share = flops > 0 ? flops / work.paired_flops : 1;
  const std::string_view name = type == DataType::kUnknown ? "unknown" : name_of(type);
  if (share >= kDominant) {
    point->data_type = name_of(type);
    const bool from_work = work.several_devices && flops > 0;
    point->peak = from_work ? flops / work.compute_s_of[index] : positive(work.peaks->flops[index].value);
  } else {
    point->data_type = fmt::format("mixed ({} {:.0f} %)", name, 100 * share);
    point->peak = work.paired_flops / sum_of(work.compute_s_of);
  }
}

}  // namespace

void KernelWork::add(const JoinedKernel& kernel, const DevicePeaks& of_device) {
  const KernelMetrics& metrics = kernel.metrics;
  if (peaks == nullptr) peaks = &of_device;
  several_devices |= peaks != &of_device;
  if (!std::isnan(metrics.algorithmic_flops)) {
    ++with_algorithmic_flops;
    algorithmic_flops += metrics.algorithmic_flops;
  }
  if (metrics.source == MetricSource::kNone) return;
  source = metrics.source;
  flags |= metrics.flags;
  part += metrics.part;
  if (type == DataType::kUnknown) type = metrics.type;
  const bool has_flops = !std::isnan(metrics.flops);
  const bool has_bytes = !std::isnan(metrics.dram_read_bytes) && !std::isnan(metrics.dram_write_bytes);
  if (has_flops) {
    ++with_flops;
    flops += metrics.flops;
  }
  if (has_bytes) {
    ++with_bytes;
    read_bytes += metrics.dram_read_bytes;
    write_bytes += metrics.dram_write_bytes;
  }
  if (!std::isnan(metrics.occupancy_pct)) {
    occupancy_ns += metrics.occupancy_pct * kernel.latency_ns;
    occupancy_known_ns += kernel.latency_ns;
  }
  if (has_flops || (metrics.flags & kAuxiliary) != 0) known_ns += kernel.latency_ns;
  if (!has_flops || !has_bytes) return;
  ++paired;
  paired_flops += metrics.flops;
  const double bytes = metrics.dram_read_bytes + metrics.dram_write_bytes;
  paired_bytes += bytes;
  memory_s += bytes / positive(of_device.bandwidth.value);
  if (metrics.flops > 0) {
    const auto index = static_cast<size_t>(metrics.type);
    flops_of[index] += metrics.flops;
    compute_s_of[index] += metrics.flops / positive(of_device.flops[index].value);
  }
}

RooflinePoint roofline_point(const KernelWork& work, double latency_ns) {
  RooflinePoint point;
  if (work.with_flops == 0) return point;
  const bool has_all_time = work.part == 0 && latency_ns > 0;
  if (has_all_time) point.throughput = work.flops / latency_ns * kNsPerSecond;
  find_compute_roof(work, &point);
  const bool from_work = work.several_devices && work.paired_bytes > 0;
  point.bandwidth = positive(from_work ? work.paired_bytes / work.memory_s : work.peaks->bandwidth.value);
  if (work.paired == 0) return point;
  point.intensity = work.paired_flops / work.paired_bytes;
  if (std::isnan(point.bandwidth) || work.paired_bytes + work.paired_flops == 0) return point;
  // Without flops every roof is that of memory.
  const double compute_s = work.paired_flops > 0 ? work.paired_flops / point.peak : 0;
  if (std::isnan(compute_s)) return point;
  point.memory_bound = work.memory_s > compute_s;
  if (has_all_time) point.pct_of_roof = 100 * std::max(compute_s, work.memory_s) / latency_ns * kNsPerSecond;
  return point;
}

bool is_above_roof(const RooflinePoint& point) {
  constexpr double kAllPct = 100.5;
  return point.pct_of_roof > kAllPct;
}

std::string_view name_of(MetricSource source) {
  switch (source) {
    case MetricSource::kNone:
      return "none";
    case MetricSource::kCounters:
      return "counters";
    case MetricSource::kAnalytic:
      return "analytic";
  }
  return "none";
}

std::string text_of_flags(uint8_t flags) {
  static constexpr std::pair<MetricFlag, std::string_view> kNames[] = {
      {kWinograd, "winograd"}, {kFft, "fft"},     {kL2Resident, "L2-resident"}, {kEmulated, "emulated"},
      {kShared, "shared"},     {kSplit, "split"}, {kAuxiliary, "auxiliary"},
  };
  std::string text;
  for (const auto& [flag, name] : kNames) {
    if ((flags & flag) == 0) continue;
    text += text.empty() ? "" : ", ";
    text += name;
  }
  return text;
}

}  // namespace xsp::analysis
