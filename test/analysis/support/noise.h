#pragma once

#include <cmath>
#include <numbers>
#include <random>

namespace xsp::analysis {

/// Noise for simulations, identical everywhere, unlike the standard library's distributions.
class Noise {
 public:
  explicit Noise(uint64_t seed) : random_(seed) {}

  /// Above 0, below 1.
  double uniform() { return (static_cast<double>(random_() >> 11) + 0.5) / 9007199254740992.0; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }
  bool happens(double probability) { return uniform() < probability; }

 private:
  std::mt19937_64 random_;
};

}  // namespace xsp::analysis
