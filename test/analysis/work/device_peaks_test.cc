#include "analysis/work/device_peaks.h"

#include <cmath>
#include <set>
#include <string>

#include "analysis/work/device_names.h"
#include "analysis/work/listed_devices.h"
#include "analysis/work/peak_options.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using analysis::DataType;
using analysis::Device;
using analysis::DevicePeaks;
using analysis::ListedDevice;
using analysis::PeakOptions;
using analysis::peaks_of;
using xsp::Status;

std::string listed_name(const std::string& driver_name, double memory_gb = 0, uint32_t multiprocessors = 0) {
  Device device{.name = driver_name, .multiprocessors = multiprocessors};
  device.memory_bytes = static_cast<uint64_t>(memory_gb * 1e9);
  const ListedDevice* found = analysis::find_listed(device);
  return found == nullptr ? "" : std::string(found->name);
}

double tflops(const DevicePeaks& peaks, DataType type) { return peaks.flops[static_cast<size_t>(type)].value / 1e12; }

std::string origin(const DevicePeaks& peaks, DataType type) { return peaks.flops[static_cast<size_t>(type)].origin; }

TEST_CASE("the V100 has the peaks of the paper, with their source") {
  const DevicePeaks peaks = peaks_of({.name = "Tesla V100-SXM2-16GB"}, {});
  CHECK(tflops(peaks, DataType::kF32) == Approx(15.7));
  CHECK(tflops(peaks, DataType::kF16Tensor) == Approx(125));
  CHECK(peaks.bandwidth.value == Approx(900e9));
  CHECK(peaks.ideal_intensity(DataType::kF32) == Approx(17.44).epsilon(0.001));
  CHECK(origin(peaks, DataType::kF32) == "NVIDIA Tesla V100 data sheet");
  CHECK(contains(origin(peaks, DataType::kF16), "computed: 80 multiprocessors x 1530 MHz x 256"));
  CHECK(peaks.l2_cache_bytes == 6 * 1024 * 1024);
  CHECK(std::isnan(peaks.ideal_intensity(DataType::kF8Tensor)));
}

TEST_CASE("devices are found by the names that drivers and tools print") {
  CHECK(listed_name("Tesla V100-DGXS-32GB") == "Tesla V100-SXM2-32GB");
  CHECK(listed_name("Tesla V100-SXM3-32GB-H") == "Tesla V100-SXM3-32GB");
  CHECK(listed_name("Tesla V100S-PCIE-32GB") == "Tesla V100S-PCIE-32GB");
  CHECK(listed_name("GRID V100D-8Q") == "Tesla V100-PCIE-32GB");
  CHECK(listed_name("NVIDIA A100-SXM4-80GB") == "NVIDIA A100-SXM4-80GB");
  CHECK(listed_name("A100-SXM4-40GB") == "NVIDIA A100-SXM4-40GB");
  CHECK(listed_name("NVIDIA A100 80GB PCIe") == "NVIDIA A100 80GB PCIe");
  CHECK(listed_name("NVIDIA A100-PG509-200") == "NVIDIA A100-SXM4-40GB");
  CHECK(listed_name("NVIDIA A100-PG509-200", 85) == "NVIDIA A100-SXM4-80GB");
  CHECK(listed_name("NVIDIA H100 80GB HBM3") == "NVIDIA H100 80GB HBM3");
  CHECK(listed_name("NVIDIA H100 PCIe") == "NVIDIA H100 PCIe");
  CHECK(listed_name("NVIDIA H100 NVL") == "NVIDIA H100 NVL");
  CHECK(listed_name("NVIDIA H200") == "NVIDIA H200");
  CHECK(listed_name("NVIDIA B200") == "NVIDIA B200");
  CHECK(listed_name("NVIDIA GeForce RTX 4090") == "GeForce RTX 4090");
  CHECK(listed_name("GeForce RTX 2080 Ti") == "GeForce RTX 2080 Ti");
  CHECK(listed_name("NVIDIA L40S") == "NVIDIA L40S");
  CHECK(listed_name("Tesla T4") == "Tesla T4");
  CHECK(listed_name("GRID T4-16Q") == "Tesla T4");
  CHECK(listed_name("NVIDIA RTX A6000") == "NVIDIA RTX A6000");
  CHECK(listed_name("NVIDIA RTX 6000 Ada Generation") == "NVIDIA RTX 6000 Ada Generation");
  CHECK(listed_name("Quadro RTX 6000") == "Quadro RTX 6000");
  CHECK(listed_name("NVIDIA RTX PRO 6000 Blackwell Workstation Edition") == "NVIDIA RTX PRO 6000 Blackwell");
  CHECK(listed_name("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition") ==
        "NVIDIA RTX PRO 6000 Blackwell Max-Q");
  CHECK(listed_name("NVIDIA GeForce GTX 1060 3GB") == "GeForce GTX 1060 3GB");
}

