#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "analysis/trace/data_type.h"

namespace xsp::analysis {

/// What a data sheet says of a product: dense (not sparse) TFLOPS or TOPS; 0 where it says nothing.
struct DataSheet {
  std::string_view title;
  double f64 = 0;
  double f32 = 0;
  double f16 = 0;
  double f64_tensor = 0;
  double tf32_tensor = 0;
  double f16_tensor = 0;  // also of bf16, but before compute capability 8.0
  double f8_tensor = 0;
  double i8_tensor = 0;
  double f4_tensor = 0;

  double tflops(DataType type, uint32_t capability) const;
};

/// How fast matrix units are that accumulate in f32: GeForce products of some chips do it at half the rate of the
/// professional ones.
enum class TensorRate : uint8_t { kNone, kHalf, kFull };

/// A product. What its data sheet does not say is computed from multiprocessors and boost clock.
struct ListedDevice {
  std::string_view name;     // as its driver prints it, without what does not matter
  std::string_view model;    // words that a name must have
  std::string_view variant;  // further words, which tell it from other products of that model
  uint32_t capability = 0;   // 70 for 7.0
  uint32_t multiprocessors = 0;
  uint32_t boost_mhz = 0;
  double bandwidth = 0;  // GB/s
  double l2_mib = 0;
  double memory_gb = 0;
  TensorRate tensor = TensorRate::kNone;
  std::string_view source;  // of multiprocessors, clock and bandwidth
  const DataSheet* sheet = nullptr;
};

/// NVIDIA GPUs from Maxwell to Blackwell. Of products with one model the first is the one that is meant when nothing
/// tells them apart.
std::span<const ListedDevice> listed_devices();

/// Operations a multiprocessor does in a clock, a multiply-add as two; 0 where it has no unit for the type, or the
/// compute capability is not known. (CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions"; of
/// matrix units the architecture whitepapers.)
double operations_per_clock(DataType type, uint32_t capability, TensorRate tensor);

}  // namespace xsp::analysis
