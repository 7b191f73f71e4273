#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// A part of the time: a layer type, a layer in it, library calls of one function in that, kernels of one name in
/// these.
struct IcicleNode {
  enum class Kind : uint8_t { kModel, kType, kLayer, kCall, kKernel, kRest };
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  Kind kind = Kind::kModel;
  uint32_t parent = kNone;
  std::string name;
  double latency_ms = kUnknown;  // on the host, of layers A2's; NaN: not known, or it has none
  double kernel_ms = kUnknown;   // sum of its kernels' latencies; likewise
  uint32_t layer = kNone;        // index of A2
  uint64_t count = 0;            // layers, calls or kernels of an evaluation, or of all; of kRest what is merged
};

/// The time of an evaluation of the subject (with --per trace: of all) by two measures: latency as A2 and A6 have it,
/// and kernel time as A11 and A15 do. Time of a node that its children lack is its own.
struct Icicle {
  std::vector<IcicleNode> nodes;  // parents before their children, these by time, longest first; the first is the whole
  std::string latency_about;      // what the measure is; empty: there is none
  std::string kernel_about;
  std::vector<std::string> notes;

  bool has_latency() const { return !latency_about.empty(); }
  bool has_kernels() const { return !kernel_about.empty(); }
};

/// At most `nodes` nodes, those with most time; of each parent the others are one node that says how many they are.
Icicle icicle_of(const Study& study, size_t nodes = 20'000);

/// Static drawings of the top levels, `<svg role="img">` one for each measure that there is: empty without any.
std::string icicle_svg(const Icicle& icicle);

}  // namespace xsp::analysis
