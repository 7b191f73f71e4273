#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "test/analysis/support/iteration_builder.h"
#include "test/analysis/support/noise.h"

namespace xsp::test {

/// How the times of a fault-free loop vary.
enum class Jitter {
  kNone,
  kSmall,      // log-normal, 5 %
  kLarge,      // log-normal, 30 %
  kBursts,     // 10 %, and stretches of iterations 30 % slower
  kTwoModes,   // 5 %, and three iterations in ten a quarter slower
  kHeavyTail,  // 10 %, with a tail that falls off with the cube
};

inline constexpr Jitter kJitters[] = {Jitter::kNone,   Jitter::kSmall,    Jitter::kLarge,
                                      Jitter::kBursts, Jitter::kTwoModes, Jitter::kHeavyTail};

/// One iteration as modified by a fault, in ns.
struct SimulatedIteration {
  double host = 200e3;  // before the copy to the device
  double copy = 100e3;
  uint64_t bytes = 1'000'000;
  double kernel = 1e6;  // each of `kernels`
  uint32_t kernels = 6;
  double gap = 10e3;               // between kernels
  double odd_kernel = 1;           // how many times longer the third one is
  std::vector<std::string> extra;  // kernels after the others
  double extra_kernel = 20e3;
  double prefetch = 0;  // a copy on another stream while the kernels run
};

using Fault = std::function<void(uint32_t iteration, SimulatedIteration*)>;

/// A loop of `count` iterations: host, copy to the device, kernels, a small copy to the host.
void add_simulated_loop(uint32_t count, Jitter jitter, analysis::Noise* noise, const Fault& fault,
                        IterationBuilder* builder);

}  // namespace xsp::test