TEST_CASE("multiprocessors and memory tell products of one name apart") {
  CHECK(listed_name("Orin", 64, 16) == "Jetson AGX Orin 64GB");
  CHECK(listed_name("Orin", 8, 8) != "Jetson AGX Orin 64GB");
  CHECK(listed_name("Xavier", 8, 6) == "Jetson Xavier NX");
  CHECK(listed_name("NVIDIA GeForce RTX 3080", 12.6, 70) == "GeForce RTX 3080 12GB");
}

TEST_CASE("what is another product than those with its number is not taken for one of them") {
  CHECK(listed_name("NVIDIA GeForce RTX 4090 Laptop GPU").empty());
  CHECK(listed_name("NVIDIA GeForce RTX 2080 with Max-Q Design").empty());
  CHECK(listed_name("GeForce GTX 980M").empty());
  CHECK(listed_name("NVIDIA GeForce RTX 3050 Ti").empty());
  CHECK(listed_name("Tesla K80").empty());
  CHECK(listed_name("").empty());
  CHECK(listed_name("AMD Instinct MI300X").empty());
}

TEST_CASE("every listed device is found by its own name, has peaks and says where they come from") {
  std::set<std::string_view> names;
  CHECK(analysis::listed_devices().size() >= 80);
  for (const ListedDevice& device : analysis::listed_devices()) {
    CAPTURE(device.name);
    CHECK(names.insert(device.name).second);
    PeakOptions options;
    options.gpu = device.name;
    REQUIRE(analysis::check_peak_options(options).ok());
    CHECK(peaks_of({}, options).device == device.name);
    const DevicePeaks peaks = peaks_of({}, options);
    CHECK(peaks.flops[0].value == 0);
    CHECK(tflops(peaks, DataType::kF32) > 0.2);
    CHECK(tflops(peaks, DataType::kF64) > 0.005);
    CHECK(peaks.bandwidth.value >= 25e9);
    CHECK(peaks.bandwidth.value <= 8000e9);
    CHECK(peaks.l2_cache_bytes > 0);
    CHECK(!peaks.bandwidth.origin.empty());
    for (const analysis::Peak& peak : peaks.flops) CHECK((peak.value == 0) == peak.origin.empty());
    CHECK((device.tensor == analysis::TensorRate::kNone) == (tflops(peaks, DataType::kF16Tensor) == 0));
  }
}

TEST_CASE("figures of data sheets are those that multiprocessors, clock and rate give, but for other clocks") {
  for (const ListedDevice& device : analysis::listed_devices()) {
    if (device.sheet == nullptr) continue;
    for (size_t i = 1; i < analysis::kDataTypes; ++i) {
      const auto type = static_cast<DataType>(i);
      const double sheet = device.sheet->tflops(type, device.capability);
      const double rate = analysis::operations_per_clock(type, device.capability, device.tensor);
      // Made slower on purpose (H20, H800), and the integer units of the L40.
      const bool limited = contains(device.sheet->title, "published") || type == DataType::kI8Tensor;
      if (sheet == 0 || rate == 0 || limited) continue;
      CAPTURE(device.name, i, sheet);
      CHECK(sheet / (device.multiprocessors * device.boost_mhz * 1e6 * rate / 1e12) == Approx(1).epsilon(0.15));
    }
  }
}

