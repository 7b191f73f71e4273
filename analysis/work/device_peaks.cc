#include "analysis/work/device_peaks.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <utility>

#include "analysis/work/device_names.h"

namespace xsp::analysis {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;
constexpr double kMebi = 1024.0 * 1024;

/// GeForce products of these compute capabilities accumulate in f32 at half the rate.
TensorRate tensor_rate(const Device& device, uint32_t capability) {
  const bool halved = capability == 75 || capability == 86 || capability == 89 || capability == 120;
  const bool geforce = device.name.find("GeForce") != std::string::npos;
  if (capability == 75 && device.name.find("GTX") != std::string::npos) return TensorRate::kNone;
  return halved && geforce ? TensorRate::kHalf : TensorRate::kFull;
}

Peak computed_flops(DataType type, uint32_t capability, TensorRate tensor, uint32_t multiprocessors, double mhz,
                    std::string_view source) {
  const double operations = operations_per_clock(type, capability, tensor);
  const double value = multiprocessors * mhz * 1e6 * operations;
  if (!(value > 0)) return {};
  return {value, fmt::format("computed: {} multiprocessors x {:.0f} MHz x {:.0f} operations a clock ({})",
                             multiprocessors, mhz, operations, source)};
}

void take_from_table(const ListedDevice& listed, DevicePeaks* peaks) {
  for (size_t i = 1; i < kDataTypes; ++i) {
    const auto type = static_cast<DataType>(i);
    const double tflops = listed.sheet == nullptr ? 0 : listed.sheet->tflops(type, listed.capability);
    peaks->flops[i] = tflops > 0 ? Peak{tflops * kTera, std::string(listed.sheet->title)}
                                 : computed_flops(type, listed.capability, listed.tensor, listed.multiprocessors,
                                                  listed.boost_mhz, listed.source);
  }
  peaks->bandwidth = {listed.bandwidth * kGiga, std::string(listed.source)};
  peaks->l2_cache_bytes = listed.l2_mib * kMebi;
}

/// A MIG instance has the multiprocessors that the driver tells, and memory in proportion to its size.
void take_part(const Device& device, const ListedDevice& listed, DevicePeaks* peaks) {
  if (device.multiprocessors == 0 || device.multiprocessors >= listed.multiprocessors) return;
  const double part = static_cast<double>(device.multiprocessors) / listed.multiprocessors;
  for (Peak& peak : peaks->flops) {
    if (peak.value == 0) continue;
    peak.value *= part;
    peak.origin += fmt::format(", {} of {} multiprocessors", device.multiprocessors, listed.multiprocessors);
  }
  const double memory = static_cast<double>(device.memory_bytes) / (listed.memory_gb * kGiga);
  const double share = memory > 0 && memory < 1 ? memory : part;
  peaks->bandwidth.value *= share;
  peaks->bandwidth.origin += fmt::format(", {:.0f} % of it", 100 * share);
}

void compute(const Device& device, DevicePeaks* peaks) {
  const uint32_t capability = 10 * device.compute_capability_major + device.compute_capability_minor;
  const double mhz = device.clock_khz / 1e3;
  for (size_t i = 1; i < kDataTypes; ++i) {
    if (peaks->flops[i].value > 0) continue;
    peaks->flops[i] = computed_flops(static_cast<DataType>(i), capability, tensor_rate(device, capability),
                                     device.multiprocessors, mhz, "as the trace tells; an upper bound");
  }
  if (peaks->bandwidth.value > 0) return;
  if (device.memory_clock_khz != 0 && device.memory_bus_bits != 0) {
    // Two transfers a clock.
    peaks->bandwidth = {2.0 * device.memory_clock_khz * 1e3 * device.memory_bus_bits / 8,
                        fmt::format("computed: {} bits x 2 x {:.0f} MHz (as the trace tells)", device.memory_bus_bits,
                                    device.memory_clock_khz / 1e3)};
  } else if (device.memory_bandwidth != 0) {
    peaks->bandwidth = {static_cast<double>(device.memory_bandwidth), "as the trace tells"};
  }
}

void take_from_user(const PeakOptions& options, DevicePeaks* peaks) {
  for (const auto& [type, value] : options.flops_per_second) {
    if (type == DataType::kUnknown) {
      peaks->flops.fill({value, "--peak-flops"});
    } else {
      peaks->flops[static_cast<size_t>(type)] = {value, "--peak-flops"};
    }
  }
  if (options.bytes_per_second) peaks->bandwidth = {*options.bytes_per_second, "--mem-bw"};
}

}  // namespace

double DevicePeaks::ideal_intensity(DataType type) const {
  const double peak = flops[static_cast<size_t>(type)].value;
  if (!(peak > 0) || !(bandwidth.value > 0)) return std::numeric_limits<double>::quiet_NaN();
  return peak / bandwidth.value;
}

DevicePeaks peaks_of(const Device& device, const PeakOptions& options) {
  DevicePeaks peaks;
  peaks.device = device.name;
  const ListedDevice* listed = options.gpu.empty() ? find_listed(device) : find_meant(options.gpu);
  if (listed != nullptr) {
    take_from_table(*listed, &peaks);
    if (!options.gpu.empty()) {
      peaks.device = listed->name;
    } else if (is_instance(device.name)) {
      take_part(device, *listed, &peaks);
    }
  }
  // A product that is not in the table, or types that the table says nothing of.
  if (options.gpu.empty()) {
    if (listed == nullptr) compute(device, &peaks);
    if (device.l2_cache_bytes != 0) peaks.l2_cache_bytes = static_cast<double>(device.l2_cache_bytes);
  }
  take_from_user(options, &peaks);
  return peaks;
}

Status check_peak_options(const PeakOptions& options) {
  if (options.gpu.empty() || find_meant(options.gpu) != nullptr) return {};
  constexpr size_t kSimilar = 5;
  const auto joined = [](const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); };
  return {
      fmt::format("no GPU '{}' in the table (similar: {})", options.gpu, joined(similar_names(options.gpu, kSimilar))),
      "for another GPU, give its numbers: --peak-flops 15.7T --mem-bw 900G"};
}

DeviceRoofs find_roofs(const Trace& trace, const PeakOptions& options) {
  DeviceRoofs roofs;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> of_process;  // by number of the device; the first one that tells
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> of_segment;
  for (const Device& device : trace.devices) {
    const auto number = static_cast<uint32_t>(roofs.peaks.size());
    of_process.try_emplace({device.process, device.index}, number);
    of_segment.try_emplace({trace.processes[device.process].segment, device.index}, number);
    roofs.peaks.push_back(peaks_of(device, options));
  }
  const auto unknown = static_cast<uint32_t>(roofs.peaks.size());
  roofs.peaks.push_back(peaks_of({}, options));
  for (const Queue& queue : trace.queues) {
    const auto own = of_process.find({queue.process, queue.device});
    const auto near = of_segment.find({trace.processes[queue.process].segment, queue.device});
    const uint32_t other = near == of_segment.end() ? unknown : near->second;
    roofs.of_queue.push_back(own == of_process.end() ? other : own->second);
  }
  return roofs;
}

}  // namespace xsp::analysis
