#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bound/bounds/layer_times.h"
#include "bound/model/layer.h"

namespace xsp::bound {

/// The layers one after another (the paper's section III, E, 1).
struct SequentialBound {
  double bound_ms = 0;
  std::optional<double>
      expected_ms;     // layers without a cold time count with their hot one; nothing: too many have none
  size_t layers = 0;   // that count
  size_t missing = 0;  // of these without a time
  size_t noisy = 0;
  double noisy_ms = 0;         // of bound_ms, what rests on disturbed benchmarks
  size_t inexact = 0;          // layers whose quickest implementation rounds otherwise (Winograd)
  double exact_ms = 0;         // bound_ms without such implementations
  size_t without_cold = 0;     // layers that count in expected_ms with their hot time
  double without_cold_ms = 0;  // of bound_ms
  std::optional<double> coverage_layers_pct;
  std::optional<double> coverage_flops_pct;
};

/// Independent branches at the same time: the longest path, weights on nodes (section III, E, 2).
struct ParallelBound {
  double bound_ms = 0;
  std::vector<size_t> path;  // layers, in order
};

struct Bounds {
  const LayeredModel* model = nullptr;
  std::vector<LayerTime> times;  // by layer
  SequentialBound sequential;
  ParallelBound parallel;
  std::string contradiction;  // the parallel bound is above the sequential one
};

/// `times` by layer. What is no duration (negative, not finite) counts as missing.
Bounds make_bounds(const LayeredModel& model, std::vector<LayerTime> times);

/// What is wrong with bounds of the same times: independent branches at the same time take longer than one after the
/// other. Empty where they do not.
std::string contradiction_between(double parallel_ms, double sequential_ms);

}  // namespace xsp::bound
