#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "analysis/timeline/joined_kernels.h"
#include "analysis/work/device_peaks.h"

namespace xsp::analysis {

/// What kernels did, added up over those of which it is known. Executed and algorithmic flops never meet in a sum: all
/// kernels of a report have one source.
struct KernelWork {
  double flops = 0;
  double read_bytes = 0;
  double write_bytes = 0;
  double algorithmic_flops = 0;
  size_t with_flops = 0;  // kernels of which these are known
  size_t with_bytes = 0;
  size_t with_algorithmic_flops = 0;

  /// Of kernels whose flops and bytes are both known: what arithmetic intensity and roofs are of.
  double paired_flops = 0;
  double paired_bytes = 0;
  size_t paired = 0;
  std::array<double, kDataTypes> flops_of = {};      // by type
  std::array<double, kDataTypes> compute_s_of = {};  // the same at the peak of their device; NaN where it has none
  double memory_s = 0;                               // `paired_bytes` at the bandwidth of their device

  double occupancy_ns = 0;        // percent times latency
  double occupancy_known_ns = 0;  // latency of kernels with an occupancy
  double known_ns = 0;            // latency of kernels whose work is known, or counted at another kernel
  MetricSource source = MetricSource::kNone;
  uint8_t flags = 0;
  uint64_t part = 0;                   // sum of KernelMetrics::part
  DataType type = DataType::kUnknown;  // of the first kernel that has one
  const DevicePeaks* peaks = nullptr;  // of the first kernel's device
  bool several_devices = false;

  void add(const JoinedKernel& kernel, const DevicePeaks& of_device);
};

/// The place of work under the roofs of its device. NaN and empty where something is not known.
struct RooflinePoint {
  double intensity = std::numeric_limits<double>::quiet_NaN();   // flops / byte
  double throughput = std::numeric_limits<double>::quiet_NaN();  // flops a second of kernel latency
  std::string data_type;
  double peak = std::numeric_limits<double>::quiet_NaN();       // flops a second
  double bandwidth = std::numeric_limits<double>::quiet_NaN();  // bytes a second
  std::optional<bool> memory_bound;
  double pct_of_roof = std::numeric_limits<double>::quiet_NaN();
};

/// `latency_ns`: of all kernels of the row. Without throughput and share of the roof where further kernels did a part
/// of the work, or a part of that of others. The roof is that of the type with at least 95 % of the flops; of mixed
/// work it is what all flops take, each at the peak of its type.
RooflinePoint roofline_point(const KernelWork& work, double latency_ns);

/// Above the roof by more than half a per cent, which is the accuracy of clocks and data sheets.
bool is_above_roof(const RooflinePoint& point);

/// "counters", "analytic", "none".
std::string_view name_of(MetricSource source);

/// "winograd, L2-resident"; empty without flags.
std::string text_of_flags(uint8_t flags);

}  // namespace xsp::analysis