TEST_CASE("peaks that whitepapers print are the computed ones") {
  const auto of = [](const char* name, DataType type) { return tflops(peaks_of({.name = name}, {}), type); };
  CHECK(of("NVIDIA GeForce RTX 4090", DataType::kF32) == Approx(82.6).epsilon(0.001));
  CHECK(of("NVIDIA GeForce RTX 4090", DataType::kF16Tensor) == Approx(165.2).epsilon(0.001));
  CHECK(of("NVIDIA GeForce RTX 4090", DataType::kF8Tensor) == Approx(330.3).epsilon(0.001));
  CHECK(of("NVIDIA GeForce RTX 3090", DataType::kF16Tensor) == Approx(71).epsilon(0.005));
  CHECK(of("NVIDIA GeForce RTX 3090", DataType::kI8Tensor) == Approx(284).epsilon(0.005));
  CHECK(of("NVIDIA RTX A6000", DataType::kF16Tensor) == Approx(154.8).epsilon(0.001));
  CHECK(of("GeForce RTX 2080 Ti", DataType::kF16Tensor) == Approx(53.8).epsilon(0.001));
  CHECK(of("Quadro RTX 6000", DataType::kF16Tensor) == Approx(130.5).epsilon(0.001));
  CHECK(of("NVIDIA GeForce RTX 5090", DataType::kF32) == Approx(104.8).epsilon(0.001));
  CHECK(of("NVIDIA GeForce RTX 5090", DataType::kF16Tensor) == Approx(209.5).epsilon(0.001));
  CHECK(of("NVIDIA H100 80GB HBM3", DataType::kF16Tensor) == Approx(989.4));
  CHECK(of("Tesla P100-SXM2-16GB", DataType::kF64) == Approx(5.3));
}

TEST_CASE("a device that is not listed has computed peaks, and says so") {
  Device device{.name = "NVIDIA Something 9"};
  device.compute_capability_major = 7;
  device.multiprocessors = 80;
  device.clock_khz = 1'530'000;
  device.memory_clock_khz = 877'000;
  device.memory_bus_bits = 4096;
  device.l2_cache_bytes = 1234;
  const DevicePeaks peaks = peaks_of(device, {});
  CHECK(tflops(peaks, DataType::kF32) == Approx(15.67).epsilon(0.001));
  CHECK(contains(origin(peaks, DataType::kF32), "computed"));
  CHECK(contains(origin(peaks, DataType::kF32), "upper bound"));
  CHECK(peaks.bandwidth.value == Approx(898e9).epsilon(0.001));
  CHECK(peaks.l2_cache_bytes == 1234);
  device.memory_clock_khz = 0;
  device.memory_bandwidth = 700'000'000'000;
  CHECK(peaks_of(device, {}).bandwidth.value == Approx(700e9));
  CHECK(peaks_of(device, {}).bandwidth.origin == "as the trace tells");
  device.compute_capability_major = 3;
  CHECK(tflops(peaks_of(device, {}), DataType::kF32) == 0);
}

TEST_CASE("GeForce products that are not listed accumulate at half the rate, GTX 16 have no matrix units") {
  Device device{.name = "NVIDIA GeForce RTX 4090 Laptop GPU"};
  device.compute_capability_major = 8;
  device.compute_capability_minor = 9;
  device.multiprocessors = 76;
  device.clock_khz = 2'040'000;
  CHECK(tflops(peaks_of(device, {}), DataType::kF16Tensor) == Approx(79.4).epsilon(0.001));
  device.name = "NVIDIA RTX 5000 Ada Generation Laptop GPU";
  CHECK(tflops(peaks_of(device, {}), DataType::kF16Tensor) == Approx(158.8).epsilon(0.001));
  device.name = "NVIDIA GeForce GTX 1650 Ti with Max-Q Design";
  device.compute_capability_major = 7;
  device.compute_capability_minor = 5;
  CHECK(tflops(peaks_of(device, {}), DataType::kF16Tensor) == 0);
}

TEST_CASE("a MIG instance has its part of the peaks") {
  Device device{.name = "NVIDIA A100-SXM4-40GB MIG 1g.5gb", .multiprocessors = 14};
  device.memory_bytes = 5'000'000'000;
  const DevicePeaks peaks = peaks_of(device, {});
  CHECK(tflops(peaks, DataType::kF32) == Approx(19.5 * 14 / 108));
  CHECK(peaks.bandwidth.value == Approx(1555e9 / 8));
  CHECK(contains(origin(peaks, DataType::kF32), "14 of 108 multiprocessors"));
}

TEST_CASE("what the user gives comes before the table, and the table before the trace") {
  Device device{.name = "Tesla V100-SXM2-16GB"};
  device.memory_bandwidth = 1;
  CHECK(peaks_of(device, {}).bandwidth.value == Approx(900e9));
  PeakOptions options;
  options.gpu = "A100";
  CHECK(peaks_of(device, options).device == "NVIDIA A100-SXM4-40GB");
  CHECK(tflops(peaks_of(device, options), DataType::kF32) == Approx(19.5));
  REQUIRE(analysis::parse_peak_flops("f16:100T,f32:10T", &options).ok());
  REQUIRE(analysis::parse_memory_bandwidth("500G", &options).ok());
  const DevicePeaks peaks = peaks_of(device, options);
  CHECK(tflops(peaks, DataType::kF32) == Approx(10));
  CHECK(tflops(peaks, DataType::kF16) == Approx(100));
  CHECK(tflops(peaks, DataType::kF16Tensor) == Approx(100));
  CHECK(tflops(peaks, DataType::kF64) == Approx(9.7));
  CHECK(origin(peaks, DataType::kF32) == "--peak-flops");
  CHECK(peaks.bandwidth.origin == "--mem-bw");
}

TEST_CASE("--gpu takes some words of a name; of several products the first is meant") {
  const auto meant = [](const char* text) {
    const ListedDevice* found = analysis::find_meant(text);
    return found == nullptr ? "" : std::string(found->name);
  };
  CHECK(meant("V100") == "Tesla V100-SXM2-16GB");
  CHECK(meant("v100 pcie") == "Tesla V100-PCIE-16GB");
  CHECK(meant("H100") == "NVIDIA H100 80GB HBM3");
  CHECK(meant("H100 SXM") == "NVIDIA H100 80GB HBM3");
  CHECK(meant("a100-80gb") == "NVIDIA A100-SXM4-80GB");
  CHECK(meant("4090") == "GeForce RTX 4090");
  CHECK(meant("rtx4090") == "GeForce RTX 4090");
  CHECK(meant("3090ti") == "GeForce RTX 3090 Ti");
  CHECK(meant("NVIDIA GeForce RTX 4070 Ti SUPER") == "GeForce RTX 4070 Ti SUPER");
  CHECK(meant("rtx").empty());
  CHECK(meant("80gb").empty());
  CHECK(meant("").empty());
}

TEST_CASE("an unknown --gpu is an error that names the similar ones") {
  PeakOptions options;
  CHECK(analysis::check_peak_options(options).ok());
  options.gpu = "V1000";
  const Status status = analysis::check_peak_options(options);
  CHECK(contains(status.error, "no GPU 'V1000' in the table (similar: "));
  CHECK(contains(status.error, "Tesla V100-SXM2-16GB"));
  CHECK(contains(status.hint, "--peak-flops"));
}

TEST_CASE("--peak-flops and --mem-bw take decimal suffixes, and refuse what is none") {
  PeakOptions options;
  CHECK(analysis::parse_peak_flops("15.7T", &options).ok());
  REQUIRE(options.flops_per_second.size() == 1);
  CHECK(options.flops_per_second[0].first == DataType::kUnknown);
  CHECK(options.flops_per_second[0].second == Approx(15.7e12));
  CHECK(tflops(peaks_of({}, options), DataType::kUnknown) == Approx(15.7));
  CHECK(analysis::parse_peak_flops("f16-tensor:1P,tf32:156000G,f64:9.7e12", &options).ok());
  REQUIRE(options.flops_per_second.size() == 4);
  CHECK(options.flops_per_second[0].second == Approx(1e15));
  for (const char* text : {"", "T", "-1T", "nanT", "infT", "15.7", "15.7X", "15.7TT", "f16:", "f16:1T,", "f17:1T",
                           "f32-tensor:1T", "1e400T"}) {
    CAPTURE(text);
    const Status status = analysis::parse_peak_flops(text, &options);
    CHECK(!status.error.empty());
    CHECK(!status.hint.empty());
  }
  CHECK(analysis::parse_memory_bandwidth("900G", &options).ok());
  CHECK(options.bytes_per_second == Approx(900e9));
  CHECK(contains(analysis::parse_memory_bandwidth("900", &options).error, "a suffix is missing"));
}

}  // namespace
}  // namespace xsp::test
